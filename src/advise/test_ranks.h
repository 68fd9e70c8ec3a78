// Work of ranks of a job, for tests of rules about them.
#pragma once

#include <string>

#include "advise/test_rules.h"

namespace opsight::advise {

// Work of a device and the call that launched it so long before.
inline void launch(TestProfile& t, DeviceSpan span, int64_t& correlation, const std::string& name,
                   int64_t before_ns) {
    t.api("cudaLaunchKernel", span.begin - before_ns, 5 * kUs, t.thread(), correlation);
    span.track = t.stream();
    span.kind = DeviceKind::kKernel;
    span.correlation = correlation++;
    t.device(span, name);
}

// A reduction of 100 MB among so many ranks.
inline CollectiveId all_reduce(TestProfile& t, int64_t ranks) {
    Collective collective;
    collective.name = t.builder.text("allreduce");
    collective.dtype = t.builder.text("Float");
    collective.group_name = t.builder.text("dp");
    collective.in_elements = collective.out_elements = 25'000'000;
    collective.group_size = ranks;
    return t.builder.collective(collective);
}

}  // namespace opsight::advise
