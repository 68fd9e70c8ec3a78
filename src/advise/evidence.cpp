#include "advise/evidence.h"

#include <fmt/format.h>

#include <cctype>

namespace opsight::advise {

std::string query_of_rank(std::string_view query, std::optional<int64_t> rank) {
    constexpr std::string_view kRange = "{range";
    std::string out;
    while (true) {
        const size_t at = query.find(kRange), end = query.find('}', at);
        if (at == query.npos || end == query.npos) return out.append(query);
        const std::string_view column = query.substr(at + kRange.size(), end - at - kRange.size());
        out.append(query.substr(0, at)).append("{range}");
        if (rank) out += fmt::format(" AND {} = {}", column.empty() ? "rank" : column.substr(1), *rank);
        query.remove_prefix(end + 1);
    }
}

bool names_rank(std::string_view query, int64_t rank) {
    const std::string wanted = fmt::format("rank = {}", rank);
    for (size_t at = 0; (at = query.find(wanted, at)) != query.npos; at += wanted.size()) {
        const size_t after = at + wanted.size();
        if (after == query.size() || !std::isdigit(static_cast<unsigned char>(query[after]))) return true;
    }
    return false;
}

}  // namespace opsight::advise
