// The limits of a comparison as JUnit's XML, which CI systems show as tests.
#pragma once

#include <string>
#include <vector>

#include "query/compare/gates.h"

namespace opsight::report {

std::string render_junit(const std::vector<query::GateResult>& results);

}  // namespace opsight::report
