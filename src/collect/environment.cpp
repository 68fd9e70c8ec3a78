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

void describe_process(wire::ThreadStream& stream) {
    for (const auto& [variable, key] : {std::pair("RANK", "rank"), {"WORLD_SIZE", "world_size"}})
        if (const char* value = std::getenv(variable); value && *value) stream.property(key, value);
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
        problem = writer.open(path, limit_bytes);
    }
    return problem;
}

}  // namespace opsight::collect
