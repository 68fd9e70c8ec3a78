// Numbers for people: times, sizes and percentages in the unit that suits them.
#pragma once

#include <cstdint>
#include <string>

#include "query/ask/result_table.h"

namespace opsight::report {

struct Scale {
    double divisor = 1;
    const char* suffix = "";
    int decimals = 0;
};

// The scale in which a number of this unit and size reads best.
Scale scale_for(query::Unit unit, double largest);

// "1.234 ms", "3.1 MiB", "42.0 %", "1200".
std::string human(query::Unit unit, double value);

}  // namespace opsight::report
