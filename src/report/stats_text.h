// The parts of stats_format.cpp: cells as text, columns for the eye, HTML.
#pragma once

#include "report/stats_format.h"

namespace opsight::stats {

struct Texts {
    std::vector<std::string> heads;
    std::vector<std::vector<std::string>> rows;
};
Texts texts_of(const Table& table, TimeUnit unit, bool grouped);

std::string columns_text(const Table& table, const Texts& texts, const Format& format);
std::string html_text(const Table& table, const Texts& texts, const Format& format);

}  // namespace opsight::stats
