#include "query/reports/reports.h"

#include <fmt/format.h>

#include "query/reports/source_reports.h"

namespace opsight::query {
namespace {

using Maker = Result<Report> (*)(Session&, const TableShape&);
constexpr std::pair<std::string_view, Maker> kMakers[] = {
    {"summary", summary_report},
    {"detailed", detailed_report},
    {"iteration", iteration_report},
    {"kernel", kernel_report},
    {"kernel_name", kernel_name_report},
    {"tensor_core", tensor_core_report},
    {"op_type", op_type_report},
    {"group_op", group_op_report},
    {"ranges", range_report},
    {"roofline", roofline_report},
    {"expected_vs_measured", expected_vs_measured_report},
    {"api", api_report},
    {"copies", copy_report},
    {"unified_memory", unified_memory_report},
    {"os_runtime", os_call_report},
    {"file_access", file_report},
    {"libraries", library_report},
    {"messages", message_report},
    {"counters", counter_report},
    {"cpu_samples", sample_report},
    {"scheduling", scheduling_report},
};

}  // namespace

const std::vector<std::string_view>& report_names() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> list;
        for (const auto& [name, maker] : kMakers)
            list.push_back(name);
        return list;
    }();
    return names;
}

Result<Report> make_report(Session& session, std::string_view name, const TableShape& shape) {
    std::string known;
    for (const auto& [each, maker] : kMakers) {
        if (each == name) return maker(session, shape);
        known += (known.empty() ? "" : ", ") + std::string(each);
    }
    return fail(Error{
        fmt::format("there is no report '{}'", name), {}, {}, "the reports are " + known + " and all", 2});
}

}  // namespace opsight::query
