#include "import/rocprof/markers.h"

#include <algorithm>
#include <utility>

namespace opsight::importer::rocprof {

void Markers::finish(ProfileBuilder& builder) {
    std::stable_sort(found_.begin(), found_.end(), [](const Marker& a, const Marker& b) {
        return std::pair(a.span.begin, -a.span.dur) < std::pair(b.span.begin, -b.span.dur);
    });
    nvtx::Spans spans(builder);
    for (const Marker& marker : found_) {
        NvtxAttributes attributes;
        attributes.type = marker.span.dur == 0 ? NvtxType::kMark : NvtxType::kPushPop;
        spans.add(marker.span, {}, marker.text, marks::NvtxDomain::kOther,
                  builder.nvtx_attributes(attributes), attributes.type);
    }
    found_.clear();
}

}  // namespace opsight::importer::rocprof
