// opsight fleet: a store of runs, into which facts of profiles are pushed, and questions over all of them.
#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "base/json_writer.h"
#include "cli/any_profile.h"
#include "cli/commands.h"
#include "cli/fleet_schema.h"
#include "cli/noting_store.h"
#include "cli/range_flags.h"
#include "cli/rows_output.h"
#include "cli/standard_output.h"
#include "cli/table_output.h"
#include "fleet/facts/facts.h"
#include "fleet/questions/comparing.h"
#include "fleet/questions/reports.h"
#include "fleet/stores/open.h"
#include "import/all_readers.h"
#include "query/ask/free_sql.h"
#include "report/render.h"
#include "report/render_comparison.h"
#include "report/render_report.h"
#include "report/write_rows.h"

namespace opsight::cli {
namespace {

constexpr int64_t kRowsOfSql = 10'000'000;

std::string list_of_reports() {
    std::string list = "Reports:\n";
    for (const query::ReportInfo& report : fleet::report_family().members)
        list += fmt::format("  {:<13}{}\n", report.name, report.description);
    return list;
}

class FleetCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub =
            app.add_subcommand("fleet", "Keep the facts of many runs in a store, and ask over all of them");
        sub->require_subcommand(1);
        declare_push(*sub);
        declare_questions(*sub);
        schema_ = sub->add_subcommand("schema", "Describe the tables of a store, as docs/FLEET.md has them");
        sub->footer(
            "A store is a folder; 'fleet push' makes it. docs/FLEET.md has the tables and the rules.\n\n" +
            list_of_reports() +
            "\nExamples:\n"
            "  opsight fleet push run.opsight --to /data/fleet --label model=gpt --label gpu_hours=1200\n"
            "  opsight fleet list /data/fleet --label model=gpt\n"
            "  opsight fleet report /data/fleet --report ranks\n"
            "  opsight fleet report /data/fleet --report labels --by model --format csv\n"
            "  opsight fleet compare /data/fleet --base commit=1f3c --new commit=88ab\n"
            "  opsight fleet trend /data/fleet --label model=gpt\n"
            "  opsight fleet sql /data/fleet \"SELECT host, count(*) FROM ranks GROUP BY host\"\n");
        return sub;
    }

    Result<int> run() override {
        if (schema_->parsed()) {
            OPSIGHT_TRY(print_text(fleet_schema_markdown()));
            return 0;
        }
        if (push_->parsed()) return push();
        OPSIGHT_ASSIGN(format_of_, report::parse_format(format_));
        OPSIGHT_ASSIGN(std::unique_ptr<fleet::Store> opened, fleet::open_store(store_, false));
        NotingStore store(std::move(opened));
        if (sql_->parsed()) return sql(store);
        if (compare_->parsed()) return compare(store);
        OPSIGHT_ASSIGN(const fleet::Choice choice, fleet::choice_of(runs_, labels_));
        OPSIGHT_ASSIGN(const fleet::Chosen chosen, fleet::choose(store, choice));
        if (trend_->parsed()) {
            OPSIGHT_ASSIGN(query::Report report, fleet::trend_report(store, chosen));
            return show(store, std::move(report), true);
        }
        return reports(store, chosen);
    }

  private:
    void declare_push(CLI::App& sub) {
        push_ = sub.add_subcommand("push", "Push the facts of profiles into a store");
        push_->add_option("RUN", runs_, "Profile files, or traces")->required();
        push_
            ->add_option("--to", store_,
                         "The store: a folder, which is made where it is not there, or "
                         "clickhouse://HOST:PORT/DATABASE")
            ->required();
        push_->add_option("--label", labels_, "NAME=VALUE, of all these runs; may be repeated");
        range_.declare(*push_);
        push_->footer(
            "What is there already is not written again; the same recording with other labels takes the "
            "place of\n"
            "what was there. A push that was cut off goes on where it was when it is given again.\n\n"
            "Examples:\n"
            "  opsight fleet push run.opsight --to /data/fleet --label model=gpt\n"
            "  opsight fleet push nightly/*.opsight --to /data/fleet --label team=vision\n");
    }

    void declare_questions(CLI::App& sub) {
        list_ = sub.add_subcommand("list", "Show the runs of a store");
        report_ = sub.add_subcommand("report", "Show reports over the runs of a store");
        compare_ = sub.add_subcommand("compare", "Compare runs, or sets of runs, of a store");
        trend_ = sub.add_subcommand("trend", "Show where the time of the runs of a store changed");
        sql_ = sub.add_subcommand("sql", "Run a SQL statement over the tables of a store");
        for (CLI::App* each : {list_, report_, compare_, trend_, sql_}) {
            each->add_option("STORE", store_, "The store: a folder, or clickhouse://HOST:PORT/DATABASE")
                ->required();
            each->add_option("--format", format_, "table, csv or json")->default_str("table");
            each->add_flag_callback(
                "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
        }
        for (CLI::App* each : {list_, report_, trend_}) {
            each->add_option("--label", labels_,
                             "NAME=VALUE: runs with this label alone; of several all must hold");
            each->add_option("--run", runs_, "These runs alone: names, or at least 6 digits of ids");
        }
        for (CLI::App* each : {list_, report_, compare_}) {
            each->add_option("--limit", limit_,
                             "Rows of each table; 0: all (default: 20 in tables, all in csv and json)");
            each->add_flag("--wide", wide_, "Whole lines of tables, however long");
        }
        report_->add_option(
            "--report", names_,
            "Reports, with commas between, of those that 'opsight fleet --help' lists; or all");
        report_->add_option("--by", by_, "Of the report labels: this label alone");
        compare_
            ->add_option("--base", base_,
                         "Runs to compare with: NAME=VALUE, a name or an id; may be repeated")
            ->required();
        compare_->add_option("--new", new_, "Runs that are in question, given likewise")->required();
        sql_->add_option("SQL", statement_, "SELECT statement over the tables of 'opsight fleet schema'")
            ->required();
    }

    // Each is pushed on its own: one that fails does not undo those before it.
    Result<int> push() const {
        OPSIGHT_ASSIGN(const fleet::Labels labels, fleet::parse_labels(labels_));
        OPSIGHT_ASSIGN(const std::unique_ptr<fleet::Store> store, fleet::open_store(store_, true));
        for (const std::string& run : runs_) {
            OPSIGHT_ASSIGN(const AnyProfile profile, AnyProfile::open(run, false));
            OPSIGHT_ASSIGN(const fleet::Pushed pushed,
                           fleet::push_profile(
                               {profile.path(), importer::name_without_endings(run), profile.path() != run},
                               range_.options(), labels, *store));
            for (const std::string& note : pushed.notes)
                print_note("note: " + run + ": " + note + "\n");
            OPSIGHT_TRY(print_text(fmt::format("{}: run {}, {} rank{}{}\n", run, pushed.id.run, pushed.ranks,
                                               pushed.ranks == 1 ? "" : "s",
                                               pushed.was_there ? ", was there already" : "")));
        }
        return 0;
    }

    int64_t rows() const {
        if (limit_ >= 0) return limit_;
        return format_of_ == report::Format::kTable ? kRowsOnTerminal : 0;
    }

    Result<int> reports(NotingStore& store, const fleet::Chosen& chosen) {
        std::vector<std::string> names = split_lists({names_});
        if (list_->parsed()) names = {"runs"};
        if (names.empty()) names = {"runs", "ranks", "hosts", "ops", "tensor_cores", "findings"};
        if (names == std::vector<std::string>{"all"}) {
            names.clear();
            for (const query::ReportInfo& each : fleet::report_family().members)
                names.emplace_back(each.name);
        }
        if (!by_.empty() && names != std::vector<std::string>{"labels"})
            return fail(Error{"--by is of the report labels alone", {}, {}, "give --report labels", 2});
        std::vector<query::Report> made;
        for (const std::string& name : names) {
            OPSIGHT_ASSIGN(
                query::Report report,
                fleet::make_report(store, name, chosen, {by_, rows(), format_of_ == report::Format::kTable}));
            made.push_back(std::move(report));
        }
        return show_all(store, std::move(made));
    }

    Result<int> compare(NotingStore& store) {
        OPSIGHT_ASSIGN(const fleet::Choice base, fleet::choice_of_words(base_));
        OPSIGHT_ASSIGN(const fleet::Choice next, fleet::choice_of_words(new_));
        OPSIGHT_ASSIGN(const fleet::Chosen before, fleet::choose(store, base));
        OPSIGHT_ASSIGN(const fleet::Chosen after, fleet::choose(store, next));
        OPSIGHT_ASSIGN(query::Report report, fleet::compare_report(store, before, after, rows()));
        return show(store, std::move(report), true);
    }

    Result<int> sql(fleet::Store& store) {
        OPSIGHT_ASSIGN(fleet::Answer answer, store.free_sql(statement_, kRowsOfSql));
        query::ResultTable table;
        table.name = "sql";
        query::name_columns(table, answer.rows.columns);
        table.rows = std::move(answer.rows.rows);
        if (answer.more)
            return fail(fmt::format("the answer has more than {} rows", kRowsOfSql), {}, {},
                        "sum them, or add LIMIT");
        OPSIGHT_TRY(print_rows(table, format_of_));
        return 0;
    }

    // Who reads both streams on one screen has seen those notes.
    static void drop_seen_notes(const NotingStore& store, query::Report& report) {
        if (isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1)
            std::erase_if(report.notes, [&](const std::string& note) { return store.has_said(note); });
    }

    Result<int> show(const NotingStore& store, query::Report report, bool comparison) const {
        if (format_of_ != report::Format::kTable || !comparison) return show_all(store, {std::move(report)});
        drop_seen_notes(store, report);
        const int width = wide_ ? 0 : report::terminal_width(report::kWidthWhenPiped);
        OPSIGHT_TRY(print_text(report::render_comparison(report, width)));
        return 0;
    }

    // JSON of one report is that alone; of several an object with a key for each.
    static Status print_json(const std::vector<query::Report>& all) {
        if (all.size() == 1) {
            OPSIGHT_TRY(report::write_report_json(all.front(), print_text));
            return print_text("\n");
        }
        JsonWriter json;
        json.begin_object();
        for (const query::Report& each : all) {
            std::string text;
            OPSIGHT_TRY(report::write_report_json(each, [&text](std::string_view part) -> Status {
                text += part;
                return {};
            }));
            json.line().key(each.name).raw(text);
        }
        json.end_object();
        return print_text(json.take() + "\n");
    }

    static Status print_csv(const std::vector<query::Report>& all) {
        bool first = true;
        for (const query::Report& each : all)
            for (const query::Section& section : each.sections) {
                if (all.size() > 1 || each.sections.size() > 1)
                    OPSIGHT_TRY(print_text((first ? "" : "\n") + section.table.name + "\n"));
                OPSIGHT_TRY(report::write_csv(section.table, print_text));
                first = false;
            }
        return {};
    }

    Result<int> show_all(const NotingStore& store, std::vector<query::Report> all) const {
        if (format_of_ == report::Format::kJson) {
            OPSIGHT_TRY(print_json(all));
        } else if (format_of_ == report::Format::kCsv) {
            OPSIGHT_TRY(print_csv(all));
        } else {
            const int width = wide_ ? 0 : report::terminal_width(report::kWidthWhenPiped);
            for (query::Report& each : all)
                drop_seen_notes(store, each);
            for (size_t i = 0; i < all.size(); ++i)
                OPSIGHT_TRY(print_text((i ? "\n" : "") + report::render_report_table(all[i], width)));
        }
        return 0;
    }

    CLI::App *push_ = nullptr, *list_ = nullptr, *report_ = nullptr, *compare_ = nullptr, *trend_ = nullptr,
             *sql_ = nullptr, *schema_ = nullptr;
    std::string store_, format_ = "table", names_, by_, statement_;
    std::vector<std::string> runs_, labels_, base_, new_;
    int64_t limit_ = -1;
    bool wide_ = false;
    report::Format format_of_ = report::Format::kTable;
    RangeFlags range_;
};

}  // namespace

std::unique_ptr<Command> make_fleet_command() {
    return std::make_unique<FleetCommand>();
}

}  // namespace opsight::cli
