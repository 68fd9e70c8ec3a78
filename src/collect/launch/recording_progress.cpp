#include "collect/launch/recording_progress.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "wire/clock.h"
#include "wire/format.h"

namespace opsight::collect {
namespace {

int64_t seconds_since(int64_t monotonic_ns) {
    return (wire::clock_ns(CLOCK_MONOTONIC) - monotonic_ns) / 1'000'000'000;
}

const char* more_room(const wire::FileHeader& head) {
    if (head.chunks.load() < head.capacity_chunks)
        return "The disk is full: make room, or write to another one with -o";
    return head.limited ? "Raise the program's limit of file size or memory (ulimit -f, -v)"
                        : "Give it more room with --buffer-mb";
}

}  // namespace

RecordingProgress::RecordingProgress()
    : terminal_(isatty(STDERR_FILENO) == 1), began_ns_(wire::clock_ns(CLOCK_MONOTONIC)) {}

void RecordingProgress::look(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe holds nobody up
    if (file < 0) return;
    wire::FileHeader head;
    const ssize_t got = pread(file, static_cast<void*>(&head), sizeof head, 0);
    close(file);
    if (got != sizeof head) return;
    const uint64_t bytes = uint64_t{std::min(head.chunks.load(), head.capacity_chunks)} * wire::kChunkBytes;
    bytes_ += bytes;
    lost_ += head.lost.load();
    overwritten_ += head.overwritten.load();
    if (head.lost.load() + head.overwritten.load() == 0 || !full_.insert(path).second) return;
    const std::string line = fmt::format(
        "opsight: the recording of process {} is full, {} MB after {} s: {}\n", head.pid, bytes >> 20,
        seconds_since(head.begin.monotonic_ns),
        head.lost.load() == 0
            ? std::string("from now on the newest records take the place of the oldest")
            : fmt::format(
                  "what comes now is lost. {}, keep the newest with --keep-last, or record a part with "
                  "--skip-iterations and --record-iterations",
                  more_room(head)));
    std::fputs(line.c_str(), stderr);
}

void RecordingProgress::tell() {
    const int64_t now_s = seconds_since(began_ns_);
    if (terminal_ && now_s >= next_s_) {
        std::string line = fmt::format("opsight: recording since {} s: {} MB", now_s, bytes_ >> 20);
        line += lost_ + overwritten_ == 0 ? ", nothing lost" : "";
        if (overwritten_ > 0) line += fmt::format(", {} older records gave way to newer ones", overwritten_);
        if (lost_ > 0) line += fmt::format(", {} records lost", lost_);
        std::fputs((line + "\n").c_str(), stderr);
        while (next_s_ <= now_s)
            next_s_ *= 2;
    }
    bytes_ = lost_ = overwritten_ = 0;
}

}  // namespace opsight::collect
