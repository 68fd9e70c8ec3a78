// What work each device span did (of profiles without device work: each op in its self time), and the bounds
// of the devices.
//
// The work of a call is counted once: where ops call each other, the innermost one with a formula counts, and
// the kernels under it share its work by their times. Beside ops under it that count, an op counts where it
// launched kernels itself, or where they do another kind of work: a product beside elementwise ops, these
// beside copies. Two products never count inside each other. Formulas are worked out once for each name and
// signature; all else is linear in the spans.
#pragma once

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

void find_device_peaks(const Profile& profile, Analysis& analysis);
// After find_kernels and find_device_peaks. `captures`: from find_captures, or empty.
void count_work(const Profile& profile, Analysis& analysis, const std::vector<HostSpanId>& captures = {});

}  // namespace opsight::analyze
