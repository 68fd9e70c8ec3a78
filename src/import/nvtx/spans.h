// NVTX ranges and marks, from whichever source: their texts tell ops, calls of modules, data loading or plain
// annotations (see model/marks/nvtx_text.h). Each distinct text is understood once.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <vector>

#include "import/nvtx/marked_call.h"
#include "model/marks/nvtx_text.h"
#include "model/profile_builder.h"

namespace opsight::importer::nvtx {

class Spans {
  public:
    explicit Spans(ProfileBuilder& builder) : builder_(builder) {}

    // Adds `span` (times, flags and the track of the thread that began it) with what is special to NVTX.
    // `end_track`: the thread that ended it, where that is another one. Events of a thread come in the order
    // of their beginnings.
    void add(HostSpan span, TrackId end_track, StringId text, marks::NvtxDomain dialect,
             NvtxAttributesId attributes, NvtxType type);

  private:
    // A text, understood.
    struct Meaning {
        bool known = false;
        HostKind kind = HostKind::kAnnotation;
        StringId name{0}, stack{0};
        OpDetail detail;
        bool marked = false;  // a call in marked_
        bool program = false, backward = false;
        StringId scope{0};  // of XLA
    };
    struct MarkedCall {
        std::string function;
        Arguments arguments;
    };
    struct OpenText {
        int64_t end = INT64_MIN;
        StringId text{0};
    };

    const Meaning& meaning_of(StringId text, marks::NvtxDomain dialect);
    Meaning understand(StringId id, std::string_view text, marks::NvtxDomain dialect);
    void add_span(HostSpan& span, NvtxType type, StringId text, const Meaning& meaning);
    // Of an op that does not tell its own: those that the marked call around it passes on. Invalid: none.
    SignatureId signature_inside(const HostSpan& span, StringId text);
    void open_call(const HostSpan& span, StringId text);
    void tell_framework(std::string_view name);
    // Layer and direction of an op of XLA, in the program around it.
    struct Place {
        StringId path{0};
        bool backward = false;
    };
    Place place_inside(const HostSpan& span, const Meaning& meaning);

    ProfileBuilder& builder_;
    std::array<std::vector<Meaning>, static_cast<size_t>(marks::NvtxDomain::kCount)>
        meanings_;                                   // by StringId
    absl::flat_hash_map<TrackId, OpenText> stacks_;  // call stacks that PyProf's ranges tell
    struct OpenProgram {
        int64_t end = INT64_MIN;
        StringId text{0}, name{0}, prefix{0};
    };
    absl::flat_hash_map<TrackId, OpenProgram> programs_;                // the last one
    absl::flat_hash_map<std::pair<StringId, StringId>, Place> places_;  // by texts of program and op
    absl::flat_hash_map<StringId, MarkedCall> marked_;                  // by text
    absl::flat_hash_map<TrackId, std::vector<OpenText>> calls_;         // marked calls, from the outermost in
    absl::flat_hash_map<std::pair<StringId, StringId>, SignatureId> inside_;  // by texts of call and op
};

}  // namespace opsight::importer::nvtx
