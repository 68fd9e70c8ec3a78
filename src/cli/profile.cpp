// opsight profile [-o NAME] [options] -- COMMAND...
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/output_file.h"
#include "cli/commands.h"
#include "cli/kept_when_stopped.h"
#include "cli/outcome_file.h"
#include "cli/save_profile.h"
#include "cli/standard_output.h"
#include "cli/this_machine.h"
#include "collect/launch/check.h"
#include "collect/launch/counters.h"
#include "collect/launch/launcher.h"
#include "collect/launch/nsys.h"
#include "collect/launch/outcome.h"
#include "collect/launch/still_running.h"
#include "import/capture/importer.h"
#include "import/import.h"

namespace opsight::cli {
namespace {

namespace fs = std::filesystem;

// For helpers of the program that end just after it, as those of Python's multiprocessing do.
constexpr std::chrono::milliseconds kMomentToEnd(500);

constexpr const char* kExamples =
    "Examples:\n"
    "  opsight profile -- python3 train.py --epochs 1\n"
    "  opsight profile -o resnet.opsight --skip-iterations 10 --record-iterations 50 -- python3 train.py\n"
    "  opsight profile --no-memory --duration 30 -- torchrun --nproc-per-node 2 train.py\n"
    "  srun opsight profile --into runs/a -- python3 train.py; opsight import runs/a -o a.opsight\n"
    "  opsight profile --nvtx --capture-range epoch@app -- ./simulate input.dat\n"
    "  opsight profile --counters cpu -- python3 train.py\n"
    "  opsight profile --check\n"
    "\n"
    "The program needs no change. Its output and its exit code pass through; Ctrl-C ends the program and "
    "keeps\n"
    "the profile, and so does a crash. In PyTorch an iteration ends with an optimizer step. Without --nvtx,\n"
    "--cuda and --pytorch all of them are recorded. docs/COLLECTING.md tells what to use when.";

void say(const std::string& line) {
    print_note("opsight: " + line + "\n");
}

// Whether the range that recording waits for ever began, by the page that the processes shared (Gate in
// collect/recorder.h): how many are open, how many have ended.
bool range_came(const std::string& capture_folder) {
    std::array<uint32_t, 2> counts{};
    std::ifstream file(capture_folder + "/gate", std::ios::binary);
    file.read(reinterpret_cast<char*>(counts.data()), sizeof counts);
    return counts[0] + counts[1] > 0;
}

// Keeps the folder of captures as long as it may hold something that is in no profile.
class CaptureFolder {
  public:
    static Result<CaptureFolder> make(const std::string& output) {
        std::string path = output + fmt::format(".capture-{}", getpid());
        std::error_code problem;
        path = fs::absolute(path, problem).string();
        if (!fs::create_directory(path, problem))
            return fail(
                "cannot make a folder for the recording: " + (problem ? problem.message() : "it exists"),
                path, {}, "choose a folder that can be written to with -o");
        return CaptureFolder(std::move(path));
    }
    // One of its own in a folder that others, on whichever host, record into as well.
    static Result<CaptureFolder> make_in(const std::string& shared) {
        std::error_code problem;
        fs::path path = fs::absolute(shared, problem);
        fs::create_directories(path, problem);
        char host[256] = "host";
        gethostname(host, sizeof host - 1);
        path /= fmt::format("{}-{}", host, getpid());
        if (problem || !fs::create_directory(path, problem))
            return fail(
                "cannot make a folder for the recording: " + (problem ? problem.message() : "it exists"),
                path.string(), {}, "choose a folder that can be written to with --into");
        return CaptureFolder(path.string());
    }
    const std::string& path() const { return path_; }
    void remove() const {
        std::error_code ignored;  // at worst a folder stays behind
        fs::remove_all(path_, ignored);
    }

  private:
    explicit CaptureFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

std::string still_running_words(size_t processes) {
    return fmt::format("{} of the program's processes {} still running", processes,
                       processes == 1 ? "is" : "are");
}

// "profile.opsight", or the first of "profile-2.opsight", ... that is free.
std::string free_name() {
    std::string name = "profile.opsight";
    for (int i = 2; fs::exists(name); ++i)
        name = fmt::format("profile-{}.opsight", i);
    return name;
}

// The observer's captures, and the traces that torch.profiler left where the observer did not fit.
std::vector<std::string> recordings_in(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(folder, problem))
        if (entry.is_regular_file(problem) && !entry.is_symlink(problem) &&
            importer::has_known_ending(entry.path().string()))
            files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

class ProfileCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand("profile", "Run a program and record what takes its time");
        sub->add_option("-o,--output", output_,
                        "The profile to write (default: profile.opsight, or the next free number)");
        sub->add_option("--into", into_,
                        "Leave the recording in this folder and make no profile: for a command on each rank; "
                        "'opsight import FOLDER' joins them")
            ->type_name("FOLDER")
            ->excludes("--output");
        sub->add_flag("--force", force_, "Replace the output if it exists");
        sub->add_flag("--check", check_,
                      "Tell what can be recorded on this machine, and why the rest cannot");
        sub->add_option("--collector", collector_,
                        "Who records: Opsight itself, or Nsight Systems where it is installed")
            ->check(CLI::IsMember({"opsight", "nsys"}))
            ->capture_default_str();
        declare_what(*sub);
        declare_when(*sub);
        sub->add_option("--buffer-mb", buffer_mb_,
                        "Disk space for the recording of each process; what comes later is counted as lost")
            ->type_name("MB")
            ->check(CLI::Range(1, 1 << 20))
            ->capture_default_str();
        sub->add_flag("--keep-last", options_.keep_last,
                      "Where --buffer-mb is full, keep the newest records instead of the first");
        sub->add_option(
               "--flush-every", options_.flush_every_s,
               "Have what was recorded written to disk every S seconds, for a machine that may crash")
            ->type_name("S")
            ->check(CLI::Range(0.01, 1e6));
        sub->add_option("--outcome", outcome_,
                        "Write how the program ended, how long it ran and the most memory that one of its "
                        "processes held to this file, as JSON")
            ->type_name("FILE");
        sub->add_flag("--keep-capture", keep_capture_, "Keep the raw recording beside the profile");
        sub->add_option("command", command_, "The program and its arguments, after --");
        sub->footer(kExamples);
        return sub;
    }

    Result<int> run() override {
        OPSIGHT_ASSIGN(const std::string folder, collect::program_folder());
        const collect::Parts parts = collect::find_parts(folder);
        if (check_) return print_abilities(parts);
        if (command_.empty()) {
            Error error;
            error.what = "no command to run";
            error.remedy = "give the program after --, as in: opsight profile -- python3 train.py";
            error.exit_code = 2;
            return fail(std::move(error));
        }
        if (output_.empty()) output_ = into_.empty() ? free_name() : "run.opsight";
        if (into_.empty()) OPSIGHT_TRY(check_output(output_, force_));
        OPSIGHT_TRY(choose(parts));
        OPSIGHT_ASSIGN(const CaptureFolder captures,
                       into_.empty() ? CaptureFolder::make(output_) : CaptureFolder::make_in(into_));

        options_.limit_bytes = static_cast<uint64_t>(buffer_mb_) << 20;
        const auto begin = std::chrono::steady_clock::now();
        auto end = collector_ == "nsys" ? collect::run_nsys(command_, captures.path(), options_)
                                        : collect::run_recorded(command_, captures.path(), parts, options_);
        if (!end) {
            captures.remove();
            return fail(std::move(end).error());
        }
        if (!outcome_.empty()) {
            const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
            OPSIGHT_TRY(write_outcome(outcome_,
                                      {end->exit_code, end->signal_name, wall.count(), peak_of_children()}));
        }
        if (end->signal)
            say(fmt::format("the program was ended by {}; keeping what it had recorded", end->signal_name));
        return finish(captures, end->exit_code);
    }

  private:
    void declare_what(CLI::App& sub) {
        sub.add_flag("--nvtx", nvtx_, "Record NVTX ranges, marks and counters");
        sub.add_flag("--cuda", cuda_, "Record CUDA: calls, kernels, copies, memory");
        sub.add_flag("--pytorch", pytorch_, "Record PyTorch's ops");
        sub.add_flag("--cuda-whole-graphs", options_.whole_graphs,
                     "Record a launch of a CUDA graph as one piece of work, not kernel by kernel");
        sub.add_flag("--cuda-unified-memory", options_.unified_memory,
                     "Record migrations and page faults of CUDA's unified memory");
        sub.add_option("--nvtx-include", include_,
                       "Record only NVTX events of this domain (\"default\": of none)")
            ->type_name("DOMAIN")
            ->allow_extra_args(false);
        sub.add_option("--nvtx-exclude", exclude_, "Record no NVTX events of this domain")
            ->type_name("DOMAIN")
            ->allow_extra_args(false);
        sub.add_option("--nvtx-sample", sample_, "Record every Nth outermost range of this domain")
            ->type_name("DOMAIN=N")
            ->allow_extra_args(false);
        sub.add_flag("!--no-shapes", options_.shapes, "Leave out the shapes and dtypes of ops");
        sub.add_flag("!--no-memory", options_.memory, "Leave out allocations");
        sub.add_flag("!--no-modules", options_.modules, "Leave out calls of nn.Module");
        sub.add_option("--counters", counters_,
                       "Read counters of the processor around each op: cpu for all that this machine allows, "
                       "or a list (instructions,l1_loads,...); --check names them")
            ->type_name("cpu|LIST");
        sub.add_flag(
            "!--no-build-observer", options_.build_observer,
            "Where the observer of this Opsight does not fit the program's PyTorch, build none for it: "
            "use torch.profiler");
    }

    void declare_when(CLI::App& sub) {
        sub.add_option("--delay", options_.delay_s,
                       "Record nothing in the first S seconds (of PyTorch: after torch is imported)")
            ->type_name("S")
            ->check(CLI::Range(0.0, 1e8));
        sub.add_option("--duration", options_.duration_s,
                       "Record for S seconds; the program runs on to its end")
            ->type_name("S")
            ->check(CLI::Range(0.001, 1e8));
        sub.add_option("--capture-range", options_.capture_range,
                       "Record only while the NVTX range NAME (of DOMAIN) is open, the first time; "
                       "cudaProfilerApi: from cudaProfilerStart to cudaProfilerStop")
            ->type_name("NAME[@DOMAIN]");
        sub.add_flag("--capture-repeat", options_.capture_repeat, "Every time that the range is open")
            ->needs("--capture-range");
        sub.add_option("--skip-iterations", options_.skip_iterations,
                       "Record nothing in the first N iterations of PyTorch")
            ->type_name("N");
        sub.add_option("--record-iterations", options_.record_iterations,
                       "Record N iterations of PyTorch, then no more")
            ->type_name("N")
            ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000}));
    }

    // What to record, and whether it can be.
    Status choose(const collect::Parts& parts) {
        if (nvtx_ || cuda_ || pytorch_) {
            options_.nvtx = nvtx_;
            options_.cuda = cuda_;
            options_.pytorch = pytorch_;
        }
        OPSIGHT_TRY(check_nsys());
        OPSIGHT_TRY(choose_counters());
        if (options_.capture_range == collect::kProfilerRange)
            options_.cuda = true;
        else if (!options_.capture_range.empty())
            options_.nvtx = true;
        if (options_.cuda && parts.cuda.empty())
            return fail("libopsight_cuda.so of this Opsight is missing", {}, {}, "install Opsight again");
        if (options_.pytorch && parts.inject_folder.empty())
            return fail("the Python part of Opsight is missing (python/opsight)", parts.nvtx, {},
                        "install Opsight again");
        if (options_.nvtx && parts.nvtx.empty())
            return fail("libopsight_nvtx.so of this Opsight is missing", {}, {}, "install Opsight again");
        // The first rule that names a domain holds.
        for (const std::string& domain : exclude_)
            options_.domains.emplace_back(domain, 0);
        for (const std::string& rule : sample_)
            OPSIGHT_TRY(add_sample(rule));
        for (const std::string& domain : include_)
            options_.domains.emplace_back(domain, 1);
        if (!include_.empty()) options_.domains.emplace_back("*", 0);
        return {};
    }

    Status choose_counters() {
        if (counters_.empty()) return {};
        OPSIGHT_ASSIGN(options_.counters, collect::read_counters(counters_));
        if (!options_.pytorch) {
            Error error;
            error.what = "--counters reads counters around ops of PyTorch, which are not recorded";
            error.remedy = "leave --nvtx and --cuda out, or add --pytorch";
            error.exit_code = 2;
            return fail(std::move(error));
        }
        const collect::CounterAbility ability = collect::check_counters(options_.counters);
        if (ability.here != options_.counters) say("counters: " + ability.detail);
        return {};
    }

    // What only Opsight's own collector can do must not be left out in silence.
    Status check_nsys() const {
        std::vector<std::string> lacks;
        if (pytorch_) lacks.push_back("--pytorch");
        if (!sample_.empty()) lacks.push_back("--nvtx-sample");
        if (options_.skip_iterations > 0) lacks.push_back("--skip-iterations");
        if (options_.record_iterations > 0) lacks.push_back("--record-iterations");
        if (options_.flush_every_s > 0) lacks.push_back("--flush-every");
        if (options_.keep_last) lacks.push_back("--keep-last");
        if (!counters_.empty()) lacks.push_back("--counters");
        if (options_.whole_graphs) lacks.push_back("--cuda-whole-graphs");
        if (options_.unified_memory) lacks.push_back("--cuda-unified-memory");
        if (collector_ != "nsys" || lacks.empty()) return {};
        Error error;
        error.what = fmt::format("Nsight Systems has nothing like {}", fmt::join(lacks, ", "));
        error.remedy = "leave it out, or leave out --collector nsys";
        error.exit_code = 2;
        return fail(std::move(error));
    }

    Status add_sample(const std::string& rule) {
        const size_t equals = rule.rfind('=');
        uint32_t every = 0;
        const char* const end = rule.data() + rule.size();
        if (equals != rule.npos && std::from_chars(rule.data() + equals + 1, end, every).ptr == end &&
            every > 0) {
            options_.domains.emplace_back(rule.substr(0, equals), every);
            return {};
        }
        Error error;
        error.what = fmt::format("--nvtx-sample {}: expected DOMAIN=N with N of at least 1", rule);
        error.exit_code = 2;
        return fail(std::move(error));
    }

    static Result<int> print_abilities(const collect::Parts& parts) {
        for (const collect::Ability& ability : collect::check_abilities(parts))
            OPSIGHT_TRY(print_text(
                fmt::format("{:<8} {:<4} {}\n", ability.name, ability.ready ? "yes" : "no", ability.detail)));
        return 0;
    }

    Result<int> nothing_recorded(const CaptureFolder& captures, int exit_code) const {
        const int code = exit_code ? exit_code : 1;
        const size_t running = collect::still_running(captures.path(), {}, kMomentToEnd);
        if (running > 0) {
            say(fmt::format(
                "nothing was recorded yet, so no profile was written. {}: what they do is recorded in {}; "
                "when they have ended: opsight import {} -o {}",
                still_running_words(running), captures.path(), into_.empty() ? captures.path() : into_,
                into_.empty() ? output_ : "run.opsight"));
            return code;
        }
        captures.remove();
        if (collector_ == "nsys")
            say(fmt::format(
                "Nsight Systems left no report (exit code {}), so no profile was written; what it "
                "said stands above",
                exit_code));
        else
            say("nothing was recorded, so no profile was written. If no reason stands above, the command "
                "neither called NVTX or CUDA nor did it import torch in a Python that can be observed (one "
                "started with -I or -E cannot be)");
        return code;
    }

    // The program's own exit code wins over ours, where it tells of a failure.
    Result<int> finish(const CaptureFolder& captures, int exit_code) {
        std::vector<std::string> files = recordings_in(captures.path());
        std::erase_if(files, [](const std::string& file) {
            return importer::capture::is_named_so(file) && importer::capture::was_being_opened(file);
        });
        if (!options_.capture_range.empty() && collector_ == "opsight" && !range_came(captures.path()))
            say(options_.capture_range == collect::kProfilerRange
                    ? "cudaProfilerStart was never called, so nothing was recorded"
                    : fmt::format("the NVTX range {} never began, so nothing was recorded",
                                  options_.capture_range));
        tell_of_cuda(files);
        if (files.empty()) return nothing_recorded(captures, exit_code);
        if (!into_.empty()) {
            say(fmt::format(
                "recorded {} {} in {}. When all ranks have ended: opsight import {} -o run.opsight",
                files.size(), files.size() == 1 ? "process" : "processes", captures.path(), into_));
            return exit_code;
        }
        Status saved;
        {
            const KeptWhenStopped kept(captures.path(), output_);
            saved = save(files);
        }
        if (!saved) {
            Error error = saved.error();
            error.remedy =
                fmt::format("the recording is kept: opsight import {} -o {}", captures.path(), output_);
            if (!exit_code) return fail(std::move(error));
            say(error.message());
            return exit_code;
        }
        const size_t running = collect::still_running(captures.path(), files, kMomentToEnd);
        if (running > 0)
            say(fmt::format("{}: what they do from now on is recorded in {}, and not in the profile",
                            still_running_words(running), captures.path()));
        else if (keep_capture_)
            say("kept the recording in " + captures.path());
        else
            captures.remove();
        return exit_code;
    }

    // Why CUDA is not in the profile. Silence is right where nobody asked for it and the program has none.
    void tell_of_cuda(const std::vector<std::string>& files) const {
        if (!options_.cuda || collector_ != "opsight") return;
        const collect::CudaOutcome outcome = collect::cuda_outcome(files);
        for (const collect::CudaOutcome::Problem& problem : outcome.problems)
            say("CUDA: " + problem.line +
                (problem.count > 1 ? fmt::format(" ({} times)", problem.count) : ""));
        if (cuda_ && !outcome.recorded && outcome.problems.empty())
            say("CUDA: no process started it; see opsight profile --check");
    }

    Status save(const std::vector<std::string>& files) {
        Progress progress(isatty(STDERR_FILENO) == 1);
        importer::ImportOptions how;
        how.one_run = true;
        how.progress = &progress;
        OPSIGHT_ASSIGN(Profile profile, importer::import_files(files, how));
        progress.clear();
        // The recordings go away; what they were made of stays.
        profile.info.sources = {fmt::format("{}", fmt::join(command_, " "))};
        for (Rank& rank : profile.ranks)
            rank.source = profile.info.sources[0];
        add_this_processor(profile.info);
        OPSIGHT_ASSIGN(const SavedProfile saved, save_profile(std::move(profile), output_, force_));
        say(
            fmt::format("wrote {}: {} ops, {} NVTX ranges and marks, in {} iterations and {} layers, {:.1f} "
                        "MB. See: opsight report {}",
                        output_, saved.ops, saved.nvtx, saved.iterations, saved.layers,
                        static_cast<double>(saved.file_bytes) / 1e6, output_));
        if (saved.ops + saved.nvtx + saved.device == 0 && chose_a_part())
            say("nothing that the program did lies in what the options choose: domains, time or iterations");
        return {};
    }

    bool chose_a_part() const {
        return !options_.domains.empty() || options_.delay_s > 0 || options_.duration_s > 0 ||
               options_.skip_iterations > 0;
    }

    std::string output_, into_, counters_, outcome_;
    bool force_ = false, keep_capture_ = false, check_ = false;
    bool nvtx_ = false, cuda_ = false, pytorch_ = false;
    std::string collector_ = "opsight";
    std::vector<std::string> include_, exclude_, sample_;
    int buffer_mb_ = 1024;
    collect::RecordOptions options_;
    std::vector<std::string> command_;
};

}  // namespace

std::unique_ptr<Command> make_profile_command() {
    return std::make_unique<ProfileCommand>();
}

}  // namespace opsight::cli
