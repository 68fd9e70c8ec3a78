#include "query/nsys/stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "query/nsys/sql.h"
#include "query/session/cells.h"

namespace opsight::query::nsys {
namespace {

// The first is the name; the others are arguments.
std::vector<std::string_view> split_colons(std::string_view text) {
    std::vector<std::string_view> parts;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(':', at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

bool take_argument(std::string_view word, uint8_t takes, Arguments& arguments) {
    if ((takes & kKernelName) && (word == "base" || word == "mangled")) {
        arguments.kernel_name = word == "base" ? KernelName::kBase : KernelName::kMangled;
        return true;
    }
    if ((takes & kNvtxName) && word == "nvtx-name") {
        arguments.nvtx_name = true;
        return true;
    }
    if ((takes & kRows) && word.starts_with("rows=")) {
        word.remove_prefix(5);
        const auto read = std::from_chars(word.data(), word.data() + word.size(), arguments.rows);
        return read.ec == std::errc() && read.ptr == word.data() + word.size() && arguments.rows > 0;
    }
    return false;
}

}  // namespace

const Registry<Report>& reports() {
    static const Registry<Report> all(
        {"stats", "--report", "there is no report", "'opsight stats --help-reports' lists them", {}}, [] {
            std::vector<Report> list;
            for (auto&& family : {cuda_reports(), kernel_execution_reports(), nvtx_reports(),
                                  nvtx_gpu_reports(), host_reports(), unified_memory_reports()})
                list.insert(list.end(), family.begin(), family.end());
            std::sort(list.begin(), list.end(),
                      [](const Report& a, const Report& b) { return a.name < b.name; });
            return list;
        }());
    return all;
}

const std::vector<std::string_view>& default_reports() {
    static const std::vector<std::string_view> names = {"nvtx_sum",
                                                        "osrt_sum",
                                                        "cuda_api_sum",
                                                        "cuda_gpu_kern_sum",
                                                        "cuda_gpu_mem_time_sum",
                                                        "cuda_gpu_mem_size_sum",
                                                        "um_sum",
                                                        "um_total_sum",
                                                        "um_cpu_page_faults_sum"};
    return names;
}

Result<Request> parse_request(std::string_view text) {
    const std::vector<std::string_view> parts = split_colons(text);
    Request request;
    OPSIGHT_ASSIGN(request.report, reports().get(parts[0]));
    request.text = request.report->name;
    for (size_t i = 1; i < parts.size(); ++i) {
        if (!take_argument(parts[i], request.report->takes, request.arguments))
            return fail(Error{fmt::format("report {} takes no argument '{}'", request.report->name, parts[i]),
                              {},
                              {},
                              "its form is " + usage(*request.report),
                              2});
        request.text += ':';
        request.text += parts[i];
    }
    return request;
}

Result<std::string> left_out_note(Source& source) {
    OPSIGHT_ASSIGN(const duck::Rows rows, source.query(sql::whole_graphs));
    const auto number = [&](size_t column) { return integer(rows.rows.at(0)[column]); };
    if (number(0) == 0) return std::string();
    return fmt::format(
        "the reports leave out, as nsys does, {} launches of CUDA graphs ({} ns on devices) that were "
        "recorded as a "
        "whole: their kernels are not known; 'nsys profile --cuda-graph-trace=node' records them",
        number(0), number(1));
}

std::string usage(const Report& report) {
    std::string text(report.name);
    if (report.takes & kNvtxName) text += "[:nvtx-name]";
    if (report.takes & kKernelName) text += "[:base|:mangled]";
    if (report.takes & kRows) text += "[:rows=<limit>]";
    return text;
}

Result<std::string> missing_data(Source& source, const Report& report) {
    for (const Data need : report.needs) {
        OPSIGHT_ASSIGN(const bool there, source.has(need));
        if (!there) return fmt::format("{} data", data_name(need));
    }
    bool one = report.any_of.empty();
    for (const Data need : report.any_of) {
        if (one) break;
        OPSIGHT_ASSIGN(one, source.has(need));
    }
    return one ? std::string() : fmt::format("{} data", report.any_name);
}

Result<ResultTable> table_of(Source& source, std::vector<Column> columns, duck::Statement rows) {
    OPSIGHT_TRY(source.execute(sql::report_macros));
    OPSIGHT_ASSIGN(duck::Rows found, source.query(rows.set("offset_ns", source.shown_time(0))));
    return headed::table({}, std::move(columns), std::move(found.rows));
}

Result<ResultTable> summary(Source& source, std::string_view count_header,
                            const std::vector<std::string>& labels, const duck::Statement& rows) {
    std::vector<Column> columns = {
        headed::percent("Time (%)"), headed::time("Total Time"), headed::count(std::string(count_header)),
        headed::time("Avg"),         headed::time("Med"),        headed::time("Min"),
        headed::time("Max"),         headed::time("StdDev")};
    for (const std::string& label : labels)
        columns.push_back(headed::text(label));
    return table_of(source, std::move(columns), rows);
}

}  // namespace opsight::query::nsys
