#include "base/progress.h"

#include <fmt/format.h>

#include <cstdio>

namespace opsight {

std::string format_bytes(uint64_t bytes) {
    if (bytes < 1000) return fmt::format("{} B", bytes);
    const char* unit[] = {"kB", "MB", "GB", "TB"};
    double value = static_cast<double>(bytes) / 1000;
    size_t i = 0;
    for (; value >= 999.5 && i < 3; ++i)
        value /= 1000;
    return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, unit[i]);
}

void Progress::stage(std::string label, uint64_t total) {
    if (!shown_) return;
    const std::lock_guard lock(mutex_);
    label_ = std::move(label);
    total_ = total;
    begin_ = Clock::now();
    next_print_ms_ = 0;
}

void Progress::set_done(uint64_t done) {
    if (!shown_) return;
    const auto elapsed = [&] {
        return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin_).count();
    };
    int64_t due = next_print_ms_.load(std::memory_order_relaxed);
    const int64_t now = elapsed();
    if (now < due || !next_print_ms_.compare_exchange_strong(due, now + 100)) return;
    const std::lock_guard lock(mutex_);
    std::fprintf(stderr, "\r%s\x1b[K", line(done).c_str());
    std::fflush(stderr);
    on_screen_ = true;
}

void Progress::clear() {
    const std::lock_guard lock(mutex_);
    if (!on_screen_) return;
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
    on_screen_ = false;
}

std::string Progress::line(uint64_t done) const {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    std::string text = label_ + ": " + format_bytes(done);
    if (total_ > 0) text += " of " + format_bytes(total_);
    if (seconds < 0.2 || done == 0) return text;
    const double rate = static_cast<double>(done) / seconds;
    text += ", " + format_bytes(static_cast<uint64_t>(rate)) + "/s";
    if (total_ > done && done > 0)
        text += fmt::format(", {:.0f} s left", static_cast<double>(total_ - done) / rate);
    return text;
}

}  // namespace opsight
