// Reports over the runs of a store. A report is a statement of sql/, its columns and a line of the list.
#pragma once

#include <string>
#include <string_view>

#include "fleet/questions/choice.h"
#include "query/ask/registry.h"
#include "query/ask/report.h"

namespace opsight::fleet {

const query::Family& report_family();

struct ReportOptions {
    std::string by;           // of labels: the one that is wanted; empty: all
    int64_t limit = 0;        // rows; 0: all
    bool for_people = false;  // ids of runs in short
};

// By a name of the family. What a reader must know is in its notes.
Result<query::Report> make_report(Store& store, std::string_view name, const Chosen& chosen,
                                  const ReportOptions& options);

// The moment as "2026-03-01T12:00:00Z"; empty where it is not known.
duck::Cell moment_text(const std::optional<int64_t>& unix_ns);

}  // namespace opsight::fleet
