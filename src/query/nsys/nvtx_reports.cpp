// NVTX ranges on the host.
#include <algorithm>

#include "query/nsys/sql.h"
#include "query/nsys/stats.h"
#include "query/session/range_projection.h"

namespace opsight::query::nsys {
namespace {

Result<ResultTable> nvtx_sum(Source& source, const Arguments&) {
    return summary(source, "Instances", {"Style", "Range"}, sql::nvtx_sum);
}

Result<ResultTable> style_sum(Source& source, std::string style) {
    return summary(source, "Instances", {"Range"},
                   duck::Statement(sql::nvtx_style_sum).set("style", std::move(style)));
}

Result<ResultTable> pushpop_sum(Source& source, const Arguments&) {
    return style_sum(source, "push_pop");
}

Result<ResultTable> startend_sum(Source& source, const Arguments&) {
    return style_sum(source, "start_end");
}

std::vector<Column> pushpop_trace_columns() {
    return {headed::moment("Start"),    headed::moment("End"),       headed::time("Duration"),
            headed::time("DurChild"),   headed::time("DurNonChild"), headed::text("Name"),
            headed::id("PID"),          headed::id("TID"),           headed::count("Lvl"),
            headed::count("NumChild"),  headed::id("RangeId"),       headed::id("ParentId"),
            headed::text("RangeStack"), headed::text("NameTree")};
}

Result<ResultTable> pushpop_trace(Source& source, const Arguments&) {
    OPSIGHT_ASSIGN(const Ranges ranges, load_ranges(source.connection()));
    OPSIGHT_ASSIGN(const RangeNames names, load_range_names(source.connection()));
    const Nesting nesting = nesting_of(ranges);
    const std::vector<int64_t> in_children = time_in_children(ranges, nesting);
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < ranges.size(); ++i)
        if (ranges.style[i] == 0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return ranges.begin[a] < ranges.begin[b]; });
    ResultTable table;
    table.columns = pushpop_trace_columns();
    table.rows.reserve(order.size());
    for (const uint32_t i : order) {
        const int64_t dur = ranges.end[i] - ranges.begin[i];
        const auto track = static_cast<size_t>(ranges.track[i]);
        const std::string& name = names.label(ranges.label[i]);
        const uint32_t parent = nesting.parent[i];
        table.rows.push_back({source.shown_time(ranges.begin[i]), source.shown_time(ranges.end[i]), dur,
                              in_children[i], dur - in_children[i], name, names.pid[track], names.tid[track],
                              int64_t{nesting.level[i]}, int64_t{nesting.children[i]}, int64_t{ranges.id[i]},
                              parent == Nesting::kNoParent ? Cell() : Cell(int64_t{ranges.id[parent]}),
                              stack_text(ranges, nesting, i),
                              std::string(2 * static_cast<size_t>(nesting.level[i]), '-') + name});
    }
    return table;
}

}  // namespace

std::vector<Report> nvtx_reports() {
    using enum Data;
    return {report("nvtx_sum", "nvtxsum", "NVTX Range Summary", kNone, {kNvtx}, nvtx_sum,
                   "NVTX ranges by style and name."),
            report("nvtx_pushpop_sum", "nvtxppsum", "NVTX Push/Pop Range Summary", kNone, {kNvtx},
                   pushpop_sum, "NVTX push/pop ranges by name."),
            report("nvtx_pushpop_trace", "nvtxpptrace", "NVTX Push/Pop Range Trace", kNone, {kNvtx},
                   pushpop_trace, "Every NVTX push/pop range with its place in the stack of its thread."),
            report("nvtx_startend_sum", "nvtxsesum nvtxsssum", "NVTX Start/End Range Summary", kNone, {kNvtx},
                   startend_sum, "NVTX start/end ranges by name.")};
}

}  // namespace opsight::query::nsys
