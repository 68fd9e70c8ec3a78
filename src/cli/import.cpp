// opsight import: traces in, a profile file out.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "analyze/analyze.h"
#include "analyze/ranks/clocks.h"
#include "base/output_file.h"
#include "cli/commands.h"
#include "cli/execution_traces.h"
#include "cli/model_sizes.h"
#include "cli/standard_output.h"
#include "db/model_store.h"
#include "db/writer.h"
#include "import/import.h"
#include "model/source_limits.h"

namespace opsight::cli {
namespace {

namespace fs = std::filesystem;

// In the working directory.
std::string default_output(const std::string& input) {
    const std::string name = importer::name_without_endings(input);
    return (name.empty() || name == "." || name == ".." ? "profile" : name) + ".opsight";
}

const char* severity_word(Severity severity) {
    switch (severity) {
        case Severity::kInfo:
            return "info";
        case Severity::kNotice:
            return "note";
        case Severity::kDataLoss:
            return "data lost";
        case Severity::kError:
            return "error";
    }
    return "";
}

std::string where_text(const DiagOccurrence& where) {
    std::string text = where.file;
    if (where.offset >= 0) text += fmt::format("{}byte {}", text.empty() ? "" : ", ", where.offset);
    if (!where.text.empty()) text += (text.empty() ? "" : ": ") + where.text;
    return text;
}

// The oddities that may change what the numbers mean; with `all`, also those that only inform.
void print_diagnostics(const Diagnostics& diagnostics, bool all) {
    size_t hidden = 0;
    for (size_t i = 0; i < static_cast<size_t>(Diag::kCount); ++i) {
        const auto kind = static_cast<Diag>(i);
        if (diagnostics.count(kind) == 0) continue;
        const DiagKind& about = diag_kind(kind);
        if (!all && about.severity == Severity::kInfo) {
            ++hidden;
            continue;
        }
        print_note(fmt::format("{}: {} x {}: {}\n", severity_word(about.severity), diagnostics.count(kind),
                               about.key, about.help));
        for (const DiagOccurrence& where : diagnostics.first(kind))
            if (const std::string text = where_text(where);
                !text.empty() && (all || &where == &diagnostics.first(kind)[0]))
                print_note(fmt::format("    {}\n", text));
    }
    if (hidden > 0)
        print_note(fmt::format("{} of harmless oddities not shown; see --all-diagnostics\n",
                               hidden == 1 ? "1 kind" : fmt::format("{} kinds", hidden)));
}

std::string readers_help() {
    std::string text = "Reads (found by content, whatever the name):\n";
    for (const importer::Reader& reader : importer::all_readers())
        text += fmt::format("  {:<28}{}\n{:30}{}\n", reader.name, fmt::join(reader.endings, " "), "",
                            reader.description);
    return text;
}

class ImportCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("import", "Turn profiler traces into a profile file");
        sub->add_option("TRACE", inputs_,
                        "What a profiler wrote, of a kind below: files, each plain or gzipped, tar archives "
                        "of them, or a "
                        "directory (one rank a file); with --model also a profile file, which gets the model")
            ->required();
        sub->add_option(
            "--model", model_,
            "Network that was run, to keep with the profile: ONNX file, or TensorFlow's GraphDef, "
            "MetaGraph or SavedModel, or XLA's HLO. Its nodes are matched with the ops of the run; the "
            "viewer "
            "shows them as a graph. One that is there already is replaced");
        sizes_.declare(*sub);
        sub->add_option("-o,--output", output_,
                        "Profile file to write (default: name of the trace + .opsight)");
        sub->add_flag("-f,--force", force_, "Replace an existing file");
        declare_joined(*sub);
        sub->add_option("--key-op", analysis_.key_op, "Cut iterations at the end of each op of this name");
        sub->add_option("--iteration-range", analysis_.iteration_range,
                        "Take annotations that match this regular expression as iterations");
        sub->add_option("--iter-start", analysis_.iter_start,
                        "First iteration of the range that reports show unless asked")
            ->check(iteration_number());
        sub->add_option("--iter-stop", analysis_.iter_stop, "Last iteration of that range")
            ->check(iteration_number());
        sub->add_flag(
            "--no-align", no_align_,
            "Keep the times of ranks as they were recorded, where their collectives show that their clocks "
            "differ (default: they are corrected; 'opsight info' says by how much)");
        sub->add_option("--threads", threads_,
                        "Threads to use (default: the cores of the machine, at most 8)")
            ->check(CLI::Range(1, 256));
        sub->add_flag("--all-diagnostics", all_diagnostics_,
                      "Show every oddity of the input, with its first places");
        sub->add_flag("-q,--quiet", quiet_, "Print errors only");
        sub->footer(
            readers_help() +
            "\nExamples:\n"
            "  opsight import trace.json.gz\n"
            "  opsight import -o run.opsight traces/          # one trace for each rank\n"
            "  opsight import trace.json --key-op Optimizer.step\n"
            "  opsight import report.sqlite --iteration-range 'step .*'\n"
            "  opsight import decode.json.gz --graph-capture capture_traces/\n"
            "  opsight import run.sqlite --counters ncu.csv\n"
            "  opsight import trace.json.gz --execution-trace et.json\n"
            "  opsight import trace.json.gz --model resnet50.onnx\n"
            "  opsight import run.opsight --model resnet50.onnx   # into a profile that is there already");
        return sub;
    }

    Result<int> run() override {
        const auto begin = std::chrono::steady_clock::now();
        std::optional<ModelGraph> model;
        if (!model_.empty()) {
            OPSIGHT_ASSIGN(const importer::ModelOptions sizes, sizes_.read());
            OPSIGHT_ASSIGN(model, importer::import_model(model_, sizes));
        } else if (sizes_.given()) {
            return fail(usage("--dim and --shape are about a model, and none is given", "add --model FILE"));
        }
        if (model && inputs_.size() == 1 && is_profile(inputs_.front())) return add_to_profile(*model);
        if (output_.empty()) output_ = default_output(inputs_.front());
        if (!force_ && fs::exists(output_))
            return fail(
                Error{"exists already", output_, {}, "choose another name with -o, or add --force", 1});
        OPSIGHT_TRY(check(analysis_));
        OPSIGHT_TRY(check_output(output_, force_));
        constexpr unsigned kMostThreads = 8;
        analysis_.threads = threads_ > 0 ? static_cast<unsigned>(threads_)
                                         : std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);

        Progress progress(!quiet_ && ::isatty(STDERR_FILENO) == 1);
        importer::ImportFacts facts;
        importer::ImportOptions options;
        options.threads = threads_;
        options.progress = &progress;
        std::string executed;
        OPSIGHT_ASSIGN(Profile profile, read_traces(options, facts, executed));
        analyze::CapturedGraphs graphs;
        if (!captures_.empty()) {
            OPSIGHT_ASSIGN(graphs, read_graphs(options));
            analysis_.captures = &graphs;
            for (const std::string& path : captures_)
                profile.info.properties.emplace_back("graph_capture", path);
        }
        analyze::JoinedCounters joined;
        if (!counters_.empty()) {
            OPSIGHT_ASSIGN(joined, join_counters(profile, options));
            analysis_.counted = &joined.counted;
        }
        std::vector<analyze::RankClock> clocks;
        if (!no_align_) clocks = analyze::align_ranks(profile);
        const analyze::Analysis analysis = analyze::analyze(profile, analysis_);
        progress.clear();
        OPSIGHT_TRY(check_range(analysis.iterations));
        db::WriteOptions writing;
        writing.overwrite = force_;
        if (!no_align_) writing.clocks = &clocks;
        OPSIGHT_TRY(db::write_profile(output_, profile, analysis, writing));
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (!quiet_) OPSIGHT_TRY(report(profile, facts, seconds));
        if (!quiet_ && !counters_.empty())
            OPSIGHT_TRY(print_text(fmt::format("{}: counters: {}\n", output_, joined.summary())));
        if (!quiet_ && !executed.empty())
            OPSIGHT_TRY(print_text(fmt::format("{}: execution trace: {}\n", output_, executed)));
        if (model) return add_model(output_, *model);
        return 0;
    }

  private:
    // Other recordings of the same program.
    void declare_joined(CLI::App& sub) {
        sub.add_option(
            "--graph-capture", captures_,
            "Trace of the same program that holds the capture of device graphs (CUDA graphs, HIP "
            "graphs) which TRACE only launches, or a directory of such traces: each kernel of a launch "
            "then counts for the op and layer that captured it");
        sub.add_option(
            "--counters", counters_,
            "Counters of the same program's kernels, as 'ncu --csv' printed them: joined with the kernels of "
            "TRACE by sequence, or by name, grid, block and order; never where several may be meant");
        sub.add_option(
            "--execution-trace", execution_traces_,
            "What PyTorch's ExecutionTraceObserver wrote in the same run, or the .et that Chakra made of it: "
            "the "
            "ops of TRACE get the shapes, types "
            "and values of arguments that it lacks, by PyTorch's numbers of calls, or by thread, name and "
            "order; "
            "never where several places fit. Of a directory or an archive as TRACE, those in it are taken");
    }

    // A DuckDB file, whatever its name: what it holds is looked at when it is opened.
    static bool is_profile(const std::string& path) {
        std::array<char, 12> head{};
        std::ifstream file(path, std::ios::binary);
        return file.read(head.data(), head.size()) && std::string_view(head.data() + 8, 4) == "DUCK";
    }

    // `executed`: what was joined of execution traces.
    Result<Profile> read_traces(importer::ImportOptions options, importer::ImportFacts& facts,
                                std::string& executed) const {
        std::vector<std::string> beside;
        options.execution_traces = &beside;
        OPSIGHT_ASSIGN(Profile profile, importer::import_files(inputs_, options, &facts));
        OPSIGHT_ASSIGN(executed, add_execution_traces(profile, execution_traces_, beside));
        return profile;
    }

    Result<int> add_to_profile(const ModelGraph& model) const {
        if (!captures_.empty())
            return fail(usage("--graph-capture is about traces, and a profile is given",
                              "import the trace again, with its captures and the model"));
        if (!counters_.empty())
            return fail(usage("--counters are joined with traces, and a profile is given",
                              "import the trace again, with its counters and the model"));
        if (!execution_traces_.empty())
            return fail(usage("--execution-trace is joined with traces, and a profile is given",
                              "import the trace again, with its execution trace and the model"));
        if (!output_.empty())
            return fail(usage("a model is added to the profile itself, so -o has no meaning",
                              "leave -o out; to keep the profile as it is, copy it first"));
        return add_model(inputs_.front(), model);
    }

    Result<analyze::CapturedGraphs> read_graphs(const importer::ImportOptions& options) const {
        OPSIGHT_ASSIGN(Profile profile, importer::import_files(captures_, options));
        analyze::AnalysisOptions plain;
        plain.threads = analysis_.threads;
        analyze::CapturedGraphs graphs;
        add_captured_graphs(profile, analyze::analyze(profile, plain), graphs);
        if (!graphs.graphs.empty()) return graphs;
        if (graphs.untold > 0)
            return fail(Error{"does not tell the names of the kernels that were captured",
                              captures_.front(),
                              {},
                              "PyTorch's traces tell them on ROCm; Nsight Systems tells the nodes of graphs "
                              "(--cuda-graph-trace=node)"});
        return fail(
            Error{"holds no capture of a graph",
                  captures_.front(),
                  {},
                  "give the trace that was recorded while the program captured its graphs: it has calls "
                  "such as hipStreamBeginCapture"});
    }

    // Fails where nothing was joined: what was measured is of another program then.
    Result<analyze::JoinedCounters> join_counters(Profile& profile,
                                                  const importer::ImportOptions& options) const {
        OPSIGHT_ASSIGN(const Profile measured, importer::import_files(counters_, options));
        if (has_sums_only(measured.info))
            return fail(
                Error{"has sums over all launches of a kernel, and no single launch",
                      counters_.front(),
                      {},
                      "print the launches with 'ncu --import FILE.ncu-rep --csv --page raw > FILE.csv'"});
        analyze::JoinedCounters joined = analyze::join_counters(profile, measured);
        if (joined.launches == 0)
            return fail(Error{"holds no counters of launches of kernels",
                              counters_.front(),
                              {},
                              "print them with 'ncu --import FILE.ncu-rep --csv --page raw > FILE.csv'"});
        if (joined.covered == 0)
            return fail(Error{joined.summary(),
                              counters_.front(),
                              {},
                              "record counters and trace of the same program, with the same sizes"});
        profile.info.properties.emplace_back("counters", joined.summary());
        return joined;
    }

    Result<int> add_model(const std::string& profile, const ModelGraph& model) const {
        std::string name = fs::path(model_).filename().string();
        if (name.empty()) name = fs::path(model_).parent_path().filename().string();
        OPSIGHT_ASSIGN(const db::AddedModel added, db::add_model(profile, model, name));
        if (quiet_) return 0;
        std::string told =
            fmt::format("{}: {} of {} nodes of {} matched ({} by name, {} by type and order)", profile,
                        added.matched(), added.nodes, name, added.by_name, added.by_order);
        if (added.macs > 0)
            told += fmt::format(", with {:.1f}% of its multiply-adds", 100 * added.matched_macs / added.macs);
        OPSIGHT_TRY(print_text(told + "\n"));
        if (added.nodes > 0 && added.matched() == 0)
            print_note(fmt::format(
                "note: no node was found among the ops: is {} what was run? See docs/COST-MODEL.md\n", name));
        return 0;
    }

    static Status check_range(const analyze::Iterations& iterations) {
        int64_t last = -1;
        for (const analyze::Iteration& it : iterations.list)
            last = std::max(last, it.number);
        const int64_t start = std::max<int64_t>(iterations.start, 0);
        const int64_t stop = iterations.stop < 0 ? last : iterations.stop;
        if ((iterations.start < 0 && iterations.stop < 0) || (start <= stop && stop <= last)) return {};
        return fail(Error{fmt::format("there is no range of iterations {} to {}", start, stop),
                          {},
                          {},
                          last < 0 ? "no iterations were found in the trace"
                                   : fmt::format("the trace has iterations 0 to {}", last),
                          2});
    }

    Status report(const Profile& profile, const importer::ImportFacts& facts, double seconds) const {
        std::error_code ignored;
        const uintmax_t size = fs::file_size(output_, ignored);
        OPSIGHT_TRY(print_text(fmt::format(
            "{}: {} event{} of {} rank{}, {} in {:.1f} s ({}/s); {} written\n", output_, facts.events,
            facts.events == 1 ? "" : "s", profile.ranks.size(), profile.ranks.size() == 1 ? "" : "s",
            format_bytes(facts.bytes), seconds,
            format_bytes(static_cast<uint64_t>(static_cast<double>(facts.bytes) / std::max(seconds, 1e-3))),
            format_bytes(ignored ? 0 : size))));
        OPSIGHT_TRY(finish_output());
        print_diagnostics(profile.diagnostics, all_diagnostics_);
        return {};
    }

    std::vector<std::string> inputs_, captures_, counters_, execution_traces_;
    std::string output_, model_;
    ModelSizes sizes_;
    analyze::AnalysisOptions analysis_;
    size_t threads_ = 0;
    bool force_ = false, quiet_ = false, all_diagnostics_ = false, no_align_ = false;
};

}  // namespace

std::unique_ptr<Command> make_import_command() {
    return std::make_unique<ImportCommand>();
}

}  // namespace opsight::cli
