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

// What a registry says of a report, for help and documents.
struct ReportInfo {
    std::string_view name, description;  // the description is the end of a sentence
    std::string_view title{};
};

}  // namespace opsight::query
