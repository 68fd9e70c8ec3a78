// Layers: the tree of modules, and the layer that every host span belongs to.
//
// A module call is a kModule span. Its name is a class with a number ("nn.Module: Linear_3"), which adds one
// step to the layer of the module call around it, or a path from the root ("layer1.0.conv1", "net/layer1"),
// which stands for itself. A numbered class that is called inside an op, with no module around it, is the
// layer that it is elsewhere: a checkpoint calls it again, alone. Ops take the hierarchy that the source
// tells for them, else the layer of what encloses them. Backward ops get theirs later, from their forward ops
// (direction.h).
#pragma once

#include <absl/container/flat_hash_map.h>

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

class LayerTree {
  public:
    // Goes on with the layers that are there.
    LayerTree(StringPool& strings, std::vector<Layer>& layers);
    // The layer of that name below the parent. Layers deeper than kMostDepth, or of a path longer than
    // kMostPath, are not kept: what they hold counts for the parent, and left_out() counts it.
    LayerId child(LayerId parent, std::string_view name);
    // The layer of a path of names parted by '/' or '.'; invalid for an empty one.
    LayerId path(std::string_view path);
    // The only layer of that name that lies below another one; invalid where there is none or several.
    LayerId only_below(std::string_view name) const;
    int64_t left_out() const { return left_out_; }

    // Every layer keeps its whole path, so without a limit a hostile chain would take memory by its square.
    static constexpr int kMostDepth = 1000;
    static constexpr size_t kMostPath = 8192;  // bytes

  private:
    void know_below(LayerId layer);

    StringPool& strings_;
    std::vector<Layer>& layers_;
    absl::flat_hash_map<std::pair<uint32_t, uint32_t>, LayerId> known_;
    absl::flat_hash_map<uint32_t, LayerId> below_;  // by name, of layers below another; several: invalid
    int64_t left_out_ = 0;
};

// Fills layers and layer. Needs op_span. Cost: two passes over the host spans.
void find_layers(Profile& profile, Analysis& analysis);

}  // namespace opsight::analyze
