#include "collect/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

namespace opsight::collect {

double option(const char* name, double otherwise) {
    const char* text = std::getenv(name);
    if (!text || !*text) return otherwise;
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    return *end == '\0' ? value : otherwise;
}

TimeWindow time_window() {
    TimeWindow window;
    const double began_s = option("OPSIGHT_BEGAN_NS", 0) / 1e9;
    const double now_s = static_cast<double>(wire::clock_ns(CLOCK_MONOTONIC)) / 1e9;
    const double since = began_s > 0 && began_s < now_s ? now_s - began_s : 0;
    const double delay = option("OPSIGHT_DELAY", 0), duration = option("OPSIGHT_DURATION", 0);
    window.delay_s = delay > since ? delay - since : 0;
    if (duration > 0) window.duration_s = std::max(1e-9, delay + duration - since - window.delay_s);
    return window;
}

namespace {

// Where launchers tell a process its rank, its job's size and its rank on this machine: torchrun, Open MPI,
// MPICH and Intel MPI, MVAPICH, PMIx, Slurm. The first that is set counts: torchrun may run below any of the
// others.
struct LauncherVariables {
    const char *rank, *size, *local;
};
constexpr LauncherVariables kLaunchers[] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK"},
    {"PMIX_RANK", "SLURM_NTASKS", "SLURM_LOCALID"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
};

bool is_number(const char* text) {
    if (!text || !*text) return false;
    while (*text >= '0' && *text <= '9')
        ++text;
    return !*text;
}

void describe_rank(wire::ThreadStream& stream) {
    for (const LauncherVariables& launcher : kLaunchers) {
        if (!is_number(std::getenv(launcher.rank))) continue;
        for (const auto& [variable, key] : {std::pair(launcher.rank, "rank"),
                                            {launcher.size, "world_size"},
                                            {launcher.local, "local_rank"}})
            if (const char* value = std::getenv(variable); is_number(value)) stream.property(key, value);
        break;
    }
    if (const char* value = std::getenv("TORCHELASTIC_RESTART_COUNT"); is_number(value))
        stream.property("restart", value);
}

}  // namespace

void describe_process(wire::ThreadStream& stream) {
    describe_rank(stream);
    char text[PATH_MAX] = "";
    if (gethostname(text, 255) == 0) stream.property("host", text);
    const ssize_t length = readlink("/proc/self/exe", text, sizeof text - 1);
    if (length > 0) stream.property("executable", {text, static_cast<size_t>(length)});
    stream.snapshot();
}

int open_capture(wire::CaptureWriter& writer, const char* folder, uint64_t limit_bytes) {
    int problem = EEXIST;
    // A process id may come again in a long run.
    for (int i = 0; i < 1000 && problem == EEXIST; ++i) {
        char path[PATH_MAX];
        std::snprintf(path, sizeof path, "%s/%d-%d.opcap", folder, getpid(), i);
        problem = writer.open(path, limit_bytes, option("OPSIGHT_KEEP_LAST", 0) != 0);
    }
    return problem;
}

}  // namespace opsight::collect
