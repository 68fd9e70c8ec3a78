// The reports on the CUDA API, kernels and memory operations.
#include "query/nsys/kernels.h"
#include "query/nsys/sql.h"
#include "query/session/range_projection.h"

namespace opsight::query::nsys {
namespace {

Result<ResultTable> api_sum(Source& source, const Arguments&) {
    return summary(source, "Num Calls", {"Name"}, sql::cuda_api_sum);
}

Result<ResultTable> kern_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const duck::Statement rows, over_kernels(source, arguments, sql::cuda_gpu_kern_sum));
    return summary(source, "Instances", {"Name"}, rows);
}

Result<ResultTable> kern_gb_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const duck::Statement rows, over_kernels(source, arguments, sql::cuda_gpu_kern_gb_sum));
    return summary(source, "Instances", {"GridXYZ", "BlockXYZ", "Name"}, rows);
}

Result<ResultTable> mem_time_sum(Source& source, const Arguments&) {
    return summary(source, "Count", {"Operation"}, sql::cuda_gpu_mem_time_sum);
}

Result<ResultTable> mem_size_sum(Source& source, const Arguments&) {
    return table_of(
        source,
        {headed::bytes("Total"), headed::count("Count"), headed::bytes("Avg"), headed::bytes("Med"),
         headed::bytes("Min"), headed::bytes("Max"), headed::bytes("StdDev"), headed::text("Operation")},
        sql::cuda_gpu_mem_size_sum);
}

Result<ResultTable> gpu_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const duck::Statement rows, over_kernels(source, arguments, sql::cuda_gpu_sum));
    return summary(source, "Instances", {"Category", "Operation"}, rows);
}

Result<ResultTable> api_gpu_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const duck::Statement rows, over_kernels(source, arguments, sql::cuda_api_gpu_sum));
    return summary(source, "Instances", {"Category", "Operation"}, rows);
}

Result<ResultTable> api_trace(Source& source, const Arguments&) {
    return table_of(source,
                    {headed::moment("Start"), headed::time("Duration"), headed::text("Name"),
                     headed::id("Result"), headed::id("CorrID"), headed::id("Pid"), headed::id("Tid"),
                     headed::count("T-Pri"), headed::text("Thread Name")},
                    sql::cuda_api_trace);
}

// The columns before "Start" and after "Duration" of kernels and of memory operations differ; all in one
// list.
std::vector<Column> gpu_trace_columns() {
    std::vector<Column> columns = {headed::moment("Start"), headed::time("Duration"), headed::id("CorrId")};
    for (const char* header : {"GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd"})
        columns.push_back(headed::count(header));
    const std::vector<Column> rest = {
        headed::bytes("StcSMem"),   headed::bytes("DymSMem"), headed::bytes("Bytes"),
        headed::rate("Throughput"), headed::text("SrcMemKd"), headed::text("DstMemKd"),
        headed::text("Device"),     headed::id("Ctx"),        headed::id("GreenCtx"),
        headed::id("Strm"),         headed::text("Name")};
    columns.insert(columns.end(), rest.begin(), rest.end());
    return columns;
}

Result<ResultTable> gpu_trace(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const duck::Statement rows, over_kernels(source, arguments, sql::cuda_gpu_trace));
    return table_of(source, gpu_trace_columns(), rows);
}

std::string_view form_of(KernelName name) {
    switch (name) {
        case KernelName::kFull:
            return "full";
        case KernelName::kBase:
            return "base";
        case KernelName::kMangled:
            return "mangled";
    }
    return {};
}

}  // namespace

Result<duck::Statement> over_kernels(Source& source, const Arguments& arguments, const duck::Sql& rows) {
    OPSIGHT_TRY(source.execute(sql::report_macros));
    if (arguments.nvtx_name) OPSIGHT_TRY(make_innermost_ranges(source));
    OPSIGHT_TRY(source.execute(arguments.nvtx_name ? sql::kernels_named_by_range : sql::named_kernels));
    OPSIGHT_TRY(source.execute(sql::kernel_launches));
    return duck::Statement(rows).set("kernel_name", std::string(form_of(arguments.kernel_name)));
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
