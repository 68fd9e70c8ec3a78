// opsight baseline: runs that are kept under a name, to compare others with.
#include <fmt/format.h>

#include "cli/baselines.h"
#include "cli/commands.h"
#include "cli/comparing.h"
#include "cli/standard_output.h"
#include "report/render.h"

namespace opsight::cli {
namespace {

class BaselineCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("baseline", "Keep runs under a name, to compare others with");
        sub->require_subcommand(1);
        save_ = sub->add_subcommand("save", "Keep copies of one or more runs under a name");
        list_ = sub->add_subcommand("list", "Show the baselines that are kept");
        compare_ = sub->add_subcommand("compare", "Compare runs with a baseline, as 'opsight compare' does");
        for (CLI::App* each : {save_, list_, compare_})
            each->add_option("--dir", folder_, "Folder of the baselines")->default_str("baselines");
        for (CLI::App* each : {save_, compare_})
            each->add_option("NAME", name_, "Name of the baseline")->required();
        save_->add_option("RUN", runs_, "Profile files, or traces: repeated runs of one program")->required();
        save_->add_flag("--force", replace_, "Replace the baseline of that name");
        list_->add_option("--format", format_, "table, csv or json")->default_str("table");
        list_->add_flag_callback(
            "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
        compare_->add_option("RUN", runs_, "The run in question, or repeated runs of it")->required();
        comparing_.declare(*compare_);
        sub->footer(
            "A baseline holds copies of its profiles; traces are imported. Exit code of "
            "compare: 3 where a limit of --fail-if does not hold.\n\n"
            "Examples:\n"
            "  opsight baseline save v1.4 run1.opsight run2.opsight run3.opsight run4.opsight run5.opsight\n"
            "  opsight baseline list\n"
            "  opsight baseline compare v1.4 new.opsight --fail-if 'iteration_time > 3%'\n");
        return sub;
    }

    Result<int> run() override {
        const Baselines baselines(folder_);
        if (save_->parsed()) {
            OPSIGHT_ASSIGN(const Baseline made, baselines.save(name_, runs_, replace_));
            OPSIGHT_TRY(print_text(fmt::format("{}: {} run{} in {}\n", made.name, made.runs.size(),
                                               made.runs.size() == 1 ? "" : "s", folder_)));
            return 0;
        }
        if (list_->parsed()) {
            OPSIGHT_TRY(list(baselines));
            return 0;
        }
        OPSIGHT_ASSIGN(const std::vector<std::string> base, baselines.files(name_));
        return comparing_.compare(base, runs_);
    }

  private:
    // A row for each run.
    Status list(const Baselines& baselines) const {
        OPSIGHT_ASSIGN(const report::Format format, report::parse_format(format_));
        OPSIGHT_ASSIGN(const std::vector<Baseline> all, baselines.list());
        query::ResultTable table;
        table.name = "baselines";
        table.title = "Baselines";
        table.columns = {{"baseline", "Baseline"},
                         {"saved", "Saved"},
                         {"run", "Run"},
                         {"iterations", "Iterations", query::Unit::kCount},
                         {"median_ns", "Median (ns)", query::Unit::kNs},
                         {"file", "File", query::Unit::kNone, 1}};
        for (const Baseline& each : all)
            for (const SavedRun& run : each.runs)
                table.rows.push_back({each.name, each.saved, run.from,
                                      run.iterations > 0 ? query::Cell{run.iterations} : query::Cell{},
                                      run.median_ns, run.file});
        switch (format) {
            case report::Format::kCsv:
                return print_text(report::render_csv(table));
            case report::Format::kJson:
                return print_text(report::render_json_rows(table) + "\n");
            case report::Format::kTable:
                break;
        }
        if (all.empty()) return print_text(fmt::format("no baselines in {}\n", folder_));
        return print_text(report::render_table(table, report::terminal_width()));
    }

    CLI::App *save_ = nullptr, *list_ = nullptr, *compare_ = nullptr;
    std::string folder_ = "baselines", name_, format_ = "table";
    std::vector<std::string> runs_;
    bool replace_ = false;
    Comparing comparing_;
};

}  // namespace

std::unique_ptr<Command> make_baseline_command() {
    return std::make_unique<BaselineCommand>();
}

}  // namespace opsight::cli
