// opsight sql: questions of one's own.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/rows_output.h"
#include "cli/standard_output.h"
#include "cli/statements.h"
#include "query/ask/free_sql.h"
#include "report/render.h"

namespace opsight::cli {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;  // of one statement

// Statements of standard input, answered as they come. Somebody at a terminal goes on after an error.
class Conversation {
  public:
    Conversation(query::FreeSql sql, report::Format format) : sql_(std::move(sql)), format_(format) {}
    Status run() {
        std::array<char, 1 << 16> bytes{};
        while (true) {
            if (terminal_) print_note(cutter_.size() == 0 ? "opsight> " : "     ... ");
            const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
            if (got < 0 && errno == EINTR) continue;
            if (got < 0)
                return fail(std::string("cannot be read: ") + std::strerror(errno), "standard input");
            if (got == 0) break;
            OPSIGHT_TRY(take({bytes.data(), static_cast<size_t>(got)}));
        }
        if (terminal_) print_note("\n");
        std::string last;
        return cutter_.take_rest(last) ? answer(last) : Status();
    }

  private:
    Status take(std::string_view text) {
        cutter_.add(text);
        std::string statement;
        while (cutter_.take(statement))
            OPSIGHT_TRY(answer(statement));
        if (cutter_.size() > kMostBytes)
            return fail("a statement has more than 64 MB", "standard input", {}, "end each with a semicolon");
        return {};
    }
    Status answer(const std::string& statement) {
        if (!says_something(statement)) return {};
        ++asked_;
        Status printed = print(statement);
        if (printed) return finish_output();
        Error error = std::move(printed).error();
        if (error.place.empty()) error.place = "statement " + std::to_string(asked_);
        if (!terminal_) return fail(std::move(error));
        print_note("opsight: " + error.message() + "\n");
        return finish_output();
    }
    Status print(const std::string& statement) {
        OPSIGHT_ASSIGN(const query::ResultTable table,
                       sql_.ask(statement, format_ != report::Format::kTable));
        OPSIGHT_TRY(print_rows(table, format_));
        return print_text("\n");
    }

    query::FreeSql sql_;
    report::Format format_;
    StatementCutter cutter_;
    int64_t asked_ = 0;
    const bool terminal_ = ::isatty(STDIN_FILENO) == 1;
};

class SqlCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("sql", "Ask a profile in SQL");
        sub->add_option("NAME", path_, "A profile file, or a trace")->required();
        statement_ = sub->add_option(
            "SQL", sql_,
            "One statement; 'opsight schema' lists the views. Without it, statements are read from "
            "standard input, each ended by a semicolon, and answered as they come; an empty line "
            "ends each answer");
        sub->add_option("--format", format_, "table, csv or json")->default_str("table");
        sub->add_flag_callback(
            "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
        sub->footer(
            "Examples:\n"
            "  opsight sql run.opsight \"SELECT name, sum(dur_ns) FROM ops GROUP BY 1 ORDER BY 2 DESC LIMIT "
            "5\"\n"
            "  opsight sql run.opsight \"FROM iterations\" --format csv\n"
            "  opsight sql run.opsight < questions.sql\n"
            "  opsight sql run.opsight            ask one after the other; Ctrl-D ends\n");
        return sub;
    }
    Result<int> run() override {
        OPSIGHT_ASSIGN(const report::Format format, report::parse_format(format_));
        const bool given = statement_->count() > 0;
        if (given && !says_something(sql_))
            return fail(Error{"the statement is empty",
                              {},
                              {},
                              "give one, such as \"FROM iterations\", or none to be asked for them",
                              2});
        OPSIGHT_ASSIGN(const AnyProfile profile, AnyProfile::open(path_, format == report::Format::kJson));
        OPSIGHT_ASSIGN(query::FreeSql sql, query::FreeSql::open(profile.path(), path_));
        if (!given) {
            OPSIGHT_TRY(Conversation(std::move(sql), format).run());
            return 0;
        }
        OPSIGHT_ASSIGN(const query::ResultTable table, sql.ask(sql_, format != report::Format::kTable));
        OPSIGHT_TRY(print_rows(table, format));
        return 0;
    }

  private:
    std::string path_, sql_, format_ = "table";
    CLI::Option* statement_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_sql_command() {
    return std::make_unique<SqlCommand>();
}

}  // namespace opsight::cli
