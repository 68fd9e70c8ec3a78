#include "query/timeline/short_names.h"

namespace opsight::query {
namespace {

constexpr std::string_view kCommon[] = {
    "autograd::engine::evaluate_function: ", "nn.Module: ", "aten::", "c10d::", "cuda::", "torch::"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Behind the folders of "folder/file.py(12): function".
std::string_view without_folders(std::string_view name) {
    const size_t end = name.find(".py(");
    if (end == name.npos || end + 4 >= name.size() || !is_digit(name[end + 4])) return name;
    const size_t slash = name.rfind('/', end);
    const std::string_view path = name.substr(0, end);
    if (slash == name.npos || slash + 1 == end || path.find_first_of(" \t\n") != path.npos) return name;
    return name.substr(slash + 1);
}

}  // namespace

std::string_view short_event_name(std::string_view name) {
    constexpr std::string_view kIteration = "Iteration ";
    if (name.starts_with(kIteration) && name.size() > kIteration.size() && is_digit(name[kIteration.size()]))
        return name.substr(kIteration.size());
    for (const std::string_view common : kCommon)
        if (name.starts_with(common) && name.size() > common.size()) return name.substr(common.size());
    return without_folders(name);
}

}  // namespace opsight::query
