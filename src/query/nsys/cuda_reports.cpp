// The reports on the CUDA API, kernels and memory operations.
#include <fmt/format.h>

#include "query/nsys/kernels.h"
#include "query/session/range_projection.h"

namespace opsight::query::nsys {
namespace {

constexpr const char* kApi =
    "SELECT a.dur_ns, n.text AS operation, 'CUDA_API' AS category FROM st_api a JOIN "
    "raw.strings n ON n.id = a.name";
constexpr const char* kMemops = "SELECT dur_ns, operation, 'MEMORY_OPER' AS category, bytes FROM st_memop";

std::string kernels_as_operations(const std::string& kernels) {
    return "SELECT dur_ns, kernel AS operation, 'CUDA_KERNEL' AS category FROM " + kernels;
}

Result<Table> api_sum(Source& source, const Arguments&) {
    return summary(source, "Num Calls", {{"Name", "operation"}}, fmt::format("({})", kApi));
}

Result<Table> kern_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const std::string kernels, named_kernels(source, arguments));
    return summary(source, "Instances", {{"Name", "kernel"}}, kernels);
}

Result<Table> kern_gb_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const std::string kernels, named_kernels(source, arguments));
    return summary(
        source, "Instances",
        {{"GridXYZ", dimensions_sql("grid")}, {"BlockXYZ", dimensions_sql("block")}, {"Name", "kernel"}},
        kernels + " k LEFT JOIN raw.launch_configs c ON c.id = k.config");
}

Result<Table> mem_time_sum(Source& source, const Arguments&) {
    return summary(source, "Count", {{"Operation", "operation"}}, fmt::format("({})", kMemops));
}

Result<Table> mem_size_sum(Source& source, const Arguments&) {
    return table_of(
        source,
        {{"Total", Kind::kMegabytes},
         {"Count", Kind::kInteger},
         {"Avg", Kind::kMegabytes},
         {"Med", Kind::kMegabytes},
         {"Min", Kind::kMegabytes},
         {"Max", Kind::kMegabytes},
         {"StdDev", Kind::kMegabytes},
         {"Operation", Kind::kText}},
        fmt::format("SELECT sum(bytes)::BIGINT AS total, count(*), avg(bytes), median(bytes)::DOUBLE, "
                    "min(bytes), max(bytes), coalesce(stddev_samp(bytes), 0), operation FROM ({}) "
                    "WHERE bytes >= 0 GROUP BY operation ORDER BY total DESC, operation",
                    kMemops));
}

Result<Table> operations_sum(Source& source, const std::string& parts) {
    return summary(source, "Instances", {{"Category", "category"}, {"Operation", "operation"}}, parts);
}

Result<Table> gpu_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const std::string kernels, named_kernels(source, arguments));
    return operations_sum(source, fmt::format("({} UNION ALL SELECT dur_ns, operation, category FROM ({}))",
                                              kernels_as_operations(kernels), kMemops));
}

Result<Table> api_gpu_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const std::string kernels, named_kernels(source, arguments));
    return operations_sum(
        source, fmt::format("({} UNION ALL SELECT dur_ns, operation, category FROM ({}) UNION ALL {})",
                            kernels_as_operations(kernels), kMemops, kApi));
}

Result<Table> api_trace(Source& source, const Arguments&) {
    return table_of(source,
                    {{"Start", Kind::kTime},
                     {"Duration", Kind::kTime},
                     {"Name", Kind::kText},
                     {"Result", Kind::kInteger},
                     {"CorrID", Kind::kInteger},
                     {"Pid", Kind::kInteger},
                     {"Tid", Kind::kInteger},
                     {"T-Pri", Kind::kInteger},
                     {"Thread Name", Kind::kText}},
                    fmt::format("SELECT {}, a.dur_ns, n.text, CASE WHEN a.result <> -1 THEN a.result END, "
                                "nullif(a.correlation, -1), t.pid, t.tid, "
                                "CASE WHEN t.priority > -2147483648 THEN t.priority END, nullif(t.name, '') "
                                "FROM st_api a JOIN raw.strings n ON n.id = a.name "
                                "JOIN raw.tracks t ON t.id = a.track ORDER BY a.begin_ns, a.id",
                                source.shown("a.begin_ns")));
}

// The columns before "Start" and after "Duration" of kernels and of memory operations differ; all in one
// list.
std::vector<Column> gpu_trace_columns() {
    std::vector<Column> columns = {
        {"Start", Kind::kTime}, {"Duration", Kind::kTime}, {"CorrId", Kind::kInteger}};
    for (const char* head : {"GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd"})
        columns.push_back({head, Kind::kInteger});
    const std::vector<Column> rest = {
        {"StcSMem", Kind::kMegabytes}, {"DymSMem", Kind::kMegabytes}, {"Bytes", Kind::kMegabytes},
        {"Throughput", Kind::kRate},   {"SrcMemKd", Kind::kText},     {"DstMemKd", Kind::kText},
        {"Device", Kind::kText},       {"Ctx", Kind::kInteger},       {"GreenCtx", Kind::kInteger},
        {"Strm", Kind::kInteger},      {"Name", Kind::kText}};
    columns.insert(columns.end(), rest.begin(), rest.end());
    return columns;
}

Result<Table> gpu_trace(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const std::string kernels, named_kernels(source, arguments));
    std::string config;
    for (const char* column : {"grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
                               "registers_per_thread", "static_shared_bytes", "dynamic_shared_bytes"})
        config += fmt::format("nullif(c.{}, -1), ", column);
    const std::string sql = fmt::format(
        "WITH work AS (SELECT rid, kernel, NULL AS from_kind, NULL AS to_kind FROM {0} UNION ALL "
        "SELECT rid, operation, from_kind, to_kind FROM st_memop) "
        "SELECT {1}, g.dur_ns, nullif(g.correlation, -1), {2} CASE WHEN g.bytes >= 0 THEN g.bytes END, "
        "CASE WHEN g.bytes >= 0 AND g.dur_ns > 0 THEN g.bytes * 1e9 / g.dur_ns END, w.from_kind, w.to_kind, "
        "CASE WHEN d.name = '' THEN 'GPU' ELSE d.name END || ' (' || d.number || ')', t.context, "
        "nullif(e.green_context, -1), t.stream, w.kernel FROM work w JOIN st_gpu g ON g.rid = w.rid "
        "JOIN raw.tracks t ON t.id = g.track LEFT JOIN raw.devices d ON d.id = t.device "
        "LEFT JOIN raw.launch_configs c ON c.id = g.config LEFT JOIN raw.device_extras e ON e.id = g.rid "
        "ORDER BY g.begin_ns, g.rid",
        kernels, source.shown("g.begin_ns"), config);
    return table_of(source, gpu_trace_columns(), sql);
}

}  // namespace

std::string dimensions_sql(std::string_view what) {
    return fmt::format(
        "CASE WHEN c.{0}_x >= 0 THEN format('{{:4d}} {{:4d}} {{:4d}}', c.{0}_x, c.{0}_y, c.{0}_z) END", what);
}

std::string kernel_name_sql(const Arguments& arguments) {
    if (arguments.kernel_name == KernelName::kBase) return "coalesce(nullif(k.base_name, ''), k.short_name)";
    if (arguments.kernel_name == KernelName::kMangled) return "coalesce(nullif(k.mangled_name, ''), k.name)";
    return "k.name";
}

Result<std::string> named_kernels(Source& source, const Arguments& arguments) {
    const std::string name = kernel_name_sql(arguments);
    if (!arguments.nvtx_name)
        return fmt::format(
            "(SELECT g.*, {} AS kernel FROM st_gpu g JOIN raw.kernel_names k ON k.id = g.name "
            "WHERE g.kind = 0)",
            name);
    OPSIGHT_TRY(make_innermost_ranges(source));
    return fmt::format(
        "(SELECT g.*, CASE WHEN l.text IS NULL THEN {0} ELSE l.text || '/' || {0} END AS kernel "
        "FROM st_gpu g JOIN raw.kernel_names k ON k.id = g.name "
        "LEFT JOIN st_innermost i ON i.rid = g.rid LEFT JOIN st_labels l ON l.id = i.label "
        "WHERE g.kind = 0)",
        name);
}

std::vector<Report> cuda_reports() {
    constexpr uint8_t kNames = kKernelName | kNvtxName;
    using enum Data;
    return {
        report("cuda_api_sum", "cudaapisum", "CUDA API Summary", kNone, {kApi}, api_sum,
               "Calls of the CUDA runtime and driver, by function."),
        report("cuda_api_trace", "cudaapitrace", "CUDA API Trace", kNone, {kApi}, api_trace,
               "Every call of the CUDA runtime and driver, in the order of time."),
        needing_any(report("cuda_api_gpu_sum", "apigpusum", "CUDA Summary (API/Kernels/MemOps)", kNames, {},
                           api_gpu_sum, "CUDA API calls, kernels and memory operations in one list."),
                    {kApi, kKernels, kMemory}, data_name(kApi)),
        report("cuda_gpu_kern_sum", "gpukernsum", "CUDA GPU Kernel Summary", kNames, {kKernels}, kern_sum,
               "Kernels by name."),
        report("cuda_gpu_kern_gb_sum", "gpukerngbsum", "CUDA GPU Kernel/Grid/Block Summary", kNames,
               {kKernels}, kern_gb_sum, "Kernels by name, grid and block."),
        report("cuda_gpu_mem_time_sum", "gpumemtimesum", "CUDA GPU MemOps Summary (by Time)", kNone,
               {kMemory}, mem_time_sum, "Copies and sets by what they do, with their times."),
        report("cuda_gpu_mem_size_sum", "gpumemsizesum", "CUDA GPU MemOps Summary (by Size)", kNone,
               {kMemory}, mem_size_sum, "Copies and sets by what they do, with their sizes."),
        needing_any(report("cuda_gpu_sum", "gpusum", "CUDA GPU Summary (Kernels/MemOps)", kNames, {}, gpu_sum,
                           "Kernels and memory operations in one list."),
                    {kKernels, kMemory}, data_name(kApi)),
        needing_any(report("cuda_gpu_trace", "gputrace", "CUDA GPU Trace", kNames, {}, gpu_trace,
                           "Every kernel and memory operation, in the order of time."),
                    {kKernels, kMemory}, data_name(kApi)),
    };
}

}  // namespace opsight::query::nsys
