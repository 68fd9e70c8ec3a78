// Attribution: which API call launched a device span, and which op was open at that call.
//
// A device span belongs to the API call with its correlation id in the same rank; one call may have many
// spans (graph launches). Where several calls have the id (kDuplicateCorrelation), the last one that began
// before the span is taken, else the first. The op is the innermost one open on the calling thread at the
// call's begin. The source's External id is only a check: where it names an op that did not contain the
// launch, that is counted (kExternalIdDisagrees) and the launch is trusted.
#pragma once

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Fills launch, launch_op and host_ns; needs op_span. `annotations` gets, beside Profile::device, the
// innermost annotation open at the launch where no op is (invalid: none); step markers are no such
// annotation. Cost: linear, but n log n in the calls where correlation ids are scattered.
void attribute_device_work(Profile& profile, Analysis& analysis, std::vector<HostSpanId>& annotations);

}  // namespace opsight::analyze
