// Numbers for people: times, sizes, work, percentages and counts in the unit that suits them. The page has
// the same rule (web/src/widgets/format.ts); the tests of both read tests/data/units.json.
#pragma once

#include <string>

#include "query/ask/result_table.h"

namespace opsight::report {

// "1.23 ms", "31.7 GiB", "19.2%": three figures that count, where the exact value stands under the pointer.
std::string brief(query::Unit unit, double value);

// "1.235 ms", "31.74 GiB", "19.2%": for a terminal, which has nothing under the pointer, and whose numbers
// are copied: digits are not grouped.
std::string human(query::Unit unit, double value);

// "1,131.317400 ms": a point in time, to the nanosecond; what begins close together must not read the same.
std::string moment(double ns);

// "Total GPU Time (ns)" -> "Total GPU Time": the header of a column where brief() and human() give each value
// its unit. What they do not give, as "(Hz)" of a count, stays.
std::string header_without_unit(const query::Column& column);

// The digits of a percentage, where the sign stands in the head. What is not quite nothing, or not quite
// everything, does not read as that: "<0.1", ">99.9".
std::string percent_digits(double percent);

}  // namespace opsight::report
