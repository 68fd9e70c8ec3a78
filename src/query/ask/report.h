// Report: tables under one name, of whatever style. Makers fill it, report/ shows it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/ask/result_table.h"

namespace opsight::query {

struct Section {
    ResultTable table;
    // A table of one row is an object. `unnamed` ones give their fields to the report itself.
    bool single = false, unnamed = false;
};

struct Report {
    std::string name, title;
    std::vector<Section> sections;  // one plain section: the report is its rows
    std::vector<std::string> notes;
};

// What a registry (registry.h) says of what it lists, for help, documents and completions.
struct ReportInfo {
    std::string_view name, description;
    std::string_view title{};
    std::string_view old_names{};  // also known by, with blanks between
};

}  // namespace opsight::query
