#include "analyze/layers.h"

#include <algorithm>

#include "analyze/open_spans.h"
#include "analyze/track_rows.h"
#include "base/text.h"

namespace opsight::analyze {
namespace {

constexpr std::string_view kClassPrefix = "nn.Module: ";
constexpr std::string_view kSeparators = "/.";

}  // namespace

LayerTree::LayerTree(StringPool& strings, std::vector<Layer>& layers) : strings_(strings), layers_(layers) {
    for (size_t i = 0; i < layers.size(); ++i) {
        known_.try_emplace({layers[i].parent.value, layers[i].name.value}, LayerId(i));
        know_below(LayerId(i));
    }
}

void LayerTree::know_below(LayerId layer) {
    const Layer& l = layers_[layer.index()];
    if (!l.parent.valid()) return;
    const auto [below, is_only] = below_.try_emplace(l.name.value, layer);
    if (!is_only) below->second = LayerId();
}

LayerId LayerTree::child(LayerId parent, std::string_view name) {
    if (parent.valid() &&
        (layers_[parent.index()].depth + 1 >= kMostDepth ||
         strings_.view(layers_[parent.index()].path).size() + 1 + name.size() > kMostPath)) {
        ++left_out_;
        return parent;
    }
    const StringId name_id = strings_.intern(name);
    const auto [it, is_new] = known_.try_emplace({parent.value, name_id.value}, LayerId(layers_.size()));
    if (!is_new) return it->second;
    Layer layer;
    layer.name = layer.path = name_id;
    layer.parent = parent;
    if (parent.valid()) {
        const Layer& above = layers_[parent.index()];
        std::string path(strings_.view(above.path));
        path.append("/").append(name);
        layer.path = strings_.intern(path);
        layer.depth = static_cast<uint16_t>(above.depth + 1);
    }
    layers_.push_back(layer);
    know_below(it->second);
    return it->second;
}

LayerId LayerTree::path(std::string_view path) {
    LayerId at;
    while (!path.empty()) {
        const size_t end = std::min(path.find_first_of(kSeparators), path.size());
        if (end > 0) at = child(at, path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return at;
}

LayerId LayerTree::only_below(std::string_view name) const {
    const StringId id = strings_.find(name);
    const auto found = id.valid() ? below_.find(id.value) : below_.end();
    return found == below_.end() ? LayerId() : found->second;
}

namespace {

// Threads on which module calls run inside ops without a module around them, as a checkpoint's recomputation
// does, come after all others: then the tree is known.
std::vector<TrackRows> threads_in_order(const Profile& profile, const Analysis& analysis) {
    std::vector<TrackRows> tracks = track_rows(profile.host.track);
    std::stable_partition(tracks.begin(), tracks.end(), [&](const TrackRows& rows) {
        for (uint32_t row = rows.first; row < rows.last; ++row)
            if (profile.host.kind[row] == HostKind::kModule && analysis.op_span[row].valid()) return false;
        return true;
    });
    return tracks;
}

}  // namespace

void find_layers(Profile& profile, Analysis& analysis) {
    const HostSpans& h = profile.host;
    LayerTree tree(profile.strings, analysis.layers);
    absl::flat_hash_map<StringId, LayerId> recomputed;  // by the text of the module call
    absl::flat_hash_map<StringId, LayerId> paths;       // layers of whole paths, by their text
    auto layer_of_path = [&](StringId whole) {
        const auto [it, is_new] = paths.try_emplace(whole, LayerId());
        if (is_new) it->second = tree.path(profile.strings.view(whole));
        return it->second;
    };
    analysis.layer.assign(h.size(), LayerId());
    for (const TrackRows& rows : threads_in_order(profile, analysis)) {
        OpenSpans modules(h);
        for (uint32_t row = rows.first; row < rows.last; ++row) {
            modules.advance(row);
            const bool is_module = h.kind[row] == HostKind::kModule;
            LayerId layer = modules.empty() ? LayerId() : analysis.layer[modules.top()];
            if (is_module) {
                const OpenSpans::Place place = modules.place_of(row);
                layer = modules.encloses(place) ? analysis.layer[modules.around(place)] : LayerId();
                std::string_view name = profile.strings.view(h.name[row]);
                const bool by_class = text::take_prefix(name, kClassPrefix);
                LayerId known;
                if (by_class && !layer.valid() && analysis.op_span[row].valid()) {
                    const auto [it, is_new] = recomputed.try_emplace(h.name[row], LayerId());
                    if (is_new) it->second = tree.only_below(name);
                    known = it->second;
                }
                layer = known.valid() ? known
                        : by_class    ? tree.child(layer, name)
                                      : layer_of_path(h.name[row]);
                modules.push(row, place);
            } else if (h.kind[row] == HostKind::kOp) {
                const StringId told = profile.op_details.module_path[h.detail[row]];
                if (told.valid() && told.value != 0) layer = layer_of_path(told);
            }
            analysis.layer[row] = layer;
        }
    }
    if (tree.left_out() > 0) profile.diagnostics.add(Diag::kDeepLayer, {}, tree.left_out());
}

}  // namespace opsight::analyze
