// Traces of several ranks: 'opsight export' writes as a label of each process which rank it is of; tools that
// merge traces of ranks to look at them together name the rank in each event.
#pragma once

#include <algorithm>
#include <cctype>
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

// A process as a merged trace calls it.
struct MergedProcess {
    std::string_view rank;  // empty: the trace is not a merged one
    std::string_view pid;   // as the rank's own trace had it
};

// "TP00-DP01" and "100" of "[TP00-DP01] 100", as SGLang's ProfileMerger writes; nothing of other texts.
inline MergedProcess merged_process(std::string_view pid) {
    const size_t end = pid.find("] ");
    if (!pid.starts_with('[') || end == pid.npos) return {};
    const std::string_view rank = pid.substr(1, end - 1);
    bool digit = false;  // the last of a part
    for (size_t i = 0; i < rank.size(); ++i) {
        const auto c = static_cast<unsigned char>(rank[i]);
        if (c == '-' ? !digit : !std::isdigit(c) && (digit || !std::isupper(c))) return {};
        if (std::isdigit(c) && (i == 0 || rank[i - 1] == '-')) return {};
        digit = std::isdigit(c) != 0;
    }
    return digit ? MergedProcess{rank, pid.substr(end + 2)} : MergedProcess{};
}

// 3 of "TP03" and of "3": where ranks differ in one way only, its number is theirs.
inline std::optional<int64_t> number_of_merged(std::string_view rank) {
    if (rank.find('-') != rank.npos) return std::nullopt;
    return parse_int(rank.substr(std::min(rank.find_first_of("0123456789"), rank.size())));
}

}  // namespace opsight::importer::kineto
