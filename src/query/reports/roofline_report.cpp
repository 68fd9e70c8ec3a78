// Reports about counted work: how near to what the device could do, and how near to what counters saw.
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
        OPSIGHT_ASSIGN(const duck::Rows known,
                       session.query("SELECT EXISTS (FROM raw.device_models WHERE device = -1)"));
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
    q.fields = {{{"kernel_name", "Kernel Name"}, "k.label", true},
                {{"op_name", "Op Name", Unit::kNone, 3}, "i.name"},
                {{"kernels", "Kernels", Unit::kCount, 6}, "x.spans", true},
                {{"time_ns", "Time (ns)", Unit::kNs}, "x.time_ns"},
                {{"expected_flops", "Expected FLOPs (1)", Unit::kFlops, 1}, "x.flops"},
                {{"measured_flops", "Measured FLOPs (1)", Unit::kFlops, 1}, "NULL::DOUBLE"},
                {{"flops_ratio", "Measured / Expected FLOPs", Unit::kNone, 4}, "NULL::DOUBLE"},
                {{"expected_bytes", "Expected Bytes (B)", Unit::kBytes, 2}, "x.bytes"},
                {{"measured_bytes", "Measured Bytes (B)", Unit::kBytes, 2}, "NULL::DOUBLE"},
                {{"bytes_ratio", "Measured / Expected Bytes", Unit::kNone, 5}, "NULL::DOUBLE"},
                {{"shapes", "Input Shapes", Unit::kNone, 7, Role::kShapes}, shapes_sql("i.shapes", shape)}};
    q.with = "WITH x AS (SELECT s.kernel, s.op, " + work_sums() + " FROM " + kWorkSource +
             " WHERE s.kernel >= 0 AND s.work >= 0 GROUP BY ALL) ";
    q.source = "x JOIN raw.kernel_names k ON k.id = x.kernel JOIN raw.op_identities i ON i.id = x.op";
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
