#include "collect/launch/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

#include "base/json_writer.h"
#include "base/periodic_task.h"
#include "collect/launch/recording_progress.h"
#include "wire/clock.h"

namespace opsight::collect {
namespace {

namespace fs = std::filesystem;

constexpr int kPassedOn[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
volatile pid_t g_program = 0;

// The terminal sends its signals to the program too; what a process sends to us alone is passed on.
void pass_on(int signal, siginfo_t* info, void*) {
    if (g_program > 0 && info->si_code <= 0) kill(g_program, signal);
}

class PassedSignals {
  public:
    PassedSignals() {
        struct sigaction action {};
        action.sa_sigaction = &pass_on;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        for (size_t i = 0; i < std::size(kPassedOn); ++i)
            sigaction(kPassedOn[i], &action, &before_[i]);
    }
    ~PassedSignals() {
        g_program = 0;
        for (size_t i = 0; i < std::size(kPassedOn); ++i)
            sigaction(kPassedOn[i], &before_[i], nullptr);
    }
    PassedSignals(const PassedSignals&) = delete;
    PassedSignals& operator=(const PassedSignals&) = delete;

    // In the program's process: as if we had never been. Signals that we were told to ignore stay ignored.
    void undo_in_child() const {
        for (size_t i = 0; i < std::size(kPassedOn); ++i)
            sigaction(kPassedOn[i], &before_[i], nullptr);
    }

  private:
    struct sigaction before_[std::size(kPassedOn)] = {};
};

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& changes) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text(*entry);
        bool changed = false;
        for (const auto& [key, value] : changes)
            changed |= text.size() > key.size() && text.starts_with(key) && text[key.size()] == '=';
        if (!changed) result.emplace_back(text);
    }
    for (const auto& [key, value] : changes)
        result.push_back(key + "=" + value);
    return result;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (const std::string& text : texts)
        result.push_back(const_cast<char*>(text.c_str()));
    result.push_back(nullptr);
    return result;
}

Error cannot_start(const std::string& name, int problem) {
    Error error;
    error.file = name;
    error.exit_code = problem == ENOENT ? 127 : 126;
    error.what =
        problem == ENOENT ? "command not found" : fmt::format("cannot be run: {}", std::strerror(problem));
    error.remedy = problem == ENOENT ? "check the spelling, or give the path of the program"
                                     : "the command after -- has to be an executable file";
    return error;
}

Result<ProgramEnd> wait_for(pid_t program) {
    int status = 0;
    while (waitpid(program, &status, 0) < 0)
        if (errno != EINTR) return fail(fmt::format("lost the program: {}", std::strerror(errno)));
    ProgramEnd end;
    if (WIFSIGNALED(status)) {
        end.signal = WTERMSIG(status);
        end.exit_code = 128 + end.signal;
        const char* name = sigabbrev_np(end.signal);
        end.signal_name = name ? fmt::format("SIG{}", name) : fmt::format("signal {}", end.signal);
    } else {
        end.exit_code = WEXITSTATUS(status);
    }
    return end;
}

std::string first_existing(const std::string& folder, std::initializer_list<const char*> places) {
    for (const char* place : places) {
        const fs::path path = fs::path(folder) / place;
        std::error_code problem;
        if (fs::exists(path, problem)) return fs::canonical(path, problem).string();
    }
    return {};
}

}  // namespace

Parts find_parts(const std::string& folder) {
    // Installed; in the build folder; in a build folder inside the sources.
    return {first_existing(folder, {"../lib/opsight/libopsight_torch.so", "../lib/libopsight_torch.so"}),
            first_existing(folder, {"../share/opsight/python/opsight/inject", "../python/opsight/inject",
                                    "../../python/opsight/inject"}),
            first_existing(folder, {"../lib/opsight/libopsight_nvtx.so", "../lib/libopsight_nvtx.so"}),
            first_existing(folder, {"../lib/opsight/libopsight_cuda.so", "../lib/libopsight_cuda.so"}),
            first_existing(folder, {"../share/opsight/observer", "../observer"})};
}

Result<std::string> program_folder() {
    std::error_code problem;
    const fs::path file = fs::read_symlink("/proc/self/exe", problem);
    if (problem) return fail("cannot find the place of this program: " + problem.message(), "/proc/self/exe");
    return file.parent_path().string();
}

std::string RecordOptions::json() const {
    JsonWriter json;
    json.object([&] {
        json.field("limit_bytes", limit_bytes).field("delay_s", delay_s).field("duration_s", duration_s);
        json.field("skip_iterations", skip_iterations).field("record_iterations", record_iterations);
        json.field("shapes", shapes).field("memory", memory).field("modules", modules);
        json.field("build_observer", build_observer).field("counters", counters);
    });
    return json.take();
}

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

std::string lines(const std::vector<std::pair<std::string, uint32_t>>& domains) {
    std::string text;
    for (const auto& [name, every] : domains)
        text += fmt::format("{}={}\n", name, every);
    return text;
}

void add_cuda(Variables& to, const Parts& parts, const RecordOptions& options) {
    to.emplace_back("CUDA_INJECTION64_PATH", parts.cuda);
    to.emplace_back("OPSIGHT_CUDA_WHOLE_GRAPHS", options.whole_graphs ? "1" : "0");
    to.emplace_back("OPSIGHT_CUDA_UNIFIED_MEMORY", options.unified_memory ? "1" : "0");
    if (options.flush_every_s > 0) to.emplace_back("OPSIGHT_FLUSH", std::to_string(options.flush_every_s));
    // The observer tells when its window of iterations opens, where it does not stand open from the
    // beginning.
    if (options.pytorch && options.skip_iterations + options.record_iterations > 0)
        to.emplace_back("OPSIGHT_ITERATIONS", options.skip_iterations > 0 ? "1" : "0");
}

Result<Variables> variables_for(const std::string& capture_folder, const Parts& parts,
                                const RecordOptions& options) {
    Variables result = {{"OPSIGHT_CAPTURE_DIR", capture_folder}};
    if (!parts.inject_folder.empty()) {
        const char* old_path = std::getenv("PYTHONPATH");
        result.emplace_back("PYTHONPATH",
                            parts.inject_folder + (old_path && *old_path ? std::string(":") + old_path : ""));
    }
    result.emplace_back("OPSIGHT_OPTIONS", options.pytorch ? options.json() : "");
    if (options.pytorch) {
        result.emplace_back("OPSIGHT_OBSERVER", parts.observer);
        result.emplace_back("OPSIGHT_OBSERVER_SOURCES", parts.sources);
    }
    result.emplace_back("OPSIGHT_LIMIT_BYTES", std::to_string(options.limit_bytes));
    result.emplace_back("OPSIGHT_KEEP_LAST", options.keep_last ? "1" : "0");
    result.emplace_back("OPSIGHT_BEGAN_NS", std::to_string(wire::clock_ns(CLOCK_MONOTONIC)));
    result.emplace_back("OPSIGHT_DELAY", std::to_string(options.delay_s));
    result.emplace_back("OPSIGHT_DURATION", std::to_string(options.duration_s));
    result.emplace_back("OPSIGHT_CAPTURE_REPEAT", options.capture_repeat ? "1" : "0");
    if (options.nvtx) {
        result.emplace_back("NVTX_INJECTION64_PATH", parts.nvtx);
        result.emplace_back("OPSIGHT_NVTX_DOMAINS", lines(options.domains));
    }
    if (options.cuda) add_cuda(result, parts, options);
    result.emplace_back("OPSIGHT_CAPTURE_RANGE", options.capture_range);
    result.emplace_back("OPSIGHT_GATE", "");
    if (options.capture_range.empty()) return result;
    // The page by which processes tell each other that the range is open: see Gate in recorder.h.
    const std::string gate = capture_folder + "/gate";
    const int file = open(gate.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    constexpr off_t kPage = 4096;
    const int problem = file < 0 ? errno : posix_fallocate(file, 0, kPage);
    if (file >= 0) close(file);
    if (problem != 0) return fail(fmt::format("cannot be made: {}", std::strerror(problem)), gate);
    result.back().second = gate;
    return result;
}

// Looks after the captures while the program runs. Has the system write them to disk every so often, where
// that is asked for: what a machine's crash would take is no older.
class Keeper {
  public:
    Keeper(std::string folder, double flush_every_s)
        : folder_(std::move(folder)),
          flushes_(flush_every_s > 0),
          rounds_(flushes_ ? flush_every_s : 1, [this] { look(); }) {}

    // Also what came last is said.
    void stop() {
        try {
            rounds_.stop();
        } catch (const std::exception& problem) {
            std::fprintf(stderr, "opsight: the recording could not be watched all the time: %s\n",
                         problem.what());
        }
    }

  private:
    void look() {
        std::error_code problem;
        for (fs::directory_iterator it(folder_, problem), end; !problem && it != end; it.increment(problem)) {
            if (it->path().extension() == ".opcap") progress_.look(it->path().string());
            const int file = flushes_ ? open(it->path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
            if (file < 0) continue;
            fdatasync(file);
            close(file);
        }
        progress_.tell();
    }

    const std::string folder_;
    const bool flushes_;
    RecordingProgress progress_;
    PeriodicTask rounds_;
};

}  // namespace

Result<ProgramEnd> run_recorded(const std::vector<std::string>& command, const std::string& capture_folder,
                                const Parts& parts, const RecordOptions& options) {
    OPSIGHT_ASSIGN(const Variables changes, variables_for(capture_folder, parts, options));
    const std::vector<std::string> environment = environment_with(changes);
    const std::vector<char*> arguments = pointers(command), variables = pointers(environment);

    int report[2];  // carries execvpe's errno; closes by itself when the program starts
    if (pipe2(report, O_CLOEXEC) != 0)
        return fail(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    std::fflush(nullptr);
    const PassedSignals signals;
    const pid_t program = fork();
    if (program < 0) {
        const int problem = errno;
        close(report[0]);
        close(report[1]);
        return fail(fmt::format("cannot start a process: {}", std::strerror(problem)));
    }
    if (program == 0) {
        signals.undo_in_child();
        ::signal(SIGXFSZ, SIG_DFL);  // which Opsight ignores for itself
        execvpe(arguments[0], arguments.data(), variables.data());
        const int problem = errno;
        [[maybe_unused]] const ssize_t told = write(report[1], &problem, sizeof problem);
        _exit(127);
    }
    g_program = program;
    close(report[1]);
    int problem = 0;
    const bool failed = read(report[0], &problem, sizeof problem) == sizeof problem;
    close(report[0]);
    Keeper keeper(capture_folder, options.flush_every_s);
    Result<ProgramEnd> end = wait_for(program);
    keeper.stop();
    if (failed) return fail(cannot_start(command[0], problem));
    return end;
}

}  // namespace opsight::collect
