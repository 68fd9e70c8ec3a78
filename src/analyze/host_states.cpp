#include "analyze/host_states.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace opsight::analyze {
namespace {

template <size_t n>
bool is_one_of(std::string_view name, const std::string_view (&list)[n]) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

}  // namespace

// PyTorch names calls into C "<built-in method acquire of _thread.lock object at 0x7f10>", "<built-in
// function sleep>".
HostState state_of_python_frame(std::string_view name) {
    for (const std::string_view prefix : {"<built-in method ", "<built-in function "}) {
        if (!name.starts_with(prefix)) continue;
        const std::string_view rest = name.substr(prefix.size());
        const std::string_view called = rest.substr(0, rest.find_first_of(" >"));
        constexpr std::string_view waits[] = {"acquire", "sleep", "select", "poll",     "wait",
                                              "accept",  "recv",  "lock",   "recv_into"};
        if (is_one_of(called, waits)) return HostState::kWaits;
    }
    return HostState::kRuns;
}

// The functions that Nsight Systems traces with --trace=osrt, without the endings of their variants.
HostState state_of_system_call(std::string_view name) {
    for (const std::string_view ending : {"_chk", "64", "_nocancel"})
        if (name.ends_with(ending)) name.remove_suffix(ending.size());
    while (name.starts_with('_'))
        name.remove_prefix(1);
    constexpr std::string_view files[] = {
        "read",     "pread",   "readv", "preadv",    "write",          "pwrite",
        "writev",   "pwritev", "fread", "fwrite",    "fread_unlocked", "fwrite_unlocked",
        "fgets",    "fputs",   "getc",  "fgetc",     "getc_unlocked",  "getchar",
        "ungetc",   "putc",    "fputc", "putchar",   "puts",           "getline",
        "getdelim", "fflush",  "fsync", "fdatasync", "sendfile",       "copy_file_range"};
    if (is_one_of(name, files)) return HostState::kFileIo;
    constexpr std::string_view waits[] = {"poll",
                                          "ppoll",
                                          "select",
                                          "pselect",
                                          "epoll_wait",
                                          "epoll_pwait",
                                          "sem_wait",
                                          "sem_timedwait",
                                          "sem_clockwait",
                                          "pthread_cond_wait",
                                          "pthread_cond_timedwait",
                                          "pthread_cond_clockwait",
                                          "pthread_mutex_lock",
                                          "pthread_mutex_timedlock",
                                          "pthread_rwlock_rdlock",
                                          "pthread_rwlock_wrlock",
                                          "pthread_join",
                                          "pthread_barrier_wait",
                                          "pthread_spin_lock",
                                          "sleep",
                                          "usleep",
                                          "nanosleep",
                                          "clock_nanosleep",
                                          "wait",
                                          "wait3",
                                          "wait4",
                                          "waitpid",
                                          "waitid",
                                          "sigwait",
                                          "sigwaitinfo",
                                          "sigtimedwait",
                                          "sigsuspend",
                                          "pause",
                                          "accept",
                                          "accept4",
                                          "recv",
                                          "recvfrom",
                                          "recvmsg",
                                          "msgrcv",
                                          "semop",
                                          "semtimedop",
                                          "futex",
                                          "flock"};
    return is_one_of(name, waits) ? HostState::kWaits : HostState::kRuns;
}

bool is_host_collective(std::string_view range) {
    return range.starts_with("gloo:") || range.starts_with("mpi:") || range.starts_with("ucc:");
}

// "MPI_Allreduce", "ucp_tag_send_nb"; of MPI_Init, MPI_Comm_rank and the like the program runs.
HostState state_of_message_passing(std::string_view call) {
    constexpr std::string_view moves[] = {"send",   "recv",   "wait",    "barrier", "bcast",    "broadcast",
                                          "adasum", "gather", "scatter", "reduce",  "alltoall", "scan",
                                          "probe",  "put",    "fence",   "flush"};
    std::string lower(call);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; });
    const bool any = std::any_of(std::begin(moves), std::end(moves),
                                 [&](std::string_view part) { return lower.find(part) != lower.npos; });
    return any ? HostState::kCommunicates : HostState::kRuns;
}

// Older versions of Nsight Systems write calls of MPI as ranges of their names.
HostState state_of_range(std::string_view name) {
    if (name.starts_with("MPI_")) return state_of_message_passing(name);
    if (name.starts_with("NEGOTIATE_")) return HostState::kWaits;  // Horovod, for the other ranks
    return is_host_collective(name) ? HostState::kCommunicates : HostState::kRuns;
}

HostState HostStates::look_up(Known& known, StringId name, HostState (*judge)(std::string_view)) {
    if (name.index() >= known.size()) known.resize(strings_.size(), -1);
    int8_t& state = known[name.index()];
    if (state < 0) state = static_cast<int8_t>(judge(strings_.view(name)));
    return static_cast<HostState>(state);
}

HostState HostStates::of(HostKind kind, StringId name) {
    switch (kind) {
        case HostKind::kPythonFrame:
            return look_up(frames_, name, state_of_python_frame);
        case HostKind::kOsRuntime:
            return look_up(calls_, name, state_of_system_call);
        case HostKind::kAnnotation:
            return look_up(ranges_, name, state_of_range);
        case HostKind::kMessagePassing:
            return look_up(messages_, name, state_of_message_passing);
        case HostKind::kModule:
        case HostKind::kLibrary:
            return HostState::kRuns;
        default:
            return HostState::kSaysNothing;
    }
}

}  // namespace opsight::analyze
