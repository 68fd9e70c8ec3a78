// Pictures of comparisons: the way from the time before to the time after, and many runs in their order.
#pragma once

#include <string>

#include "query/compare/comparison.h"
#include "query/compare/trend.h"

namespace opsight::report {

// SVG that stands alone or in a page. Colours are safe for colour-blind people, and no word is told by colour
// alone.
std::string waterfall_svg(const query::Comparison& comparison);

// Of a report of trend_report(): iteration time by run, with where it changed.
std::string trend_svg(const query::Report& trend);
// The same in letters, at most so many columns wide; runs for which there is no room share a column, by their
// median.
std::string trend_text(const query::Report& trend, int width);

}  // namespace opsight::report
