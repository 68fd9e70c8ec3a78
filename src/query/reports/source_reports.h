// Reports on what only some sources record: calls of CUDA's API, of the system, of libraries and of message
// passing, copies, collectives, unified memory, counters of devices and network cards, samples of CPUs,
// accesses to files.
#pragma once

#include "query/reports/reports.h"

namespace opsight::query {

// Tables, each of the chosen range.
Result<ResultTable> api_sums(Session& session, const TableShape& shape);
Result<ResultTable> copy_sums(Session& session, const TableShape& shape);
Result<ResultTable> collectives(Session& session, const TableShape& shape);
Result<ResultTable> os_call_sums(Session& session, const TableShape& shape);
Result<ResultTable> library_sums(Session& session, const TableShape& shape);
Result<ResultTable> message_sums(Session& session, const TableShape& shape);
Result<ResultTable> file_sums(Session& session, const TableShape& shape);
Result<ResultTable> migration_sums(Session& session, const TableShape& shape);
Result<ResultTable> fault_sums(Session& session, const TableShape& shape);
Result<ResultTable> counter_sums(Session& session, const TableShape& shape);
Result<ResultTable> sample_sums(Session& session, const TableShape& shape);
Result<ResultTable> scheduling_sums(Session& session, const TableShape& shape);

// Reports of them, which say so where nothing of the kind was recorded.
Result<Report> api_report(Session& session, const TableShape& shape);
Result<Report> copy_report(Session& session, const TableShape& shape);
Result<Report> collectives_report(Session& session, const TableShape& shape);
Result<Report> os_call_report(Session& session, const TableShape& shape);
Result<Report> library_report(Session& session, const TableShape& shape);
Result<Report> message_report(Session& session, const TableShape& shape);
Result<Report> file_report(Session& session, const TableShape& shape);
Result<Report> unified_memory_report(Session& session, const TableShape& shape);
Result<Report> counter_report(Session& session, const TableShape& shape);
Result<Report> sample_report(Session& session, const TableShape& shape);
Result<Report> memory_peak_report(Session& session, const TableShape& shape);
Result<Report> scheduling_report(Session& session, const TableShape& shape);

// Whether the profile has what a report is on, in whatever range; true for all reports that are not above.
Result<bool> is_recorded(Session& session, std::string_view report);

}  // namespace opsight::query
