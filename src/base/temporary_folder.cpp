#include "base/temporary_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>

namespace opsight {
namespace {

namespace fs = std::filesystem;

constexpr int kSignals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};

// The folders that there are, where a signal handler can read them. More than there are places for are only
// removed at the end of their lives.
struct Place {
    volatile std::sig_atomic_t used = 0;
    char path[512] = {};
};
std::array<Place, 8> places;
std::mutex places_mutex;

volatile std::sig_atomic_t child_group = 0;  // of the program that works for us; 0: none

// Only calls that a signal handler may make: no opendir, no memory.
void remove_inside(int folder, int levels) {
    alignas(dirent64) char entries[4096];
    while (true) {
        const long size = ::syscall(SYS_getdents64, folder, entries, sizeof entries);
        if (size <= 0) return;
        for (long at = 0; at < size;) {
            const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
            at += entry->d_reclen;
            const char* name = entry->d_name;
            if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
            if (::unlinkat(folder, name, 0) == 0 || levels == 0) continue;
            const int inner = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
            if (inner < 0) continue;
            remove_inside(inner, levels - 1);
            ::close(inner);
            ::unlinkat(folder, name, AT_REMOVEDIR);
        }
    }
}

void remove_and_end(int signal) {
    if (child_group > 0) ::kill(-child_group, SIGTERM);
    for (const Place& place : places) {
        if (!place.used) continue;
        const int folder = ::open(place.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (folder < 0) continue;
        remove_inside(folder, 2);
        ::close(folder);
        ::rmdir(place.path);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

// Signals that somebody ignores or handles already stay as they are.
void watch_signals() {
    for (const int signal : kSignals) {
        struct sigaction now {};
        if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
        struct sigaction action {};
        action.sa_handler = &remove_and_end;
        ::sigaction(signal, &action, nullptr);
    }
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::create() {
    std::error_code problem;
    std::string path = (fs::temp_directory_path(problem) / "opsight-XXXXXX").string();
    if (problem || !::mkdtemp(path.data()))
        return fail(fmt::format("no temporary folder can be made: {}", std::strerror(errno)), path, {},
                    "set TMPDIR to a folder that can be written, with space");
    return TemporaryFolder(path);
}

TemporaryFolder::TemporaryFolder(std::string path) : path_(std::move(path)) {
    const std::lock_guard lock(places_mutex);
    static std::once_flag watched;
    std::call_once(watched, watch_signals);
    for (Place& place : places) {
        if (place.used || path_.size() >= sizeof place.path) continue;
        std::memcpy(place.path, path_.c_str(), path_.size() + 1);
        place.used = 1;
        return;
    }
}

ChildProgram::ChildProgram(pid_t group) {
    child_group = group;
}

ChildProgram::~ChildProgram() {
    child_group = 0;
}

TemporaryFolder::~TemporaryFolder() {
    if (path_.empty()) return;
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    const std::lock_guard lock(places_mutex);
    for (Place& place : places)
        if (place.used && path_ == place.path) place.used = 0;
}

}  // namespace opsight
