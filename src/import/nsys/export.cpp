#include "import/nsys/export.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/temporary_folder.h"
#include "import/nsys/importer.h"

namespace opsight::importer::nsys {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHowToExport =
    "export it where Nsight Systems is installed: nsys export --type sqlite REPORT.nsys-rep, then import the "
    ".sqlite";

// Where a program of that name is on PATH; empty: nowhere.
std::string find_program(const char* name) {
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "";
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(':'), rest.size());
        const std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
        std::error_code ignored;
        if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, ignored))
            return candidate;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
}

std::string read_all(const std::string& log) {
    std::ifstream file(log, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

// The end of what a program said, on one line.
std::string last_words(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.pop_back();
    const size_t line = text.find_last_of("\r\n");
    return line == text.npos ? text : text.substr(line + 1);
}

Result<pid_t> start(const std::string& program, std::vector<std::string> words, const std::string& log) {
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // to end it with all that it starts
    posix_spawnattr_setpgroup(&attributes, 0);
    const int problem =
        posix_spawn(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (problem != 0) return fail(fmt::format("cannot be started: {}", std::strerror(problem)), program);
    return child;
}

// Waits, showing how much was exported meanwhile.
int wait_for(pid_t child, const std::string& output, Progress* progress) {
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        std::error_code problem;
        const uintmax_t size = fs::file_size(output, problem);
        if (progress && !problem) progress->set_done(size);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return status;
}

// Runs nsys to its end; what it said.
struct Run {
    bool done = false;
    std::string said;
};
Result<Run> run_export(const std::string& program, const std::vector<std::string>& more,
                       const std::string& report, const std::string& output, Progress* progress) {
    std::vector<std::string> words = {program, "export",   "--type", "sqlite", "--force-overwrite",
                                      "true",  "--output", output};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(fs::absolute(report).string());
    const std::string log = output + ".log";
    ChildProgram guard;
    OPSIGHT_ASSIGN(const pid_t child, start(program, std::move(words), log));
    guard.began(child);
    const int status = wait_for(child, output, progress);
    std::error_code problem;
    return Run{WIFEXITED(status) && WEXITSTATUS(status) == 0 && fs::exists(output, problem), read_all(log)};
}

}  // namespace

Status export_report(const std::string& report, const std::string& output, Progress* progress) {
    const std::string program = find_program("nsys");
    if (program.empty())
        return fail(
            "is a report of Nsight Systems, which only its own program 'nsys' can open; it is not on PATH",
            report, {}, kHowToExport);
    if (progress) progress->stage("exporting with nsys", 0);
    // Payloads of NVTX ranges come with their bytes where nsys can give them; versions before 2024.5 refuse
    // the option.
    OPSIGHT_ASSIGN(Run run, run_export(program, {"--include-blobs=true"}, report, output, progress));
    if (!run.done && run.said.find("include-blobs") != std::string::npos) {
        OPSIGHT_ASSIGN(run, run_export(program, {}, report, output, progress));
    }
    if (run.done) return {};
    const std::string words = last_words(std::move(run.said));
    return fail("'nsys export' failed: " + (words.empty() ? "it wrote no database and said nothing" : words),
                report, {}, kHowToExport);
}

bool is_report(const std::string& path) {
    return path.ends_with(".nsys-rep") || path.ends_with(".qdrep");
}

Result<ReportFacts> import_report(const std::string& path, const ReadOptions& options,
                                  ProfileBuilder& builder) {
    OPSIGHT_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create());
    const std::string output = folder.path() + "/report.sqlite";
    OPSIGHT_TRY(export_report(path, output, options.progress));
    std::error_code ignored;
    if (options.progress) options.progress->stage("reading", fs::file_size(output, ignored));
    return import_export(output, {options.progress, 0}, builder, path);
}

}  // namespace opsight::importer::nsys
