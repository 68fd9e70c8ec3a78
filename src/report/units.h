// Numbers for people: times, sizes and percentages in the unit that suits them.
#pragma once

#include <cstdint>
#include <string>

#include "query/result_table.h"

namespace opsight {

struct Scale {
    double divisor = 1;
    const char* suffix = "";
    int decimals = 0;
};

// The scale in which a number of this unit and size reads best.
Scale scale_for(Unit unit, double largest);

// "1.234 ms", "3.1 MiB", "42.0 %", "1200".
std::string human(Unit unit, double value);

}  // namespace opsight
