// The reports, which reports.cpp lists. Column heads are DLProf's where the number means the same;
// docs/metrics.md says what each number means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/ask/question.h"
#include "query/ask/registry.h"

namespace opsight::query {

// In the order in which `all` shows them; descriptions are the end of a sentence.
const Family& report_family();
Result<Report> make_report(Session& session, std::string_view name, const TableShape& shape);

// The parts, one file each.
Result<Report> summary_report(Session& session, const TableShape& shape);
Result<Report> detailed_report(Session& session, const TableShape& shape);
Result<Report> op_type_report(Session& session, const TableShape& shape);
Result<Report> group_op_report(Session& session, const TableShape& shape);
Result<Report> tensor_core_report(Session& session, const TableShape& shape);
Result<Report> kernel_report(Session& session, const TableShape& shape);
Result<Report> kernel_name_report(Session& session, const TableShape& shape);
Result<Report> iteration_report(Session& session, const TableShape& shape);
Result<Report> range_report(Session& session, const TableShape& shape);
// Its table: one row for each name, longest own time first.
Result<ResultTable> range_list(Session& session, const TableShape& shape);
Result<Report> roofline_report(Session& session, const TableShape& shape);
Result<Report> expected_vs_measured_report(Session& session, const TableShape& shape);

// Parts of reports that are tables of their own. The first two are about chosen kernels (kernel_choice.h);
// `places`: with what a page needs of an instance, its evidence of Tensor Core use and where it is on the
// timeline.
Result<ResultTable> kernel_instances(Session& session, const TableShape& shape, bool places = false);
Result<ResultTable> kernel_sums(Session& session, const TableShape& shape);
Result<ResultTable> iteration_list(Session& session, const TableShape& shape);
Result<ResultTable> device_use(Session& session, const TableShape& shape);
Result<ResultTable> stream_use(Session& session, const TableShape& shape);
Result<ResultTable> diagnostic_list(Session& session, const TableShape& shape);

}  // namespace opsight::query
