// The report of expected and measured work: by kernel, op and layer.
#include <fmt/format.h>

#include "query/reports/device_words.h"
#include "query/reports/op_groups.h"
#include "query/reports/source_reports.h"
#include "query/reports/sql.h"
#include "query/reports/work.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

constexpr const char* kNoCounters =
    "the profile has no counters of its kernels, so what they did in fact is not known";
constexpr const char* kCountersAlone =
    "the profile has counters of kernels and not the ops that they ran for: the reports counters and "
    "characterize have them, and imported with --counters beside a trace of the run they stand beside what "
    "its ops must do";
// Of NVIDIA's kernels.
constexpr const char* kHowToCount =
    "; record them with 'ncu --metrics gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,"
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum,smsp__sass_thread_inst_executed_op_fmul_pred_on.sum,"
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum,smsp__sass_thread_inst_executed_op_hadd_pred_on.sum,"
    "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum,smsp__sass_thread_inst_executed_op_hfma_pred_on.sum,"
    "sm__inst_executed_pipe_tensor.sum --csv --page raw --log-file ncu.csv python3 train.py', and import the "
    "trace again with --counters ncu.csv";

std::vector<Column> amounts() {
    return {of_device({"kernels", "Kernels", Unit::kCount, 6}),
            of_device({"measured_kernels", "Kernels Measured", Unit::kCount, 5}),
            {"time_ns", "Time (ns)", Unit::kNs},
            {"expected_flops", "Expected FLOPs (1)", Unit::kFlops},
            {"measured_flops", "Measured FLOPs (1)", Unit::kFlops},
            {"flops_ratio", "Measured / Expected FLOPs", Unit::kNone, 1, Role::kNumber},
            {"expected_bytes", "Expected Bytes (B)", Unit::kBytes, 2},
            {"measured_bytes", "Measured Bytes (B)", Unit::kBytes, 2},
            {"bytes_ratio", "Measured / Expected Bytes", Unit::kNone, 2, Role::kNumber},
            {"why", "Explains the Ratio", Unit::kNone, 4}};
}

struct Part {
    const char *by, *name, *title;
    std::vector<Column> first;
    bool shapes;
};

Result<ResultTable> table_of(Session& session, const TableShape& shape, const Part& part, bool has_counters) {
    Question q{part.name, part.title};
    q.columns = part.first;
    append(q.columns, amounts());
    if (part.shapes) q.columns.push_back({"shapes", "Input Shapes", Unit::kNone, 7, Role::kShapes});
    q.rows = shaped(sql::expected_vs_measured, shape).set("by", part.by).set("has_counters", has_counters);
    q.order = {{"time_ns", true}, {"expected_flops", true}, {"expected_bytes", true}};
    for (const Column& column : part.first)
        q.order.emplace_back(column.key, false);
    // Of ops that are alike but for these.
    for (const char* key : {"layer", "kernels", "shapes"})
        q.order.emplace_back(key, false);
    return ask(session, q, shape);
}

}  // namespace

Result<Report> expected_vs_measured_report(Session& session, const TableShape& shape) {
    Report report{"expected_vs_measured", "Expected and Measured Work", {}, {}};
    OPSIGHT_ASSIGN(const duck::Rows joined, session.query(sql::joined_counters));
    const auto* coverage = std::get_if<std::string>(&joined.rows.at(0)[0]);
    OPSIGHT_TRY(session.execute(sql::measured_kernels));
    const Column kernel = of_device({"kernel_name", "Kernel Name"}),
                 op = {"op_name", "Op Name", Unit::kNone, 3}, layer = {"layer", "Layer"};
    const Part parts[] = {
        {"kernel", "expected_vs_measured", "Expected and Measured Work", {kernel, op}, true},
        {"op",
         "expected_vs_measured_ops",
         "By Op",
         {{"op_name", "Op Name"}, {"layer", "Layer", Unit::kNone, 3}},
         true},
        {"layer", "expected_vs_measured_layers", "By Layer", {layer}, false}};
    for (const Part& part : parts) {
        TableShape own = shape;
        if (&part != &parts[0]) own.sort.clear();
        OPSIGHT_ASSIGN(ResultTable table, table_of(session, own, part, coverage != nullptr));
        if (&part != &parts[0] && table.rows.empty() && shape.for_people) continue;
        report.sections.push_back({std::move(table)});
    }
    if (coverage) {
        report.notes.push_back("counters: " + *coverage);
        report.notes.push_back(
            "counters were measured in a run of their own; expected FLOPs and bytes are those of the kernels "
            "that were measured");
    } else {
        OPSIGHT_ASSIGN(const DeviceWords words, device_words(session));
        OPSIGHT_ASSIGN(const bool counted, is_recorded(session, "counters"));
        report.notes.push_back(counted && !session.contents().ops
                                   ? kCountersAlone
                                   : std::string(kNoCounters) + (words == DeviceWords() ? kHowToCount : ""));
    }
    return report;
}

}  // namespace opsight::query
