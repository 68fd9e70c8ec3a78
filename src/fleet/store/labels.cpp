#include "fleet/store/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/utf8.h"

namespace opsight::fleet {
namespace {

constexpr size_t kLongestName = 64, kLongestValue = 256;

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= kLongestName && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) ||
               std::string_view("_-./").find(c) != std::string_view::npos;
    });
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const Utf8Step step = read_utf8(text);
        if (!step.valid) return false;
        text.remove_prefix(step.bytes);
    }
    return true;
}

bool is_value(std::string_view text) {
    return !text.empty() && text.size() <= kLongestValue && is_utf8(text) &&
           std::none_of(text.begin(), text.end(),
                        [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

Error bad(const std::string& text, const std::string& why) {
    return {
        fmt::format("label '{}' {}", text, why), {}, {}, "use NAME=VALUE, as in --label model=resnet50", 2};
}

}  // namespace

Result<Labels> parse_labels(const std::vector<std::string>& texts) {
    Labels labels;
    for (const std::string& text : texts) {
        const size_t equals = text.find('=');
        if (equals == std::string::npos) return fail(bad(text, "has no ="));
        std::string name = text.substr(0, equals), value = text.substr(equals + 1);
        if (!is_name(name))
            return fail(
                bad(text, fmt::format("has a name that is not 1 to {} letters, digits, '_', '-', '.' or '/'",
                                      kLongestName)));
        if (!is_value(value))
            return fail(
                bad(text, fmt::format("has a value that is not 1 to {} bytes of plain text", kLongestValue)));
        const auto same = std::find_if(labels.begin(), labels.end(),
                                       [&name](const auto& each) { return each.first == name; });
        if (same == labels.end())
            labels.emplace_back(std::move(name), std::move(value));
        else if (same->second != value)
            return fail(bad(text, fmt::format("is also given as '{}'", same->second)));
    }
    std::sort(labels.begin(), labels.end());
    return labels;
}

}  // namespace opsight::fleet
