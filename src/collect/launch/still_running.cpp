#include "collect/launch/still_running.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "wire/reader.h"

namespace opsight::collect {
namespace {

namespace fs = std::filesystem;

bool has_mapped(const std::string& process, const std::string& file) {
    std::ifstream maps(process + "/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.ends_with(file)) return true;
    return false;
}

enum class Told { kNo, kYes, kUnknown };

// In ticks since the machine started; 0 where the process is gone. Here and below a process is its folder.
uint64_t started_at(const std::string& process) {
    std::ifstream stat(process + "/stat");
    std::string line;
    std::getline(stat, line);
    std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));  // names have blanks
    std::string field;
    for (int i = 0; i < 20; ++i)
        fields >> field;
    uint64_t ticks = 0;
    std::from_chars(field.data(), field.data() + field.size(), ticks);
    return ticks;
}

// Between fork and the start of its next program a process shows no environment for a moment, long on a busy
// machine. Kernel threads and zombies have none for good, but no program either.
bool may_be_starting(const std::string& process, const std::string& self) {
    std::error_code problem;
    const bool has_program = !fs::read_symlink(process + "/exe", problem).empty();
    return has_program && started_at(process) >= started_at(self);
}

Told was_told(const std::string& process, const std::string& self, const std::string& variable) {
    std::ifstream environment(process + "/environ", std::ios::binary);
    if (!environment) return Told::kNo;  // another user's
    bool empty = true;
    for (std::string each; std::getline(environment, each, '\0'); empty = false)
        if (each == variable) return Told::kYes;
    return empty && may_be_starting(process, self) ? Told::kUnknown : Told::kNo;
}

struct Running {
    std::set<std::string> processes;
    bool may_be_more = false;
};

Running running_now(const std::string& capture_folder, const std::vector<std::string>& captures,
                    const std::string& proc) {
    Running found;
    for (const std::string& file : captures) {
        if (!file.ends_with(".opcap")) continue;
        const auto reader = wire::CaptureReader::open(file);
        if (!reader || reader->info().finished) continue;
        std::string process = std::to_string(reader->info().pid);
        if (has_mapped(proc + "/" + process, file)) found.processes.insert(std::move(process));
    }
    const std::string variable = "OPSIGHT_CAPTURE_DIR=" + capture_folder;
    std::error_code problem;
    for (fs::directory_iterator it(proc, problem), end; !problem && it != end; it.increment(problem)) {
        std::string process = it->path().filename().string();
        if (!std::all_of(process.begin(), process.end(), [](char c) { return c >= '0' && c <= '9'; }))
            continue;
        const Told told = was_told(it->path().string(), proc + "/self", variable);
        if (told == Told::kYes) found.processes.insert(std::move(process));
        found.may_be_more |= told == Told::kUnknown;
    }
    return found;
}

}  // namespace

size_t still_running(const std::string& capture_folder, const std::vector<std::string>& captures,
                     std::chrono::milliseconds patience, const std::string& proc) {
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
        const Running running = running_now(capture_folder, captures, proc);
        const bool known = !running.processes.empty() || !running.may_be_more;
        const auto now = std::chrono::steady_clock::now();
        if ((known && running.processes.empty()) || now >= (known ? until : until + patience))
            return running.processes.size();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

}  // namespace opsight::collect
