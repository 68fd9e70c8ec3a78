// Questions of the client's own, in SQL, in the same locked session as `opsight sql`.
#include <fmt/format.h>

#include "db/schema.h"
#include "mcp/answer.h"
#include "mcp/tool.h"
#include "query/ask/free_sql.h"

namespace opsight::mcp {
namespace {

constexpr int64_t kDefaultSqlRows = 100, kMostSqlRows = 1000;

Result<std::string> sql(Desk& desk, const Arguments& arguments) {
    const Given& run = desk.run(arguments.text("run"));
    const auto most = static_cast<size_t>(arguments.number("limit", kDefaultSqlRows));
    OPSIGHT_ASSIGN(db::OpenProfile profile, db::open_profile(run.path));
    const Interruptible guard(desk, profile.connection);
    OPSIGHT_ASSIGN(const query::FirstRows found,
                   query::first_rows(profile, run.name, arguments.text("query"), most));
    Answer answer;
    answer.json().field("run", run.name);
    answer.table("rows", found.table);
    if (found.more) answer.json().field("more_rows", "there are more: aggregate, or raise 'limit'");
    return answer.take();
}

void put_view(JsonWriter& json, const db::View& view, bool columns) {
    json.field("name", view.name).field("about", view.doc);
    if (!columns) return;
    json.list("columns", [&] {
        for (const db::Column& column : view.columns)
            json.object([&] {
                json.field("name", column.name).field("type", duck::type_name(column.type));
                if (!column.unit.empty()) json.field("unit", column.unit);
                json.field("about", column.doc);
            });
    });
}

Result<std::string> schema(Desk&, const Arguments& arguments) {
    const std::string wanted = arguments.text("view");
    Answer answer;
    JsonWriter& json = answer.json();
    json.list("views", [&] {
        for (const db::View& view : db::views())
            if (wanted.empty() || wanted == view.name)
                json.object([&] { put_view(json, view, !wanted.empty()); });
    });
    return answer.take();
}

}  // namespace

std::vector<Tool> sql_tools(const Files& files) {
    Parameter view{"view", "One view, with its columns; without it: all views, without"};
    for (const db::View& each : db::views())
        view.choices.emplace_back(each.name);
    return {{"schema",
             "What SQL can ask",
             "The views of a run's database that 'sql' can ask, and what the columns of one mean. Times are "
             "nanoseconds from the begin of the run.",
             {std::move(view)},
             schema},
            {"sql",
             "Ask in SQL",
             "One statement of DuckDB's SQL over the views of the run ('schema' lists them); it reads, and "
             "reaches no other file. Aggregate rather than list.",
             {run_parameter(files),
              {"query", "The statement", Parameter::Kind::kText, true},
              limit_parameter(kDefaultSqlRows, kMostSqlRows)},
             sql}};
}

}  // namespace opsight::mcp
