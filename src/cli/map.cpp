// opsight map: what a mapping of a layer onto an accelerator costs, and which costs least.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>

#include "cli/commands.h"
#include "cli/map_cloud.h"
#include "cli/standard_output.h"
#include "import/timeloop/architectures.h"
#include "import/timeloop/specification.h"
#include "map/search.h"
#include "report/mapping_picture.h"
#include "report/render.h"
#include "report/render_mapping.h"
#include "report/write_rows.h"

namespace opsight::cli {
namespace {

// A Ctrl-C ends a search, which then has its best so far; a second one ends the program.
class EndedByInterrupt {
  public:
    EndedByInterrupt() {
        std::signal(SIGINT, [](int) {
            ended.store(true);
            std::signal(SIGINT, SIG_DFL);
        });
    }
    ~EndedByInterrupt() { std::signal(SIGINT, SIG_DFL); }
    EndedByInterrupt(const EndedByInterrupt&) = delete;
    EndedByInterrupt& operator=(const EndedByInterrupt&) = delete;

    static inline std::atomic<bool> ended{false};
};

class MapCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand(
            "map", "Energy and cycles of a layer on an accelerator, with a mapping of its loops");
        sub->add_option(
            "FILE", files_,
            "Timeloop's files: architecture, problem, mapping, tables of energy (ERT) and area (ART), in "
            "one file or several; a part that is there twice is that of the later file");
        sub->add_option("--arch", arch_, "An architecture that is built in, instead of a file's");
        sub->add_flag("--list", list_, "Print the architectures that are built in");
        sub->add_option("--mapping", mapping_, "The mapping: YAML, or a loop nest (*.map.txt)");
        sub->add_option(
               "--search", objective_,
               "Look for the mapping with the least 'energy', 'delay' or 'edp' under the files' constraints")
            ->check(CLI::IsMember({"energy", "delay", "edp"}))
            ->excludes("--mapping");
        sub->add_option("--budget", settings_.budget,
                        "Choices that a search looks at before it gives up the proof (default: 4000000)")
            ->check(CLI::Range(1, 1'000'000'000));
        sub->add_option("--samples", settings_.samples,
                        "Mappings that it tries at random then (default: 200000)")
            ->check(CLI::Range(1, 1'000'000'000));
        sub->add_option("--seed", settings_.seed, "Of those mappings; the same finds the same (default: 1)");
        sub->add_option("--threads", threads_,
                        "Threads of a search; its result does not depend on them (default: one per core)")
            ->check(CLI::Range(1, 256));
        cloud_.declare(*sub);
        sub->add_option("--set", set_, "NAME=VALUE for {{NAME}} in the files; as often as needed")
            ->allow_extra_args(false);
        sub->add_option("--format", format_,
                        "table, csv, json, svg: a picture, or yaml: the mapping alone, as input")
            ->default_str("table");
        sub->add_flag_callback(
            "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
        sub->footer(
            "Examples:\n"
            "  opsight map arch.yaml problem.yaml mapping.yaml\n"
            "  opsight map parsed-processed-input.yaml ERT.yaml ART.yaml\n"
            "  opsight map eyeriss-256.yaml problem.yaml --search edp\n"
            "  opsight map problem.yaml --arch eyeriss --search energy\n"
            "  opsight map eyeriss.yaml --mapping timeloop-mapper.map.txt --format json\n"
            "  opsight map arch.yaml components/*.yaml problem.yaml --search energy --format svg > "
            "mapping.svg\n"
            "  opsight map arch.yaml components/*.yaml problem.yaml --cloud 1000000 --format svg > "
            "cloud.svg\n");
        return sub;
    }

    Result<int> run() override {
        if (list_) {
            OPSIGHT_TRY(print_list());
            return 0;
        }
        if (files_.empty())
            return fail("no file is given", {}, {},
                        "name one with a problem, and architecture and mapping (or --arch and --search)");
        const bool own = format_ == "yaml" || format_ == "svg";
        OPSIGHT_ASSIGN(const report::Format format, report::parse_format(own ? "table" : format_));
        OPSIGHT_ASSIGN(const importer::timeloop::TemplateValues values, template_values(set_));
        const bool space = !objective_.empty() || cloud_.wanted();
        OPSIGHT_ASSIGN(importer::timeloop::Specification given,
                       importer::timeloop::read_specification(files_, mapping_, space, arch_, values));
        if (cloud_.wanted()) return show_cloud(std::move(given), format);
        query::MappingAnswer answer;
        if (!objective_.empty()) {
            OPSIGHT_TRY(find(given, answer));
        } else {
            if (!given.mapping)
                return fail(
                    "no mapping is given", files_.front(), {},
                    "name a file with the key mapping, or one with --mapping, or look for one with --search");
            OPSIGHT_ASSIGN(answer.evaluation,
                           map::evaluate(given.problem, given.architecture, *given.mapping));
            answer.mapping = *std::move(given.mapping);
        }
        answer.problem = std::move(given.problem);
        answer.architecture = std::move(given.architecture);
        OPSIGHT_TRY(print(answer, format));
        return 0;
    }

  private:
    // While this lives, a Ctrl-C ends what is running with what it has so far.
    Result<int> show_cloud(importer::timeloop::Specification given, report::Format format) {
        const EndedByInterrupt interrupt;
        CloudRun run{settings_.seed, threads(), &EndedByInterrupt::ended};
        if (cloud_.of_one_draw()) {
            OPSIGHT_ASSIGN(const query::MappingAnswer answer, cloud_.one_draw(std::move(given), run));
            OPSIGHT_TRY(print(answer, format));
            return 0;
        }
        OPSIGHT_ASSIGN(const std::string text, cloud_.text_of(std::move(given), run, format_, format));
        OPSIGHT_TRY(print_text(text));
        return 0;
    }

    int threads() const {
        return threads_ > 0 ? threads_
                            : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 64U));
    }

    static Status print_list() {
        std::string text;
        for (const importer::timeloop::ShippedArchitecture& each :
             importer::timeloop::shipped_architectures())
            text += fmt::format("{:<14}{}\n", each.name, each.title());
        return print_text(text);
    }

    Status find(const importer::timeloop::Specification& given, query::MappingAnswer& into) {
        settings_.objective = objective_ == "energy"  ? map::Objective::kEnergy
                              : objective_ == "delay" ? map::Objective::kDelay
                                                      : map::Objective::kEdp;
        settings_.threads = threads();
        const EndedByInterrupt interrupt;
        settings_.stop = &EndedByInterrupt::ended;
        const bool shown = isatty(STDERR_FILENO) == 1;
        if (shown)
            settings_.progress = [this](double share, double best) {
                fmt::print(stderr,
                           "\r\033[Kopsight: {:.0f}% of the choices, best {} {:.4g} (Ctrl-C: keep it)",
                           100 * share, objective_, best);
            };
        const Result<map::SearchResult> found =
            map::search(given.problem, given.architecture, given.constraints, settings_);
        if (shown) fmt::print(stderr, "\r\033[K");
        if (!found) return tl::unexpected(found.error());
        into.mapping = found->mapping;
        into.evaluation = found->evaluation;
        into.search = query::MappingSearch{
            objective_,    found->tried,   found->valid, found->cut,
            found->proven, found->stopped, found->bound, map::cost_of(into.evaluation, settings_.objective)};
        return {};
    }

    Status print(const query::MappingAnswer& answer, report::Format format) const {
        if (format_ == "yaml") return print_text(report::render_mapping_yaml(answer));
        if (format_ == "svg") return print_text(report::render_mapping_picture(answer));
        if (format == report::Format::kCsv)
            return print_text(report::render_csv(query::mapping_levels(answer)));
        if (format == report::Format::kJson) return print_text(report::render_mapping_json(answer));
        return print_text(report::render_mapping_text(answer, report::terminal_width()));
    }

    std::vector<std::string> files_, set_;
    CloudOptions cloud_;
    map::SearchSettings settings_;
    int threads_ = 0;
    bool list_ = false;
    std::string objective_, arch_, mapping_, format_ = "table";
};

}  // namespace

std::unique_ptr<Command> make_map_command() {
    return std::make_unique<MapCommand>();
}

}  // namespace opsight::cli
