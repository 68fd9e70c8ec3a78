// Pictures of sweeps: throughput, latency and memory over what is varied, and throughput against latency.
#pragma once

#include <string>

#include "query/sweep/tables.h"

namespace opsight::report {

// SVG that stands alone or in a page. Medians with a stroke from the least to the most of the runs; dashed:
// the line through the times, where it holds, and what was predicted. Empty where no point was measured, or
// nothing that is varied is a number.
std::string sweep_svg(const query::Sweep& sweep, const query::SweepSummary& summary,
                      const query::SweepOptions& options);
// Throughput in letters: a bar for each point, from 0, at most so many columns wide.
std::string sweep_text(const query::SweepSummary& summary, int width);

}  // namespace opsight::report
