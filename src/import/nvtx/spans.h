// NVTX ranges and marks, from whichever source: their texts tell ops, calls of modules, data loading or plain
// annotations (see import/nsys/nvtx_text.h). Each distinct text is understood once.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <vector>

#include "import/nsys/nvtx_text.h"
#include "model/profile_builder.h"

namespace opsight::nvtx {

class Spans {
  public:
    explicit Spans(ProfileBuilder& builder) : builder_(builder) {}

    // Adds `span` (times, flags and the track of the thread that began it) with what is special to NVTX.
    // `end_track`: the thread that ended it, where that is another one. Events of a thread come in the order
    // of their beginnings.
    void add(HostSpan span, TrackId end_track, StringId text, nsys::NvtxDomain dialect,
             NvtxAttributesId attributes, NvtxType type);

  private:
    // A text, understood.
    struct Meaning {
        bool known = false;
        HostKind kind = HostKind::kAnnotation;
        StringId name{0}, stack{0};
        OpDetail detail;
    };
    struct OpenStack {
        int64_t end = INT64_MIN;
        StringId stack{0};
    };

    const Meaning& meaning_of(StringId text, nsys::NvtxDomain dialect);
    Meaning understand(std::string_view text, nsys::NvtxDomain dialect);
    void add_span(HostSpan& span, NvtxType type, const Meaning& meaning);

    ProfileBuilder& builder_;
    std::array<std::vector<Meaning>, static_cast<size_t>(nsys::NvtxDomain::kCount)> meanings_;  // by StringId
    absl::flat_hash_map<TrackId, OpenStack> stacks_;  // call stacks that PyProf's ranges tell
};

}  // namespace opsight::nvtx
