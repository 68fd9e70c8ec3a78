// opsight sql: a question of one's own.
#include <cstdio>

#include "cli/commands.h"
#include "cli/rows_output.h"
#include "query/ask/free_sql.h"
#include "report/render.h"

namespace opsight::cli {
namespace {

class SqlCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("sql", "Ask a profile file in SQL");
        sub->add_option("NAME", path_, "Profile file")->required();
        sub->add_option("SQL", sql_, "One statement; 'opsight schema' lists the views")->required();
        sub->add_option("--format", format_, "table, csv or json")->default_str("table");
        sub->add_flag_callback(
            "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
        sub->footer(
            "Examples:\n"
            "  opsight sql run.opsight \"SELECT name, sum(dur_ns) FROM ops GROUP BY 1 ORDER BY 2 DESC LIMIT "
            "5\"\n"
            "  opsight sql run.opsight \"FROM iterations\" --format csv\n");
        return sub;
    }
    Result<int> run() override {
        OPSIGHT_ASSIGN(const report::Format format, report::parse_format(format_));
        OPSIGHT_ASSIGN(const query::ResultTable table,
                       query::run_sql(path_, sql_, format != report::Format::kTable));
        OPSIGHT_TRY(print_rows(table, format));
        return 0;
    }

  private:
    std::string path_, sql_, format_ = "table";
};

}  // namespace

std::unique_ptr<Command> make_sql_command() {
    return std::make_unique<SqlCommand>();
}

}  // namespace opsight::cli
