// opsight schema: prints what is in a profile file; docs/SCHEMA.md is its output.
#include <cstdio>

#include "cli/commands.h"
#include "cli/standard_output.h"
#include "db/schema.h"

namespace opsight::cli {
namespace {

class SchemaCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("schema", "Describe the tables and views of a profile file");
        sub->add_flag("--markdown", markdown_, "Print the page docs/SCHEMA.md (the default)");
        sub->add_flag("--ddl", ddl_, "Print the SQL statements that make the tables and views");
        return sub;
    }
    Result<int> run() override {
        const std::string text =
            ddl_ ? db::create_tables_sql() + db::create_views_sql() : db::schema_markdown();
        OPSIGHT_TRY(print_text(text));
        return 0;
    }

  private:
    bool markdown_ = false, ddl_ = false;
};

}  // namespace

std::unique_ptr<Command> make_schema_command() {
    return std::make_unique<SchemaCommand>();
}

}  // namespace opsight::cli
