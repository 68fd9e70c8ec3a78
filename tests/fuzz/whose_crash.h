// Tells whether a process that ends in the midst of a file did so within DuckDB, which trusts its files, or
// in code of ours, which must not. To be linked so that its functions have names for dladdr().
#pragma once

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#ifdef OPSIGHT_SANITIZE
#include <sanitizer/asan_interface.h>
#endif

namespace opsight::fuzz {

// Ours until it is known to be another's: so a report of a sanitizer that says nothing more is ours.
enum class Whose : int { kOurs, kDuckDb };

inline std::atomic<Whose>* whose_crash = nullptr;

// Where an answer of DuckDB's is copied: what lies beyond its end is DuckDB's fault.
inline bool is_its_border(std::string_view function) {
    return function.find("opsight::duck::") != function.npos ||
           function.find("N7opsight4duck") != function.npos;
}

// The first frame that is DuckDB's, or that a function of ours with a name has.
inline Whose of_frames(void* const* frames, int count) {
    for (int i = 0; i < count; ++i) {
        Dl_info where{};
        if (::dladdr(frames[i], &where) == 0 || !where.dli_fname) continue;
        if (std::strstr(where.dli_fname, "libduckdb")) return Whose::kDuckDb;
        if (std::strstr(where.dli_fname, ".so") || !where.dli_sname) continue;
        const std::string_view name = where.dli_sname;
        if (name.find("opsight") == name.npos) continue;  // a library's, of the sanitizer for one
        return is_its_border(name) ? Whose::kDuckDb : Whose::kOurs;
    }
    return Whose::kOurs;
}

inline void on_crash(int signal) {
    std::array<void*, 64> frames{};
    const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    constexpr int kOwn = 2;  // this function, and what the system called it by
    if (count > kOwn) *whose_crash = of_frames(frames.data() + kOwn, count - kOwn);
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

// The same of a report's text: "    #1 0x7f.. in memcpy (/lib/libduckdb.so+0x12)".
inline Whose of_report(std::string_view report) {
    while (!report.empty()) {
        const std::string_view line = report.substr(0, report.find('\n'));
        report.remove_prefix(std::min(report.size(), line.size() + 1));
        if (line.find('#') == line.npos || line.find(" 0x") == line.npos) continue;
        if (line.find("libduckdb") != line.npos || is_its_border(line)) return Whose::kDuckDb;
        if (line.find("opsight::") != line.npos && line.find("in std::") == line.npos) return Whose::kOurs;
        if (line.find("#0 ") == line.npos && line.find("in main") != line.npos) return Whose::kOurs;
    }
    return Whose::kOurs;
}

inline void on_report(const char* text) {
    *whose_crash = of_report(text);
}

// From now on a crash of this process is told to `to`, which others see.
inline void tell_whose_crash(std::atomic<Whose>& to) {
    whose_crash = &to;
    to = Whose::kOurs;
    std::array<void*, 1> frame{};
    (void)::backtrace(frame.data(), 1);  // loads what it needs
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        ::signal(signal, &on_crash);
#ifdef OPSIGHT_SANITIZE
    __asan_set_error_report_callback(&on_report);
#endif
}

}  // namespace opsight::fuzz
