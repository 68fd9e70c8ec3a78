// Ranges and marks of roctx: they are NVTX's under another name, and their texts tell the same (PyTorch's
// emit_nvtx, modules, steps).
#pragma once

#include <vector>

#include "import/nvtx/spans.h"

namespace opsight::importer::rocprof {

class Markers {
  public:
    // `span`: times and track.
    void add(const HostSpan& span, StringId text) { found_.push_back({span, text}); }
    // Hands them over in the order of their begins, outer ones first.
    void finish(ProfileBuilder& builder);

  private:
    struct Marker {
        HostSpan span;
        StringId text;
    };
    std::vector<Marker> found_;
};

}  // namespace opsight::importer::rocprof
