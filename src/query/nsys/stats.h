// The reports that users of `nsys stats` script against: same names, arguments and columns, on a profile of
// any origin. docs/STATS.md defines each of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/ask/headed.h"
#include "query/ask/registry.h"
#include "query/session/event_source.h"

namespace opsight::query::nsys {

enum class KernelName : uint8_t { kFull, kBase, kMangled };

struct Arguments {
    bool nvtx_name = false;
    KernelName kernel_name = KernelName::kFull;
    int64_t rows = 10;
};

// Which arguments a report takes.
enum Takes : uint8_t { kNone = 0, kKernelName = 1, kNvtxName = 2, kRows = 4 };

struct Report : ReportInfo {
    uint8_t takes = kNone;
    std::vector<Data> needs;    // all of these; the first that is missing is named
    std::vector<Data> any_of;   // and, where not empty, one of these
    std::string_view any_name;  // what is missing where none of `any_of` is there
    Result<ResultTable> (*make)(Source&, const Arguments&) = nullptr;
};

// A report that needs `needs`; those that need any of several set that themselves.
inline Report report(std::string_view name, std::string_view old_names, std::string_view title, uint8_t takes,
                     std::vector<Data> needs, decltype(Report::make) make, std::string_view doc) {
    return {{name, doc, title, old_names}, takes, std::move(needs), {}, {}, make};
}
inline Report needing_any(Report report, std::vector<Data> any_of, std::string_view any_name) {
    report.any_of = std::move(any_of);
    report.any_name = any_name;
    return report;
}

const Registry<Report>& reports();
const std::vector<std::string_view>& default_reports();

// One wanted report: "cuda_gpu_kern_sum:base".
struct Request {
    const Report* report = nullptr;
    Arguments arguments;
    std::string text;  // current name and arguments, "cuda_gpu_kern_sum:base"
};
Result<Request> parse_request(std::string_view text);

// "CUDA kernel data" where the profile lacks what the report needs; else empty.
Result<std::string> missing_data(Source& source, const Report& report);

// What device work the profile holds that these reports, like those of nsys, have no row for: CUDA graphs
// that were recorded as a whole. Empty where there is none.
Result<std::string> left_out_note(Source& source);

// "name[:nvtx-name][:base|:mangled]"
std::string usage(const Report& report);

// The families, one file each.
std::vector<Report> cuda_reports();
std::vector<Report> kernel_execution_reports();
std::vector<Report> nvtx_reports();
std::vector<Report> nvtx_gpu_reports();
std::vector<Report> host_reports();
std::vector<Report> unified_memory_reports();

// The rows of a statement, whose columns come in the order of `columns`. It may read the macros of
// sql/report_macros.sql, and $offset_ns, which makes a time of the profile one as reports print it.
Result<ResultTable> table_of(Source& source, std::vector<Column> columns, duck::Statement rows);

// "Time (%), Total Time, COUNT, Avg, Med, Min, Max, StdDev" and then `labels`: of a statement over summed().
Result<ResultTable> summary(Source& source, std::string_view count_header,
                            const std::vector<std::string>& labels, const duck::Statement& rows);

}  // namespace opsight::query::nsys
