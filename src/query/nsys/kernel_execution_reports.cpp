// Launch and execution of kernels: API time, queue time, kernel time.
#include "query/nsys/kernels.h"
#include "query/nsys/sql.h"

namespace opsight::query::nsys {
namespace {

Result<Table> exec_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const duck::Statement rows, over_kernels(source, arguments, sql::cuda_kern_exec_sum));
    std::vector<Column> columns = {{"PID", Kind::kInteger},
                                   {"TID", Kind::kInteger},
                                   {"DevId", Kind::kInteger},
                                   {"Count", Kind::kInteger},
                                   {"QCount", Kind::kInteger}};
    // Of the total, the API, the queue and the kernel.
    for (const std::string head : {"T", "A", "Q", "K"}) {
        columns.push_back({head + "Avg", Kind::kMeanTime});
        columns.push_back({head + "Med", Kind::kMeanTime});
        columns.push_back({head + "Min", Kind::kTime});
        columns.push_back({head + "Max", Kind::kTime});
        columns.push_back({head + "StdDev", Kind::kMeanTime});
    }
    columns.push_back({"API Name", Kind::kText});
    columns.push_back({"Kernel Name", Kind::kText});
    return table_of(source, std::move(columns), rows);
}

Result<Table> exec_trace(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const duck::Statement rows, over_kernels(source, arguments, sql::cuda_kern_exec_trace));
    return table_of(source,
                    {{"API Start", Kind::kTime},
                     {"API Dur", Kind::kTime},
                     {"Queue Start", Kind::kTime},
                     {"Queue Dur", Kind::kTime},
                     {"Kernel Start", Kind::kTime},
                     {"Kernel Dur", Kind::kTime},
                     {"Total Dur", Kind::kTime},
                     {"PID", Kind::kInteger},
                     {"TID", Kind::kInteger},
                     {"DevId", Kind::kInteger},
                     {"API Function", Kind::kText},
                     {"GridXYZ", Kind::kText},
                     {"BlockXYZ", Kind::kText},
                     {"Kernel Name", Kind::kText}},
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
