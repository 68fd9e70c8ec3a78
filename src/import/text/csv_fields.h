// The fields of one row of CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsight::importer {

// Parts at commas; a field in quotes may hold commas, and quotes as two of them. Never fails: a quote that
// has no end goes on to the end of the text, as has_odd_quotes tells.
void split_csv(std::string_view text, std::vector<std::string>& fields);
bool has_odd_quotes(std::string_view text);

}  // namespace opsight::importer
