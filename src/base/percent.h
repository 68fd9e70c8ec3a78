// How percentages are written wherever people read them.
#pragma once

#include <string>

namespace opsight {

// Halves away from zero, as JavaScript does it; only what a double holds exactly is a half.
std::string fixed(double value, int decimals);

// The digits of a percentage. What is not quite nothing, or not quite everything, does not read as that:
// "<0.1", ">99.9". Tables of SQL have percent_text (db/sql_names.cpp).
std::string percent_digits(double percent);

}  // namespace opsight
