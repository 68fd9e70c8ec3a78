// Reports about counted work: how near to what the device could do, and how near to what counters saw.
#include <fmt/format.h>

#include "query/reports/device_use.h"
#include "query/reports/op_groups.h"
#include "query/reports/sql.h"
#include "query/reports/work.h"

namespace opsight::query {
namespace {

// A part of a report that is not what its rows are sorted by.
TableShape part_of(const TableShape& shape) {
    TableShape out = shape;
    out.sort.clear();
    return out;
}

}  // namespace

Result<Report> roofline_report(Session& session, const TableShape& shape) {
    Report report{"roofline", "Roofline", {}, {}};
    OPSIGHT_ASSIGN(ResultTable ops, roofline_ops(session, shape));
    report.notes = std::move(ops.notes);
    ops.notes.clear();
    report.sections.push_back({std::move(ops)});
    for (const auto make :
         {roofline_shapes, roofline_layers, roofline_kernels, uncounted_work, roofline_ceilings}) {
        OPSIGHT_ASSIGN(ResultTable table, make(session, part_of(shape)));
        table.notes.clear();
        if (!table.rows.empty() || !shape.for_people) report.sections.push_back({std::move(table)});
    }
    if (!session.contents().device_work) {
        OPSIGHT_ASSIGN(const duck::Rows known, session.query(reports::sql::processor_known));
        report.notes.push_back(
            fmt::format("{}: times are self times of ops on the CPU; {}", without_device_work(session),
                        std::get<bool>(known.rows.at(0)[0])
                            ? "their bounds are estimates by the processor's facts"
                            : "the source tells nothing of the processor, so no bound is known"));
    }
    report.notes.push_back(
        "bytes are the least that must move: each input and output once; efficiency is bound / time; the "
        "side of the "
        "ridge is what the bound is made of, the limiter what the measured time is near to");
    report.notes.push_back(
        "intensity counts the bytes of the memory: ceilings of the levels before it (memory L2, ...) tell "
        "only "
        "what data that stays there could reach");
    return report;
}

}  // namespace opsight::query
