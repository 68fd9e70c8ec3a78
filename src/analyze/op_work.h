// Op work: what each op instance and everything under it put on devices and spent in API calls.
//
// Rows under an op are a stretch of its thread, so its launches are one stretch of all launches in row order.
// Where device spans begin and end in the order of their launches (one stream), the union of a stretch is a
// difference of two running sums; elsewhere the stretch is sorted and merged.
#pragma once

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Fills op_work; needs parent, op_span, launch, launch_op, kernel and kernels. Cost: linear, plus k log k for
// each op whose k device spans are not in the order of their launches.
void sum_op_work(const Profile& profile, Analysis& analysis);

}  // namespace opsight::analyze
