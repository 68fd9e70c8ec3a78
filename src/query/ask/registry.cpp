#include "query/ask/registry.h"

#include <fmt/format.h>

namespace opsight::query {
namespace {

bool has_word(std::string_view words, std::string_view word) {
    while (!words.empty()) {
        const size_t end = std::min(words.find(' '), words.size());
        if (words.substr(0, end) == word) return true;
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return false;
}

}  // namespace

std::vector<std::string_view> Family::names() const {
    std::vector<std::string_view> names;
    for (const ReportInfo& member : members)
        names.push_back(member.name);
    return names;
}

size_t Family::place_of(std::string_view name) const {
    const auto found = std::find_if(members.begin(), members.end(), [name](const ReportInfo& member) {
        return member.name == name || has_word(member.old_names, name);
    });
    return static_cast<size_t>(found - members.begin());
}

bool Family::has(std::string_view name) const {
    return place_of(name) < members.size();
}

Error Family::no_such(std::string_view name) const {
    return {fmt::format("{} '{}'", unknown, name),
            {},
            {},
            fmt::format(fmt::runtime(remedy), fmt::join(names(), ", ")),
            2};
}

}  // namespace opsight::query
