// Launch and execution of kernels: API time, queue time, kernel time.
#include "query/nsys/kernels.h"
#include "query/nsys/sql.h"

namespace opsight::query::nsys {
namespace {

Result<ResultTable> exec_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const duck::Statement rows, over_kernels(source, arguments, sql::cuda_kern_exec_sum));
    std::vector<Column> columns = {headed::id("PID"), headed::id("TID"), headed::id("DevId"),
                                   headed::count("Count"), headed::count("QCount")};
    // Of the total, the API, the queue and the kernel.
    for (const std::string header : {"T", "A", "Q", "K"}) {
        columns.push_back(headed::time(header + "Avg"));
        columns.push_back(headed::time(header + "Med"));
        columns.push_back(headed::time(header + "Min"));
        columns.push_back(headed::time(header + "Max"));
        columns.push_back(headed::time(header + "StdDev"));
    }
    columns.push_back(headed::text("API Name"));
    columns.push_back(headed::text("Kernel Name"));
    return table_of(source, std::move(columns), rows);
}

Result<ResultTable> exec_trace(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const duck::Statement rows, over_kernels(source, arguments, sql::cuda_kern_exec_trace));
    return table_of(source,
                    {headed::moment("API Start"), headed::time("API Dur"), headed::moment("Queue Start"),
                     headed::time("Queue Dur"), headed::moment("Kernel Start"), headed::time("Kernel Dur"),
                     headed::time("Total Dur"), headed::id("PID"), headed::id("TID"), headed::id("DevId"),
                     headed::text("API Function"), headed::text("GridXYZ"), headed::text("BlockXYZ"),
                     headed::text("Kernel Name")},
                    rows);
}

}  // namespace

std::vector<Report> kernel_execution_reports() {
    constexpr uint8_t kNames = kKernelName | kNvtxName;
    using enum Data;
    return {
        report("cuda_kern_exec_sum", "kernexecsum", "CUDA Kernel Launch & Exec Time Summary", kNames,
               {kApi, kKernels}, exec_sum,
               "Kernels by launching thread, device, function and name: total, API, queue and kernel time."),
        report("cuda_kern_exec_trace", "kernexectrace", "CUDA Kernel Launch & Exec Time Trace", kNames,
               {kApi, kKernels}, exec_trace, "Every launch with the kernel that it started.")};
}

}  // namespace opsight::query::nsys
