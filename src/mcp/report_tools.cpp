// What a run took, what to change, and the tables of ops, kernels and layers.
#include <fmt/format.h>

#include "advise/advise.h"
#include "mcp/answer.h"
#include "mcp/tool.h"
#include "query/reports/info.h"
#include "query/tables/tables.h"
#include "report/json_parts.h"
#include "report/render_advice.h"

namespace opsight::mcp {
namespace {

constexpr int64_t kDefaultReportRows = 20, kMostReportRows = 200;

void put_info(Answer& answer, const query::Info& info) {
    JsonWriter& json = answer.json();
    json.field("producer", info.producer).field("frameworks", info.frameworks);
    json.field("begin_ns", info.begin_ns).field("end_ns", info.end_ns);
    json.field("device_work_recorded", info.device_work);
    report::put_range(json.key("iterations"), info.iterations);
    answer.table("ranks", info.ranks);
    answer.table("devices", info.devices);
    answer.table("counts", info.counts);
    answer.table("diagnostics", info.diagnostics);
}

Result<std::string> summary(Desk& desk, const Arguments& arguments) {
    const Given& run = desk.run(arguments.text("run"));
    OPSIGHT_ASSIGN(query::Session session, desk.open(run, range_of(arguments)));
    const Interruptible guard(desk, session);
    OPSIGHT_ASSIGN(const query::Info info, query::profile_info(session));
    query::TableShape shape;
    shape.limit = kDefaultReportRows;
    OPSIGHT_ASSIGN(const query::Report report, query::make_report(session, "summary", shape));
    Answer answer;
    answer.json().field("run", run.name);
    answer.json().key("report").begin_object();
    answer.report(report);
    answer.json().end_object().key("profile").begin_object();
    put_info(answer, info);
    answer.json().end_object();
    return answer.take();
}

std::string finding_text(const advise::Finding& finding) {
    JsonWriter json;
    json.object([&] { report::put_finding(json, finding); });
    return json.take();
}

Result<std::string> findings(Desk& desk, const Arguments& arguments) {
    const Given& run = desk.run(arguments.text("run"));
    OPSIGHT_ASSIGN(query::Session session, desk.open(run, range_of(arguments)));
    const Interruptible guard(desk, session);
    OPSIGHT_ASSIGN(const advise::Advice advice, advise::advise(session));
    const auto most = static_cast<size_t>(arguments.number("limit", kDefaultReportRows));
    Answer answer;
    JsonWriter& json = answer.json();
    json.field("run", run.name).field("iterations", advice.iterations).field("wall_ns", advice.wall_ns);
    if (advice.combined)
        json.object("all_together_at_most", [&] {
            json.field("ns", advice.combined->ns).field("pct", advice.combined->pct);
            json.field("formula", advice.combined->formula);
        });
    size_t put = 0;
    json.list("findings", [&] {
        while (put < std::min(most, advice.findings.size()) &&
               answer.item(finding_text(advice.findings[put])))
            ++put;
    });
    if (put < advice.findings.size()) json.field("findings_left_out", advice.findings.size() - put);
    json.list("not_checked", [&] {
        for (const advise::NotChecked& each : advice.not_checked)
            json.object([&] { json.field("rule", each.rule).field("why", each.why); });
    });
    return answer.take();
}

// What `top` lists, and the table that it is.
struct Listed {
    std::string_view what, table;
};
constexpr Listed kListed[] = {
    {"op_types", "op_type"},      {"ops", "detailed"},
    {"kernels", "kernel_name"},   {"op_kernels", "kernel"},
    {"layers", "group_op"},       {"ranges", "ranges"},
    {"iterations", "iterations"}, {"devices", "devices"},
    {"copies", "copies"},         {"calls", "api"},
    {"roofline", "roofline"},     {"collectives", "collectives"},
};

Result<std::string> top(Desk& desk, const Arguments& arguments) {
    const Given& run = desk.run(arguments.text("run"));
    const std::string what = arguments.text("of");
    std::string_view name;
    for (const Listed& each : kListed)
        if (each.what == what) name = each.table;
    query::TableShape shape;
    shape.sort = arguments.text("sort");
    shape.page.emplace();
    shape.page->size = arguments.number("limit", kDefaultReportRows);
    shape.page->search = arguments.text("search");
    OPSIGHT_ASSIGN(query::Session session, desk.open(run, range_of(arguments)));
    const Interruptible guard(desk, session);
    OPSIGHT_ASSIGN(const query::ResultTable table, query::make_table(session, name, {}, shape));
    const auto shown = arguments.flag("all_columns") ? std::vector<std::string_view>() : table.shown;
    Answer answer;
    answer.json().field("run", run.name);
    report::put_range(answer.json().key("iterations"), session.range());
    answer.table(what, table, shown);
    if (!table.notes.empty()) answer.json().field("notes", table.notes);
    if (arguments.flag("explain")) answer.meanings(table, shown);
    return answer.take();
}

Tool top_tool(const Files& files) {
    Tool tool{"top",
              "What takes most",
              "Rows of a table of the run, those that take most first: times in nanoseconds, shares in "
              "percent. null is what the recording does not tell.",
              {run_parameter(files)},
              top};
    Parameter of{"of", "What to list", Parameter::Kind::kText, true};
    for (const Listed& each : kListed)
        of.choices.emplace_back(each.what);
    tool.parameters.push_back(std::move(of));
    tool.parameters.push_back({"sort", "Key of the column to sort by; ':asc' or ':desc' may follow"});
    tool.parameters.push_back({"search", "Only rows with this text in a column, whatever its case"});
    tool.parameters.push_back(limit_parameter(kDefaultReportRows, kMostReportRows));
    tool.parameters.push_back(
        {"all_columns", "Also the columns that few readers want", Parameter::Kind::kYesNo});
    tool.parameters.push_back({"explain", "Say what the columns mean", Parameter::Kind::kYesNo});
    add_range(tool.parameters);
    return tool;
}

}  // namespace

std::vector<Tool> report_tools(const Files& files) {
    std::vector<Tool> tools = {
        {"summary",
         "Summary of a run",
         "What was recorded and what the run took: wall clock, shares of the time, use of the devices, "
         "what the import could not use. Ask this first.",
         {run_parameter(files)},
         summary},
        {"findings",
         "What to change",
         "Findings of the rules of advice, the largest first: a sentence with its number, the most that "
         "following it can save, how sure it is, what to change, SQL that lists the evidence; and the rules "
         "that could not be checked, with the reason.",
         {run_parameter(files), limit_parameter(kDefaultReportRows, kMostReportRows)},
         findings},
    };
    for (Tool& each : tools)
        add_range(each.parameters);
    tools.push_back(top_tool(files));
    return tools;
}

}  // namespace opsight::mcp
