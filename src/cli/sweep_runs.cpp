#include "cli/sweep_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"
#include "cli/any_profile.h"
#include "cli/child_run.h"
#include "cli/outcome_file.h"
#include "cli/standard_output.h"
#include "query/sweep/sweep.h"

namespace opsight::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::streamoff kReadOfOutput = 1 << 16;
constexpr size_t kLongestReason = 200;

double since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<std::string> last_lines(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file.tellg();
    file.seekg(std::max<std::streamoff>(0, size - kReadOfOutput));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        if (line.find_first_not_of(" \t\r") != line.npos) lines.push_back(line.substr(0, kLongestReason));
    return lines;
}

// The last line that the program said, or `opsight profile` around it.
std::string last_words(const std::vector<std::string>& lines, Words words) {
    std::string last;
    for (const std::string& line : lines)
        if (line.starts_with("opsight: ") == (words == Words::kOfOpsight)) last = line;
    return last;
}

bool tells_no_memory(std::string line) {
    std::transform(line.begin(), line.end(), line.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char* words : {"out of memory", "can't allocate memory", "cannot allocate memory",
                              "memoryerror", "bad_alloc", "outofmemoryerror"})
        if (line.find(words) != line.npos) return true;
    return false;
}

std::string time_left(double seconds) {
    if (seconds < 90) return fmt::format("{:.0f} s", seconds);
    if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
}

class Runner {
  public:
    Runner(SweepFolder& folder, const SweepHow& how) : folder_(folder), how_(how) {}

    Result<int> run() {
        OPSIGHT_ASSIGN(points_, sweep::points_of(folder_.plan().parameters));
        for (const sweep::Trial& each : sweep::order_of(points_.size(), how_.repeats, how_.bare, how_.seed))
            if (!folder_.find(name_of(each), each.repeat, each.bare)) waiting_.push_back(each);
        OPSIGHT_ASSIGN(TemporaryFolder scratch, TemporaryFolder::create());
        scratch_.emplace(std::move(scratch));
        const size_t all = points_.size() * static_cast<size_t>(how_.repeats) * (how_.bare ? 2 : 1);
        print_note(fmt::format(
            "opsight: {} runs of {} points, in random order (seed {}){}\n", waiting_.size(), points_.size(),
            how_.seed,
            waiting_.size() < all ? fmt::format("; {} are there already", all - waiting_.size()) : ""));
        const Clock::time_point begin = Clock::now();
        const StopSignals signals;
        for (done_ = 0; done_ < waiting_.size(); ++done_) {
            OPSIGHT_ASSIGN(const int stopped, one(waiting_[done_], signals));
            if (stopped) return say_stopped(stopped);
        }
        const double own = since(begin) - ran_s_;
        if (!waiting_.empty())
            print_note(fmt::format("opsight: the runs took {:.1f} s, the sweep added {:.2f} s ({:.2f} %)\n",
                                   ran_s_, own, 100 * own / std::max(1e-9, ran_s_)));
        return 0;
    }

  private:
    std::string name_of(const sweep::Trial& trial) const {
        return sweep::name_of(folder_.plan().parameters, points_[trial.point]);
    }

    int say_stopped(int signal) const {
        print_note(
            fmt::format("opsight: stopped by {}; {} of {} runs are done and kept. The same command goes on\n",
                        strsignal(signal), done_, waiting_.size()));
        return 128 + signal;
    }

    // The signal that stopped us; 0: none.
    Result<int> one(const sweep::Trial& trial, const StopSignals& signals) {
        if (const int stopped = signals.stopped()) return stopped;
        SweepRun run{.point = name_of(trial), .repeat = trial.repeat, .bare = trial.bare};
        OPSIGHT_ASSIGN(
            const std::vector<std::string> words,
            sweep::words_of_point(folder_.plan().command, folder_.plan().parameters, points_[trial.point]));
        const std::string output = folder_.output_of(run.point, run.repeat, run.bare);
        const std::string outcome = scratch_->path() + "/outcome.json";
        std::error_code ignored;
        fs::remove(outcome, ignored);
        // One that a killed sweep left is none of this run.
        if (!run.bare) fs::remove(folder_.profile_of(run.point, run.repeat), ignored);
        OPSIGHT_ASSIGN(const ChildEnd end, run_child(run.bare ? words : recorded_words(words, run, outcome),
                                                     output, how_.limit_s, signals));
        if (end.stopped_by) return end.stopped_by;
        ran_s_ += end.wall_s;
        run.took_s = end.wall_s;
        std::string shown;
        if (end.timed_out)
            run.failed = fmt::format("took longer than {:g} s (--timeout)", how_.limit_s);
        else if (run.bare)
            take_bare(run, end, output);
        else
            OPSIGHT_TRY(take_recorded(run, end, outcome, output, shown));
        OPSIGHT_TRY(folder_.add(run));
        tell(run, shown);
        return 0;
    }

    std::vector<std::string> recorded_words(const std::vector<std::string>& words, const SweepRun& run,
                                            const std::string& outcome) const {
        std::vector<std::string> all = {
            "/proc/self/exe", "profile", "--force", "-o", folder_.profile_of(run.point, run.repeat),
            "--outcome",      outcome,   "--"};
        all.insert(all.end(), words.begin(), words.end());
        return all;
    }

    static std::string why(const ChildEnd& end, const std::string& output, Words words) {
        const char* name = end.signal ? sigabbrev_np(end.signal) : nullptr;
        return reason_of(end.exit_code, name ? fmt::format("SIG{}", name) : "", output, words);
    }

    static void take_bare(SweepRun& run, const ChildEnd& end, const std::string& output) {
        run.wall_s = end.wall_s;
        run.rss_bytes = end.rss_bytes;
        if (end.exit_code != 0) run.failed = why(end, output, Words::kOfProgram);
    }

    Status take_recorded(SweepRun& run, const ChildEnd& end, const std::string& outcome,
                         const std::string& output, std::string& shown) {
        const Result<Outcome> told = read_outcome(outcome);
        if (!told) {  // the program did not even begin
            run.failed = why(end, output, Words::kOfOpsight);
            return {};
        }
        run.wall_s = told->wall_s;
        run.rss_bytes = told->rss_bytes;
        if (told->exit_code != 0) {
            run.failed = reason_of(told->exit_code, told->signal, output, Words::kOfProgram);
            return {};
        }
        const std::string profile = folder_.profile_of(run.point, run.repeat);
        std::error_code ignored;
        if (!fs::exists(profile, ignored)) {
            const std::string said = last_words(last_lines(output), Words::kOfOpsight);
            run.failed = said.empty() ? "no profile was made: " + output + " has what was said"
                                      : "no profile was made: " + said;
            return {};
        }
        Result<query::RecordedRun> recorded = query::read_profile_of_run(profile);
        if (!recorded) {
            run.failed = "no profile to read: " + recorded.error().message();
            return {};
        }
        std::vector<double> times(recorded->times_ns.begin(), recorded->times_ns.end());
        shown = fmt::format("{:.4g} ms {}", ::opsight::sweep::median_of(std::move(times)) / 1e6,
                            recorded->whole ? "in all: it has no iterations that are sure" : "an iteration");
        return folder_.keep(run.point, run.repeat, *recorded);
    }

    void tell(const SweepRun& run, const std::string& shown) {
        seconds_[{run.point, run.bare}] = run.took_s;
        double left = 0;
        for (size_t i = done_ + 1; i < waiting_.size(); ++i) {
            const auto known = seconds_.find({name_of(waiting_[i]), waiting_[i].bare});
            left += known != seconds_.end() ? known->second : ran_s_ / static_cast<double>(done_ + 1);
        }
        const std::string what = !run.failed.empty() ? "failed: " + run.failed
                                 : run.bare          ? fmt::format("by itself: {:.2f} s", run.took_s)
                                                     : "recorded: " + shown;
        print_note(fmt::format(
            "opsight: [{}/{}] {}, run {}, {}{}\n", done_ + 1, waiting_.size(), run.point, run.repeat, what,
            done_ + 1 < waiting_.size() ? fmt::format("; about {} left", time_left(left)) : ""));
    }

    SweepFolder& folder_;
    const SweepHow& how_;
    std::vector<sweep::Point> points_;
    std::vector<sweep::Trial> waiting_;
    std::optional<TemporaryFolder> scratch_;
    std::map<std::pair<std::string, bool>, double> seconds_;  // how long a run of that point took
    size_t done_ = 0;
    double ran_s_ = 0;
};

}  // namespace

std::string reason_of(int exit_code, const std::string& signal, const std::string& output_file, Words words) {
    const std::vector<std::string> lines = last_lines(output_file);
    for (auto line = lines.rbegin(); line != lines.rend(); ++line)
        if (tells_no_memory(*line)) return "out of memory: " + *line;
    if (signal == "SIGKILL") return "killed (SIGKILL), as the system does where memory is short";
    const std::string last = last_words(lines, words);
    const std::string how = signal.empty() ? fmt::format("exit code {}", exit_code) : "ended by " + signal;
    return last.empty() ? how : fmt::format("{}: {}", how, last);
}

Result<int> run_sweep(SweepFolder& folder, const SweepHow& how) {
    if (how.retry_failed) folder.forget_failures();
    return Runner(folder, how).run();
}

Status import_sweep(SweepFolder& folder) {
    OPSIGHT_ASSIGN(const std::vector<sweep::Point> points, sweep::points_of(folder.plan().parameters));
    for (size_t i = 0; i < points.size(); ++i) {
        const std::string name = sweep::name_of(folder.plan().parameters, points[i]);
        const SweepRun* const done = folder.find(name, 1, false);
        OPSIGHT_ASSIGN(const std::vector<std::string> path,
                       sweep::words_of_point(folder.plan().command, folder.plan().parameters, points[i]));
        // What another Opsight kept, or has changed since, is read again where the trace is there still; so
        // is what could not be read.
        if (done && done->failed.empty() && folder.keeps_own(*done, path[0])) continue;
        SweepRun run{.point = name};
        const auto read = [&]() -> Result<query::RecordedRun> {
            OPSIGHT_ASSIGN(const AnyProfile profile, AnyProfile::open(path[0], true));
            return query::read_profile_of_run(profile.path());
        };
        const Result<query::RecordedRun> recorded = read();
        if (!recorded && done && done->failed.empty()) continue;  // the folder tells of it
        if (recorded)
            OPSIGHT_TRY(folder.keep(name, 1, *recorded));
        else
            run.failed = recorded.error().message();
        OPSIGHT_TRY(folder.add(run));
        print_note(fmt::format("opsight: [{}/{}] {}: {}\n", i + 1, points.size(), name,
                               recorded ? path[0] : "failed: " + run.failed));
    }
    return {};
}

}  // namespace opsight::cli
