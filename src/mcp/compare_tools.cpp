// What changed between two runs.
#include "mcp/answer.h"
#include "mcp/tool.h"
#include "query/compare/runs.h"

namespace opsight::mcp {
namespace {

constexpr int64_t kDefaultCompareRows = 10, kMostCompareRows = 200;

Result<std::string> compare(Desk& desk, const Arguments& arguments) {
    const Given& base = desk.run(arguments.text("base"));
    const Given& next = desk.run(arguments.text("new"));
    const auto read = [&](bool is_next, size_t, const query::RunChoice& choice) -> Result<query::Side> {
        const Given& run = is_next ? next : base;
        query::RangeOptions range = choice.whole ? query::RangeOptions{.whole = true} : range_of(arguments);
        range.warmup = choice.warmup;
        OPSIGHT_ASSIGN(query::Session session, desk.open(run, range));
        const Interruptible guard(desk, session);
        return query::read_side(session, run.name, choice.rank);
    };
    OPSIGHT_ASSIGN(const query::Comparison comparison, query::compare_runs(1, 1, read));
    query::TableShape shape;
    shape.limit = arguments.number("limit", kDefaultCompareRows);
    Answer answer;
    answer.json().field("base", base.name).field("new", next.name);
    answer.json().field("answer", query::verdict_text(comparison));
    answer.json().field("verdict", query::verdict_name(comparison.time.verdict));
    answer.report(query::comparison_report(comparison, shape));
    return answer.take();
}

}  // namespace

std::vector<Tool> compare_tools(const Files& files) {
    if (files.runs.size() < 2) return {};
    Tool tool{
        "compare",
        "Compare two runs",
        "What changed from one run to another, and whether it is more than noise: time of an iteration, "
        "where its time goes, layers, ops, kernels, settings, and what to know before believing it.",
        {run_parameter(files, "base", true), run_parameter(files, "new", true),
         limit_parameter(kDefaultCompareRows, kMostCompareRows)},
        compare};
    add_range(tool.parameters);
    return {tool};
}

}  // namespace opsight::mcp
