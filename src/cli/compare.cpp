// opsight compare: what changed between two runs, and whether it is more than noise.
#include "cli/commands.h"
#include "cli/comparing.h"

namespace opsight::cli {
namespace {

class CompareCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("compare", "Show what changed between two runs");
        CLI::Option* base =
            sub->add_option("BASE", base_, "The run to compare with: a profile file, or a trace");
        CLI::Option* next = sub->add_option("NEW", next_, "The run in question");
        sub->add_option("--base", base_runs_, "Instead of BASE and NEW: repeated runs to compare with")
            ->excludes(base)
            ->excludes(next);
        sub->add_option("--new", next_runs_, "The repeated runs in question")->excludes(base)->excludes(next);
        comparing_.declare(*sub);
        sub->footer(
            "The range is chosen on each side alike. Exit code 3: a limit of --fail-if does not hold.\n\n"
            "Examples:\n"
            "  opsight compare before.opsight after.opsight\n"
            "  opsight compare main.opsight branch.opsight --fail-if 'iteration_time > 3%' --junit "
            "limits.xml\n"
            "  opsight compare --base a1.opsight a2.opsight --new b1.opsight b2.opsight\n"
            "  opsight compare before.json.gz after.json.gz --format markdown -o comparison.md\n");
        return sub;
    }

    Result<int> run() override {
        if (!base_.empty()) base_runs_ = {base_};
        if (!next_.empty()) next_runs_ = {next_};
        if (base_runs_.empty() || next_runs_.empty())
            return fail(Error{"a run to compare with and a run in question are needed",
                              {},
                              {},
                              "give BASE NEW, or several runs of each with --base A B --new C D",
                              2});
        return comparing_.compare(base_runs_, next_runs_);
    }

  private:
    std::string base_, next_;
    std::vector<std::string> base_runs_, next_runs_;
    Comparing comparing_;
};

}  // namespace

std::unique_ptr<Command> make_compare_command() {
    return std::make_unique<CompareCommand>();
}

}  // namespace opsight::cli
