// Layers under the microscope: what each parameter of a layer, op type or kernel is, and who says so.
#pragma once

#include "query/ask/question.h"
#include "query/ask/report.h"

namespace opsight::query {

// The report: layers, op types, kernels (ops where nothing ran on a device).
Result<Report> characterize_report(Session& session, const TableShape& shape);

// What a reader must know: whose counters these are, what was not counted, and why.
Result<std::vector<std::string>> characterize_notes(Session& session);

// Its tables, which are the viewer's too. Values are NULL where nothing tells them.
Result<ResultTable> characterize_layers(Session& session, const TableShape& shape);
Result<ResultTable> characterize_op_types(Session& session, const TableShape& shape);
Result<ResultTable> characterize_kernels(Session& session, const TableShape& shape);

}  // namespace opsight::query
