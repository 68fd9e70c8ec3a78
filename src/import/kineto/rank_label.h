// Traces of several ranks: 'opsight export' writes as a label of each process which rank it is of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "import/kineto/numbers.h"

namespace opsight::importer::kineto {

inline constexpr std::string_view kRankLabel = "rank ";

// 3 of "rank 3".
inline std::optional<int64_t> rank_of_label(std::string_view label) {
    if (!label.starts_with(kRankLabel)) return std::nullopt;
    const std::optional<int64_t> number = parse_int(label.substr(kRankLabel.size()));
    return number && *number >= 0 ? number : std::nullopt;
}

// "python" of "python (rank 3)".
inline std::string_view without_rank(std::string_view name) {
    const size_t at = name.rfind(" (");
    if (at == name.npos || !name.ends_with(')')) return name;
    return rank_of_label(name.substr(at + 2, name.size() - at - 3)) ? name.substr(0, at) : name;
}

}  // namespace opsight::importer::kineto
