// The parts of stats_format.cpp: cells as text, columns for the eye, HTML.
#pragma once

#include "report/stats_format.h"

namespace opsight::report::nsys {

// One row as it is written; `grouped` numbers have commas.
std::vector<std::string> row_texts(const query::ResultTable& table, size_t row, TimeUnit unit, bool grouped);
std::vector<std::string> header_texts(const query::ResultTable& table, TimeUnit unit);

std::string columns_text(const query::ResultTable& table, const Format& format, TimeUnit unit);
std::string html_text(const query::ResultTable& table, const Format& format, TimeUnit unit);

}  // namespace opsight::report::nsys
