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
#include "cli/map_network.h"
#include "cli/map_uses.h"
#include "cli/standard_output.h"
#include "import/timeloop/architectures.h"
#include "import/timeloop/socs.h"
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
            "map", "Energy and cycles of a layer, or of all layers of a network, on an accelerator");
        sub_ = sub;
        sub->add_option(
            "FILE", files_,
            "Timeloop's files: architecture, problem, mapping, tables of energy (ERT) and area (ART), in "
            "one file or several; a part that is there twice is that of the later file. And a model (ONNX, "
            "TensorFlow, XLA), of which all unique layers are mapped");
        sub->add_option("--arch", arch_, "An architecture that is built in, instead of a file's");
        sub->add_option(
            "--soc", request_.soc,
            "Of a model: map each layer on each engine of this SoC (built in, or a file), and choose "
            "the engine of each with the least delay or energy, transfers included");
        sub->add_flag("--list", list_, "Print the architectures and SoCs that are built in");
        sub->add_option("--mapping", mapping_, "The mapping: YAML, or a loop nest (*.map.txt)");
        sub->add_option(
               "--search", objective_,
               "Look for the mapping with the least 'energy', 'delay', 'edp' or 'last-level' (words of the "
               "outermost level) under the files' constraints; with commas, the next decides between equals "
               "(default for a model: edp)")
            ->excludes("--mapping");
        sub->add_option(
               "--method", method_,
               "How to look: 'branch-and-bound', 'exhaustive', 'linear-pruned', 'random' or 'hybrid' "
               "(factors at random, of each the best orders)")
            ->default_str("branch-and-bound");
        sub->add_option(
            "--sweep", request_.sweeps,
            "Look once for each of these sizes, LEVEL.ATTRIBUTE=VALUE,VALUE; several make a grid");
        sub->add_option("--layer", request_.layer, "Of a model, this layer alone");
        sub->add_option("--roofline", request_.roofline,
                        "Of a model, draw its layers under the accelerator's roofline into this SVG file");
        sub->add_flag("--force", request_.force, "Replace the picture if it is there");
        sizes_.declare(*sub);
        declare_search(*sub);
        cloud_.declare(*sub);
        sub->add_option("--set", set_, "NAME=VALUE for {{NAME}} in the files; as often as needed")
            ->allow_extra_args(false);
        declare_format(*sub);
        return sub;
    }

    Result<int> run() override {
        OPSIGHT_TRY(sort_files());
        const MapJob job = wanted();
        OPSIGHT_TRY(check_uses(*sub_, job));
        if (list_) {
            OPSIGHT_TRY(print_list());
            return 0;
        }
        if (files_.empty())
            return fail(
                usage("no file is given",
                      "name one with a problem, and architecture and mapping (or --arch and --search)"));
        OPSIGHT_TRY(read_search());
        OPSIGHT_TRY(check_format(job));
        OPSIGHT_ASSIGN(request_.values, template_values(set_));
        if (job == MapJob::kSoc && (request_.model.empty() || !request_.files.empty()))
            return fail(usage("--soc takes one model and no Timeloop's file",
                              "as in opsight map model.onnx --soc phone-soc; engines name their own files"));
        if (!request_.model.empty() || !request_.sweeps.empty()) return with_many();
        const bool own = format_ == "yaml" || format_ == "svg";
        OPSIGHT_ASSIGN(const report::Format format, report::parse_format(own ? "table" : format_));
        const bool space = !objective_.empty() || cloud_.wanted();
        OPSIGHT_ASSIGN(
            importer::timeloop::Specification given,
            importer::timeloop::read_specification(files_, mapping_, space, arch_, request_.values));
        if (cloud_.wanted()) return show_cloud(std::move(given), format);
        query::MappingAnswer answer;
        if (!objective_.empty()) {
            OPSIGHT_TRY(find(given, answer));
        } else {
            if (!given.mapping)
                return fail(
                    "no mapping is given", files_.front(), {},
                    "name a file with the key mapping, or one with --mapping, or look for one with --search");
            const Result<map::Evaluation> cost =
                map::evaluate(given.problem, given.architecture, *given.mapping);
            if (!cost) return fail(given.located(cost.error()));
            answer.evaluation = *cost;
            answer.mapping = *std::move(given.mapping);
        }
        answer.problem = std::move(given.problem);
        answer.architecture = std::move(given.architecture);
        OPSIGHT_TRY(print(answer, format));
        return 0;
    }

  private:
    void declare_search(CLI::App& sub) {
        sub.add_option("--budget", settings_.budget,
                       "Choices that a search looks at before it gives up the proof (default: 4000000)")
            ->check(CLI::Range(1, 1'000'000'000));
        sub.add_option("--samples", settings_.samples,
                       "Mappings that it tries at random then (default: 200000)")
            ->check(CLI::Range(1, 1'000'000'000));
        sub.add_option("--seed", settings_.seed, "Of those mappings; the same finds the same (default: 1)");
        sub.add_option("--threads", threads_,
                       "Threads of a search; its result does not depend on them (default: one per core)")
            ->check(CLI::Range(1, 256));
    }

    void declare_format(CLI::App& sub) {
        sub.add_option("--format", format_,
                       "table, csv, json, svg: a picture, or yaml: the mapping alone, as input")
            ->default_str("table");
        sub.add_flag_callback(
            "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
        sub.footer(
            "Examples:\n"
            "  opsight map arch.yaml problem.yaml mapping.yaml\n"
            "  opsight map parsed-processed-input.yaml ERT.yaml ART.yaml\n"
            "  opsight map eyeriss-256.yaml problem.yaml --search edp\n"
            "  opsight map problem.yaml --arch eyeriss --search energy,delay\n"
            "  opsight map resnet50.onnx --arch eyeriss-256\n"
            "  opsight map resnet50.onnx --arch nvdla-large --search delay --roofline roofline.svg\n"
            "  opsight map mobilenet.onnx --soc phone-soc --search energy\n"
            "  opsight map problem.yaml --arch eyeriss-256 --search energy --sweep "
            "GlobalBuffer.depth=16k,32k,64k\n"
            "  opsight map eyeriss.yaml --mapping timeloop-mapper.map.txt --format json\n"
            "  opsight map arch.yaml components/*.yaml problem.yaml --search energy --format svg > "
            "mapping.svg\n"
            "  opsight map arch.yaml components/*.yaml problem.yaml --cloud 1000000 --format svg > "
            "cloud.svg\n");
    }

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
            text += fmt::format("{:<19}{}\n", each.name, each.title());
        text += "\nfor --soc:\n";
        for (const importer::timeloop::ShippedArchitecture& each : importer::timeloop::shipped_socs())
            text += fmt::format("{:<19}{}\n", each.name, each.title());
        return print_text(text);
    }

    Status sort_files() {
        for (const std::string& file : files_) {
            if (is_timeloop_file(file)) {
                request_.files.push_back(file);
                continue;
            }
            if (!request_.model.empty())
                return fail(usage("two models are given: " + request_.model + " and " + file, "name one"));
            request_.model = file;
        }
        return {};
    }

    MapJob wanted() const {
        if (list_) return MapJob::kList;
        if (!request_.soc.empty()) return MapJob::kSoc;
        const bool sweeps = !request_.sweeps.empty();
        if (!request_.model.empty()) return sweeps ? MapJob::kNetworkSweep : MapJob::kNetwork;
        if (sweeps) return MapJob::kSweep;
        if (cloud_.wanted()) return cloud_.of_one_draw() ? MapJob::kDraw : MapJob::kCloud;
        return sub_->count("--search") > 0 ? MapJob::kSearch : MapJob::kCost;
    }

    // Before the work, which may take long.
    Status check_format(MapJob job) const {
        const bool many = job == MapJob::kNetwork || job == MapJob::kSweep || job == MapJob::kNetworkSweep ||
                          job == MapJob::kSoc;
        if (format_ == "svg" && many)
            return fail(usage("--format svg is for one problem", job == MapJob::kNetwork
                                                                     ? "use --roofline FILE.svg for a model"
                                                                     : "use table, csv or json"));
        if (format_ == "yaml" &&
            (job == MapJob::kSweep || job == MapJob::kNetworkSweep || job == MapJob::kSoc))
            return fail(usage("--format yaml writes mappings, and --sweep and --soc have none to write",
                              "use table, csv or json"));
        if (format_ == "yaml" && job == MapJob::kCloud)
            return fail(usage("--format yaml writes one mapping, and --cloud draws many",
                              "use --draw NUMBER --format yaml for one of them"));
        if (sub_->count("--points") > 0 && format_ != "csv" && format_ != "json")
            return fail(usage("--points is for --format csv and json, where the points are",
                              "leave --points out, or choose one of these"));
        if (format_ != "svg" && format_ != "yaml") OPSIGHT_TRY(report::parse_format(format_));
        return {};
    }

    // How to look.
    Status read_search() {
        std::vector<std::string> names;
        if (sub_->count("--search") > 0) {
            OPSIGHT_ASSIGN(names, list_items(objective_, "--search"));
        }
        if (names.empty())
            settings_.objective = request_.soc.empty() ? map::Objective::kEdp : map::Objective::kDelay;
        for (size_t i = 0; i < names.size(); ++i) {
            const auto read = map::parse_objective(names[i]);
            if (!read)
                return fail(usage(fmt::format("'{}' is nothing that can be searched for", names[i]),
                                  "use energy, delay, edp or last-level"));
            if (i == 0)
                settings_.objective = *read;
            else
                settings_.then.push_back(*read);
        }
        if (names.size() > 4)
            return fail(usage("a search has up to four objectives", "name fewer, the first one first"));
        const auto method = map::parse_method(method_);
        if (!method)
            return fail(usage(fmt::format("'{}' is not a method of searching", method_),
                              "use branch-and-bound, exhaustive, linear-pruned, random or hybrid"));
        settings_.method = *method;
        settings_.threads = threads();
        // Each layer is looked for on each engine.
        if (!request_.soc.empty() && sub_->count("--budget") == 0) settings_.budget = kBudgetOfSoc;
        if (!request_.soc.empty() && sub_->count("--samples") == 0) settings_.samples = kSamplesOfSoc;
        return {};
    }

    Result<int> with_many() {
        const EndedByInterrupt interrupt;
        settings_.stop = &EndedByInterrupt::ended;
        OPSIGHT_ASSIGN(request_.sizes, sizes_.read());
        request_.arch = arch_;
        request_.format = format_;
        request_.settings = settings_;
        request_.shown = isatty(STDERR_FILENO) == 1;
        OPSIGHT_TRY(!request_.soc.empty()     ? map_on_soc(request_)
                    : request_.sweeps.empty() ? map_model(request_)
                                              : sweep(request_));
        return 0;
    }

    Status find(const importer::timeloop::Specification& given, query::MappingAnswer& into) {
        const EndedByInterrupt interrupt;
        settings_.stop = &EndedByInterrupt::ended;
        const bool shown = isatty(STDERR_FILENO) == 1;
        if (shown)
            settings_.progress = [this](double share, double best) {
                fmt::print(stderr,
                           "\r\033[Kopsight: {:.0f}% of the choices, best {} {:.4g} (Ctrl-C: keep it)",
                           100 * share, name_of(settings_.objective), best);
            };
        const Result<map::SearchResult> found =
            map::search(given.problem, given.architecture, given.constraints, settings_);
        if (shown) fmt::print(stderr, "\r\033[K");
        if (!found) return fail(given.located(found.error()));
        into.mapping = found->mapping;
        into.evaluation = found->evaluation;
        into.search =
            query::MappingSearch{settings_.objective, found->tried,
                                 found->valid,        found->cut,
                                 found->proven,       found->stopped,
                                 found->bound,        map::cost_of(into.evaluation, settings_.objective)};
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

    static constexpr int64_t kBudgetOfSoc = 200'000, kSamplesOfSoc = 20'000;

    CLI::App* sub_ = nullptr;
    std::vector<std::string> files_, set_;
    CloudOptions cloud_;
    map::SearchSettings settings_;
    int threads_ = 0;
    bool list_ = false;
    MapRequest request_;
    ModelSizes sizes_;
    std::string objective_, arch_, mapping_, method_ = "branch-and-bound", format_ = "table";
};

}  // namespace

std::unique_ptr<Command> make_map_command() {
    return std::make_unique<MapCommand>();
}

}  // namespace opsight::cli
