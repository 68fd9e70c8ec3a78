#include "model/engine_paths.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

#include "base/text.h"
#include "model/engine_names.h"

namespace opsight {
namespace {

constexpr std::string_view kFused = " + ", kBeside = " || ", kListed = ", ", kForeign = "{ForeignNode[";
// Each level is read once more.
constexpr int kMostWrapped = 16;

// The parts between separators outside of brackets.
std::vector<std::string_view> parts_of(std::string_view text, std::span<const std::string_view> separators) {
    std::vector<std::string_view> parts;
    int depth = 0;
    size_t begin = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '(' || text[i] == '{' || text[i] == '[') ++depth;
        if (text[i] == ')' || text[i] == '}' || text[i] == ']') --depth;
        if (depth != 0) continue;
        for (const std::string_view separator : separators)
            if (i >= begin && text.substr(i).starts_with(separator)) {
                parts.push_back(text.substr(begin, i - begin));
                begin = i + separator.size();
            }
    }
    parts.push_back(text.substr(begin));
    return parts;
}

// What stands in "PWN(...)"; empty where that is not what it is.
std::string_view wrapped_in(std::string_view part) {
    const size_t open = part.find('(');
    const bool wraps = open != part.npos && open > 0 && part.ends_with(')') &&
                       std::all_of(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(open),
                                   [](unsigned char c) { return std::isupper(c) != 0; });
    return wraps ? part.substr(open + 1, part.size() - open - 2) : std::string_view();
}

void split(std::string_view text, std::span<const std::string_view> separators, int level,
           std::vector<std::string>& out) {
    static constexpr std::string_view kInside[] = {kFused, kListed};
    for (const std::string_view each : parts_of(text, separators)) {
        const std::string_view part = text::trimmed(each);
        if (const std::string_view inner = wrapped_in(part); !inner.empty() && level < kMostWrapped)
            split(inner, kInside, level + 1, out);
        else if (!part.empty())
            out.emplace_back(part);
    }
}

std::string most_of_work(const std::vector<std::string>& origins) {
    for (const std::string& origin : origins)
        if (!names_weight(origin) && !names_quantization(origin)) return origin;
    for (const std::string& origin : origins)
        if (!names_weight(origin)) return origin;
    return origins.front();
}

std::string_view folder_of(std::string_view path) {
    const size_t slash = path.rfind('/');
    return slash == path.npos ? std::string_view() : path.substr(0, slash + 1);
}

// With its slash at the end: the longest that all of them begin with.
std::string_view common_folder(const std::vector<std::string>& paths) {
    std::string_view common = folder_of(paths.front());
    for (const std::string& path : paths)
        while (!path.starts_with(common))
            common = folder_of(common.substr(0, common.size() - 1));
    return common;
}

// Names below one layer: their own slashes and points would make layers of them.
std::string below(const std::string& path, std::string_view folder) {
    std::string name = path.substr(folder.size());
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '/' || c == '.'; }, ':');
    return name;
}

std::string path_of_all(const std::vector<std::string>& paths, std::string_view between,
                        std::string_view before = {}, std::string_view behind = {}) {
    constexpr size_t kShown = 4;
    const std::string_view folder = common_folder(paths);
    std::vector<std::string> names;
    for (size_t i = 0; i < std::min(paths.size(), kShown); ++i)
        names.push_back(below(paths[i], folder));
    if (paths.size() > kShown) names.push_back(fmt::format("{} more", paths.size() - kShown));
    return fmt::format("{}{}{}{}", folder, before, fmt::join(names, between), behind);
}

// "{ForeignNode[/encoder/layer.0/Add.../encoder/layer.3/MatMul]}": a compiled region, named by both its ends.
std::optional<std::string> path_of_region(std::string_view name) {
    constexpr std::string_view kTo = "...", kUntil = " to ", kEnd = "]}";
    if (!name.starts_with(kForeign) || !name.ends_with(kEnd)) return std::nullopt;
    const std::string_view ends = name.substr(kForeign.size(), name.size() - kForeign.size() - kEnd.size());
    const size_t to = ends.find(kTo);
    if (to == 0 || to == ends.npos || to + kTo.size() == ends.size()) return std::nullopt;
    return path_of_all({std::string(ends.substr(0, to)), std::string(ends.substr(to + kTo.size()))}, kUntil,
                       "ForeignNode[", "]");
}

// `origins`: its ops, where something else than the name tells them.
std::string path_of_name(std::string_view name, const std::vector<std::string>& origins = {}) {
    if (auto region = path_of_region(name)) return *std::move(region);
    const auto branches = engine_branches(name);
    if (branches.size() <= 1 && !origins.empty()) return most_of_work(origins);
    if (branches.empty()) return std::string(name);
    if (branches.size() == 1) return most_of_work(branches.front());
    std::vector<std::string> mains;
    for (const std::vector<std::string>& branch : branches)
        mains.push_back(most_of_work(branch));
    return path_of_all(mains, kBeside);
}

// Beside the layer that it serves, or whose tensor it copies.
std::string path_of_copy(std::string_view name) {
    constexpr std::string_view kServes = " to ";
    const size_t serves = name.find(kServes);
    const size_t served = serves == name.npos ? name.rfind(' ') + 1 : serves + kServes.size();
    const std::string path = path_of_name(name.substr(served));
    const std::string folder(folder_of(path));
    return fmt::format("{}{}{}", folder, name.substr(0, served), path.substr(folder.size()));
}

}  // namespace

std::vector<std::vector<std::string>> engine_branches(std::string_view name) {
    static constexpr std::string_view kBranches[] = {kBeside}, kParts[] = {kFused};
    std::vector<std::vector<std::string>> branches;
    for (const std::string_view each : parts_of(name, kBranches)) {
        std::vector<std::string> origins;
        split(each, kParts, 0, origins);
        if (!origins.empty()) branches.push_back(std::move(origins));
    }
    return branches;
}

std::string engine_path(std::string_view name, const std::vector<std::string>& origins) {
    if (const std::string_view reformatter = reformatter_of(name); !reformatter.empty())
        return path_of_name(name.substr(0, name.size() - reformatter.size())).append(reformatter);
    if (name.starts_with(kEngineCopy)) return path_of_copy(name);
    return path_of_name(name, origins);
}

}  // namespace opsight
