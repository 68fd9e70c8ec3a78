#include "collect/launch/still_running.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "wire/reader.h"

namespace opsight::collect {
namespace {

namespace fs = std::filesystem;

bool has_mapped(const std::string& process, const std::string& file) {
    std::ifstream maps("/proc/" + process + "/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.ends_with(file)) return true;
    return false;
}

bool was_told(const std::string& process, const std::string& variable) {
    std::ifstream environment("/proc/" + process + "/environ", std::ios::binary);
    for (std::string each; std::getline(environment, each, '\0');)
        if (each == variable) return true;
    return false;
}

size_t running_now(const std::string& capture_folder, const std::vector<std::string>& captures) {
    std::set<std::string> found;
    for (const std::string& file : captures) {
        if (!file.ends_with(".opcap")) continue;
        const auto reader = wire::CaptureReader::open(file);
        if (!reader || reader->info().finished) continue;
        std::string process = std::to_string(reader->info().pid);
        if (has_mapped(process, file)) found.insert(std::move(process));
    }
    const std::string variable = "OPSIGHT_CAPTURE_DIR=" + capture_folder;
    std::error_code problem;
    for (fs::directory_iterator it("/proc", problem), end; !problem && it != end; it.increment(problem)) {
        std::string process = it->path().filename().string();
        if (std::all_of(process.begin(), process.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
            was_told(process, variable))
            found.insert(std::move(process));
    }
    return found.size();
}

}  // namespace

size_t still_running(const std::string& capture_folder, const std::vector<std::string>& captures,
                     std::chrono::milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    for (;;) {
        const size_t running = running_now(capture_folder, captures);
        if (running == 0 || std::chrono::steady_clock::now() >= until) return running;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

}  // namespace opsight::collect
