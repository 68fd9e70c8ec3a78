#include "import/reader/passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace opsight::importer {
namespace {

std::optional<int64_t> pass_number(std::string_view text) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace

PassOfRun pass_of(std::string_view run) {
    for (size_t first = 0, end = run.find('/'); end != run.npos;
         first = end + 1, end = run.find('/', first)) {
        std::string_view folder = run.substr(first, end - first);
        for (const std::string_view word : {"pass_", "pmc_"}) {
            if (!folder.starts_with(word)) continue;
            const std::optional<int64_t> number = pass_number(folder.substr(word.size()));
            if (number && *number >= 0)
                return {std::string(run.substr(0, first)), std::string(run.substr(end + 1)), *number};
        }
    }
    return {std::string(run), {}, -1};
}

std::string repeats_pass(std::string_view path, std::span<const std::string> all, std::string_view ending) {
    const PassOfRun own = pass_of(path);
    if (own.pass < 0) return {};
    const auto before = std::find_if(all.begin(), all.end(), [&](const std::string& other) {
        const PassOfRun pass = other.ends_with(ending) ? pass_of(other) : PassOfRun();
        return pass.pass >= 0 && pass.pass < own.pass && pass.program == own.program;
    });
    if (before == all.end()) return {};
    return fmt::format(
        "is of a further pass over the program of {}, which is read: no rank, but a run for other counters",
        *before);
}

}  // namespace opsight::importer
