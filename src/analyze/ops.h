// Ops: the table of op identities (name, layer, direction, input shapes and dtypes), and which one each op
// instance and each device span counts for.
#pragma once

#include "analyze/captures.h"
#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Fills ops, op and device_op. `annotations`: from attribute_device_work; `captures`:
// from find_captures with `other`. Ops are numbered in row order of
// their first instance, those of device work without an op after them. Names the framework by its ops, where
// the source does not. Cost: a hash look-up for each instance.
void identify_ops(Profile& profile, Analysis& analysis, const std::vector<Direction>& directions,
                  const std::vector<HostSpanId>& annotations, const Captures& captures,
                  const CapturedGraphs* other = nullptr);

}  // namespace opsight::analyze
