// opsight sweep: a program over values of its parameters, as curves.
#include <fmt/format.h>

#include "base/temporary_folder.h"
#include "cli/commands.h"
#include "cli/model_sizes.h"
#include "cli/sweep_flags.h"
#include "cli/sweep_runs.h"

namespace opsight::cli {
namespace {

constexpr const char* kSweepExamples =
    "What is there already is not run again: after Ctrl-C, a crash or for more values the same command goes "
    "on.\n"
    "docs/SWEEPS.md has the methods.\n\n"
    "Examples:\n"
    "  opsight sweep --vary batch=8,16,32,64 -o sweeps/vgg -- python3 vgg.py --batch {batch}\n"
    "  opsight sweep --vary batch=32,64 --vary hidden=256,512 --repeat 5 -o lstm -- \\\n"
    "      python3 ptb_lstm.py --batch {batch} --hidden {hidden}\n"
    "  opsight sweep --vary batch=8,16,32 --from 'runs/b{batch}.json.gz'\n"
    "  opsight sweep sweeps/vgg --max-latency 200ms --max-memory 4GiB\n"
    "  opsight sweep sweeps/vgg --format svg > vgg.svg\n"
    "  opsight sweep --compare sweeps/before sweeps/after\n";

class SweepCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub =
            app.add_subcommand("sweep", "Run a program over values of its parameters, and show the curves");
        sub->add_option("--vary", vary_, "A parameter and its values; may be given several times")
            ->type_name("NAME=VALUE,...")
            ->allow_extra_args(false);
        sub->add_option("--repeat", how_.repeats, "Runs of each point; one alone has no interval")
            ->check(CLI::Range(1, 1000))
            ->capture_default_str();
        sub->add_option("-o,--output", folder_, "The folder of the sweep")->type_name("FOLDER");
        auto* from =
            sub->add_option("--from", from_,
                            "Instead of running anything: the profile or trace of each point, such as "
                            "'runs/b{batch}.json.gz'")
                ->type_name("PATH");
        sub->add_flag("!--no-bare", how_.bare,
                      "Run nothing without the recording: what the recording costs is not known then");
        sub->add_option("--seed", how_.seed, "Of the order of the runs")->capture_default_str();
        sub->add_option("--timeout", how_.limit_s, "End a run that takes longer; its point failed")
            ->type_name("S")
            ->check(CLI::Range(0.01, 1e7));
        sub->add_flag("--retry-failed", how_.retry_failed, "Run again what failed before");
        sub->add_option("--compare", compared_,
                        "Two folders of sweeps: what changed from the first to the second")
            ->expected(2)
            ->type_name("FOLDER FOLDER")
            ->excludes(from);
        flags_.declare(*sub);
        sub->add_option(
            "command", words_,
            "The program and its arguments, after --, where {NAME} stands for a value; or, alone, the "
            "folder of a sweep to show");
        sub->footer(kSweepExamples);
        return sub;
    }

    Result<int> run() override {
        OPSIGHT_TRY(flags_.check());
        if (!compared_.empty()) return compare();
        if (vary_.empty()) return show();
        SweepPlan plan;
        for (const std::string& text : vary_) {
            OPSIGHT_ASSIGN(sweep::Parameter parameter, sweep::parse_parameter(text));
            plan.parameters.push_back(std::move(parameter));
        }
        OPSIGHT_TRY(sweep::points_of(plan.parameters));
        return from_.empty() ? measure(std::move(plan)) : import(std::move(plan));
    }

  private:
    Result<int> compare() {
        OPSIGHT_ASSIGN(const query::Sweep base, read(compared_[0]));
        OPSIGHT_ASSIGN(const query::Sweep next, read(compared_[1]));
        return flags_.compare(base, next);
    }

    Result<int> show() {
        if (words_.size() != 1)
            return fail(usage("nothing is varied",
                              "give values with --vary NAME=VALUE,..., or name the folder of a "
                              "sweep to show"));
        OPSIGHT_ASSIGN(const SweepFolder folder, SweepFolder::open(words_[0]));
        OPSIGHT_ASSIGN(const query::Sweep sweep, folder.read());
        return flags_.show(sweep, folder);
    }

    static Result<query::Sweep> read(const std::string& path) {
        OPSIGHT_ASSIGN(const SweepFolder folder, SweepFolder::open(path));
        return folder.read();
    }

    Result<int> measure(SweepPlan plan) {
        if (words_.empty())
            return fail(usage(
                "no command to run",
                "give the program after --, as in: opsight sweep --vary batch=8,16 -o FOLDER -- python3 "
                "train.py --batch {batch}"));
        if (folder_.empty()) return fail(usage("no folder for the sweep", "name one with -o"));
        OPSIGHT_TRY(sweep::check_placeholders(words_, plan.parameters));
        plan.command = words_;
        OPSIGHT_ASSIGN(SweepFolder folder, SweepFolder::open_for(folder_, plan));
        OPSIGHT_ASSIGN(const int code, run_sweep(folder, how_));
        if (code != 0) return code;
        OPSIGHT_ASSIGN(const query::Sweep sweep, folder.read());
        return flags_.show(sweep, folder);
    }

    Result<int> import(SweepPlan plan) {
        if (!words_.empty())
            return fail(usage("--from takes profiles that are there, and runs no command",
                              "leave out one of the two"));
        OPSIGHT_TRY(sweep::check_placeholders({from_}, plan.parameters));
        plan.command = {from_};
        plan.imported = true;
        std::optional<TemporaryFolder> temporary;
        if (folder_.empty()) {
            OPSIGHT_ASSIGN(TemporaryFolder made, TemporaryFolder::create());
            temporary.emplace(std::move(made));
        }
        OPSIGHT_ASSIGN(SweepFolder folder,
                       SweepFolder::open_for(temporary ? temporary->path() + "/sweep" : folder_, plan));
        if (how_.retry_failed) folder.forget_failures();
        OPSIGHT_TRY(import_sweep(folder));
        OPSIGHT_ASSIGN(query::Sweep sweep, folder.read());
        if (temporary) sweep.label = from_;
        return flags_.show(sweep, folder);
    }

    std::vector<std::string> vary_, words_, compared_;
    std::string folder_, from_;
    SweepHow how_;
    SweepFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_sweep_command() {
    return std::make_unique<SweepCommand>();
}

}  // namespace opsight::cli
