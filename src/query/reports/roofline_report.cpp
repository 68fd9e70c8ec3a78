// Reports about counted work: how near to what the device could do, and how near to what counters saw.
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
        report.notes.push_back(std::get<bool>(known.rows.at(0)[0])
                                   ? "nothing ran on a device: times are self times of ops on the CPU; their "
                                     "bounds are estimates by "
                                     "the processor's facts"
                                   : "nothing ran on a device: times are self times of ops on the CPU; the "
                                     "source tells nothing of "
                                     "the processor, so no bound is known");
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

Result<Report> expected_vs_measured_report(Session& session, const TableShape& shape) {
    Report report{"expected_vs_measured", "Expected and Measured Work", {}, {}};
    Question q{"expected_vs_measured", "Expected and Measured Work"};
    q.columns = {of_device({"kernel_name", "Kernel Name"}),
                 {"op_name", "Op Name", Unit::kNone, 3},
                 of_device({"kernels", "Kernels", Unit::kCount, 6}),
                 {"time_ns", "Time (ns)", Unit::kNs},
                 {"expected_flops", "Expected FLOPs (1)", Unit::kFlops, 1},
                 {"measured_flops", "Measured FLOPs (1)", Unit::kFlops, 1},
                 {"flops_ratio", "Measured / Expected FLOPs", Unit::kNone, 4},
                 {"expected_bytes", "Expected Bytes (B)", Unit::kBytes, 2},
                 {"measured_bytes", "Measured Bytes (B)", Unit::kBytes, 2},
                 {"bytes_ratio", "Measured / Expected Bytes", Unit::kNone, 5},
                 {"shapes", "Input Shapes", Unit::kNone, 7, Role::kShapes}};
    q.rows = shaped(reports::sql::expected_vs_measured, shape);
    q.order = {{"time_ns", true}, {"kernel_name", false},   {"op_name", false},
               {"shapes", false}, {"expected_bytes", true}, {"expected_flops", true}};
    OPSIGHT_TRY(session.prepare_work());
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    report.sections.push_back({std::move(table)});
    report.notes.push_back(
        "the profile has no counters of FLOPs or memory traffic of its kernels: what was measured is not "
        "known");
    return report;
}

}  // namespace opsight::query
