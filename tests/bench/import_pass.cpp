// Times the importer alone: traces into a Profile, nothing analysed or written.
//
//   import_pass [--threads N] TRACE...      prints seconds, MB/s, rows and peak memory as JSON
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "import/import.h"

int main(int argc, char** argv) {
    opsight::importer::ImportOptions options;
    std::vector<std::string> paths;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            options.threads = static_cast<size_t>(std::atoi(argv[++i]));
        else
            paths.emplace_back(argv[i]);
    }
    opsight::importer::ImportFacts facts;
    const auto start = std::chrono::steady_clock::now();
    const auto profile = opsight::importer::import_files(paths, options, &facts);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!profile) {
        std::fprintf(stderr, "import_pass: %s\n", profile.error().message().c_str());
        return 1;
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const double peak = static_cast<double>(usage.ru_maxrss) * 1024;
    std::printf(
        "{\"seconds\": %.3f, \"mb_per_s\": %.0f, \"cpu_seconds\": %.3f, \"bytes\": %llu, \"events\": %llu, "
        "\"host\": %zu, "
        "\"device\": %zu, \"strings\": %zu, \"peak_memory_mb\": %.0f, \"peak_memory_share\": %.3f}\n",
        seconds, static_cast<double>(facts.bytes) / 1e6 / seconds,
        static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
            static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6,
        static_cast<unsigned long long>(facts.bytes), static_cast<unsigned long long>(facts.events),
        profile->host.size(), profile->device.size(), profile->strings.size(), peak / 1e6,
        peak / static_cast<double>(facts.bytes));
}
