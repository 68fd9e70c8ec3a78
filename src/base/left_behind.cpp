#include "base/left_behind.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>

namespace opsight {

namespace {

namespace fs = std::filesystem;

// Those that end a program by default and can be caught, but for what its own faults raise.
constexpr int kSignals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGALRM,  SIGTERM,
                            SIGUSR1, SIGUSR2, SIGXCPU, SIGPROF, SIGVTALRM};

// What there is, where a signal handler can read it. More than there are places for is only removed at the
// end of its life.
struct Place {
    volatile std::sig_atomic_t used = 0;
    char path[1024] = {};
};
std::array<Place, 16> places;
std::mutex places_mutex;

// The process group of the program that works for us; kNone, kStarting, or less: the signal that came while
// it was started.
constexpr int kNone = 0, kStarting = -1;
constexpr int came_meanwhile(int signal) {
    return kStarting - signal;
}
std::atomic<int> child_group = kNone;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler reads it");

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
    int group = kStarting;
    if (child_group.compare_exchange_strong(group, came_meanwhile(signal))) return;
    if (group < kStarting) return;
    if (group > 0) ::kill(-group, SIGTERM);
    remove_left_behind();
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

void remove_left_behind() {
    for (const Place& place : places) {
        if (!place.used) continue;
        const int folder = ::open(place.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0) {
            ::unlink(place.path);
            continue;
        }
        remove_inside(folder, 2);
        ::close(folder);
        ::rmdir(place.path);
    }
}

namespace {

void now_is(int group) {
    const int before = child_group.exchange(group);
    if (before < kStarting) std::raise(kStarting - before);
}

}  // namespace

ChildProgram::ChildProgram() {
    child_group = kStarting;
}

void ChildProgram::began(pid_t group) {
    now_is(group);
}

ChildProgram::~ChildProgram() {
    now_is(kNone);
}

LeftBehind::LeftBehind(std::string path) : path_(std::move(path)) {
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

void LeftBehind::let_go() {
    const std::lock_guard lock(places_mutex);
    for (Place& place : places)
        if (place.used && path_ == place.path) place.used = 0;
    path_.clear();
}

LeftBehind::~LeftBehind() {
    if (path_.empty()) return;
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    let_go();
}

}  // namespace opsight
