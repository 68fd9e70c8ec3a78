// Rules of findings.h: each adds what it finds in the facts. The rules of compute and of the host are in
// findings.cpp, those of what moves data in findings_of_data.cpp.
#pragma once

#include <string>
#include <vector>

#include "query/reports/finding_facts.h"
#include "query/reports/findings.h"

namespace opsight::query {

using Findings = std::vector<Finding>;

inline constexpr double kLeastShare = 5;  // % of the wall clock: what takes less is no finding

std::string percent(double share);     // "12.3%"
std::string milliseconds(int64_t ns);  // "1.23 ms"
const char* matrix_units(const FindingFacts& f);

void communication_waits(const FindingFacts& f, Findings& out);
void copies(const FindingFacts& f, Findings& out);
void file_io(const FindingFacts& f, Findings& out);
// Waits of the host lie beside the device's work, so they have no share of their own.
void synchronization(const FindingFacts& f, Findings& out);

}  // namespace opsight::query
