// Launch and execution of kernels: API time, queue time, kernel time.
#include <fmt/format.h>

#include "query/nsys/kernels.h"

namespace opsight::query::nsys {
namespace {

// A launch with the kernel that it started. The queue time runs from the end of the call to the begin of the
// kernel, where that is later; the total to the later of both ends.
Result<std::string> launches(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const std::string kernels, named_kernels(source, arguments));
    return fmt::format(
        "(SELECT a.begin_ns AS api_begin, a.dur_ns AS a, k.begin_ns AS kernel_begin, k.dur_ns AS k, "
        "CASE WHEN k.begin_ns > a.end_ns THEN a.end_ns END AS queue_begin, "
        "CASE WHEN k.begin_ns > a.end_ns THEN k.begin_ns - a.end_ns END AS q, "
        "greatest(a.end_ns, k.end_ns) - a.begin_ns AS t, h.pid, h.tid, d.number AS device, n.text AS api, "
        "k.kernel, k.config, k.rid FROM {} k JOIN st_api a ON a.id = k.launch "
        "JOIN raw.strings n ON n.id = a.name JOIN raw.tracks h ON h.id = a.track "
        "JOIN raw.tracks s ON s.id = k.track LEFT JOIN raw.devices d ON d.id = s.device)",
        kernels);
}

Result<Table> exec_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const std::string from, launches(source, arguments));
    std::vector<Column> columns = {{"PID", Kind::kInteger},
                                   {"TID", Kind::kInteger},
                                   {"DevId", Kind::kInteger},
                                   {"Count", Kind::kInteger},
                                   {"QCount", Kind::kInteger}};
    std::string numbers;
    for (const std::string phase : {"t", "a", "q", "k"}) {
        const std::string head(1, static_cast<char>(phase[0] - 'a' + 'A'));
        columns.push_back({head + "Avg", Kind::kMeanTime});
        columns.push_back({head + "Med", Kind::kMeanTime});
        columns.push_back({head + "Min", Kind::kTime});
        columns.push_back({head + "Max", Kind::kTime});
        columns.push_back({head + "StdDev", Kind::kMeanTime});
        numbers += fmt::format(
            ", avg({0}), median({0})::DOUBLE, min({0}), max({0}), CASE WHEN count({0}) > 0 THEN "
            "coalesce(stddev_samp({0}), 0) END",
            phase);
    }
    columns.push_back({"API Name", Kind::kText});
    columns.push_back({"Kernel Name", Kind::kText});
    return table_of(
        source, std::move(columns),
        fmt::format("SELECT pid, tid, device, count(*), count(q){}, api, kernel FROM {} "
                    "GROUP BY pid, tid, device, api, kernel ORDER BY avg(t) DESC, kernel, api, pid, "
                    "tid, device",
                    numbers, from));
}

Result<Table> exec_trace(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const std::string from, launches(source, arguments));
    return table_of(
        source,
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
        fmt::format("SELECT {}, a, {}, q, {}, k, t, pid, tid, device, api, {}, {}, kernel FROM {} x "
                    "LEFT JOIN raw.launch_configs c ON c.id = x.config ORDER BY x.kernel_begin, x.rid",
                    source.shown("api_begin"), source.shown("queue_begin"), source.shown("kernel_begin"),
                    dimensions_sql("grid"), dimensions_sql("block"), from));
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
