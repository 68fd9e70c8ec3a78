#include "query/reports/path_track.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "query/reports/sql.h"
#include "query/session/cells.h"
#include "query/session/rank_numbers.h"

namespace opsight::query {
namespace {

using Words = std::unordered_map<int64_t, std::string_view>;

std::string_view kind_of_op(const std::string& direction) {
    static const std::map<std::string, std::string_view, std::less<>> kinds = {{"fprop", "op_forward"},
                                                                               {"bprop", "op_backward"},
                                                                               {"optimizer", "op_optimizer"},
                                                                               {"dataload", "op_dataload"}};
    const auto found = kinds.find(direction);
    return found == kinds.end() ? "op_other" : found->second;
}

std::string_view kind_of_kernel(const std::string& uses_tc) {
    return uses_tc == "yes" ? "tensor_core_kernel" : uses_tc == "no" ? "kernel" : "kernel_unknown_tc";
}

Result<Words> words(Session& session, const duck::Sql& file, std::string_view (*word)(const std::string&)) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(file));
    Words found;
    for (const auto& row : rows.rows)
        found.emplace(integer(row[0]), word(text(row[1])));
    return found;
}

std::string_view kind_of(const PathPiece& piece, const Words& ops, const Words& kernels) {
    static const std::map<std::string_view, std::string_view> others = {
        {"data loading", "dataload"},
        {"call", "runtime_api"},
        {"collective", "communication_kernel"},
        {"communication", "communication_kernel"},
        {"copy", "memcpy"},
        {"set", "memset"},
        {"graph", "graph"},
        {"gap", "other"}};
    const auto known = [](const Words& list, int64_t id, std::string_view none) {
        const auto found = list.find(id);
        return found == list.end() ? none : found->second;
    };
    if (piece.kind == "op") return known(ops, piece.op, "op_other");
    if (piece.kind == "kernel") return known(kernels, piece.kernel, "kernel_unknown_tc");
    const auto found = others.find(piece.kind);
    return found == others.end() ? "other" : found->second;
}

// The longest, in their order.
int64_t keep_longest(std::vector<PathPiece>& pieces) {
    if (pieces.size() <= PathTrack::kMostPieces) return 0;
    std::vector<int64_t> lengths;
    for (const PathPiece& piece : pieces)
        lengths.push_back(piece.dur_ns);
    const auto last = lengths.begin() + static_cast<std::ptrdiff_t>(PathTrack::kMostPieces - 1);
    std::nth_element(lengths.begin(), last, lengths.end(), std::greater<>());
    const auto before = std::ssize(pieces);
    std::erase_if(pieces, [least = *last](const PathPiece& piece) { return piece.dur_ns < least; });
    return before - std::ssize(pieces);
}

}  // namespace

Result<PathTrack> path_track(Session& session) {
    OPSIGHT_ASSIGN(std::optional<CriticalPath> path, critical_path(session));
    if (!path) {
        OPSIGHT_ASSIGN(Grounds grounds, grounds_of_replay(session));
        PathTrack none;
        none.lacks =
            grounds.lacks.empty() ? "the range has no work that can be replayed" : std::move(grounds.lacks);
        return none;
    }
    OPSIGHT_ASSIGN(const Words ops, words(session, reports::sql::op_directions, kind_of_op));
    OPSIGHT_ASSIGN(const Words kernels, words(session, reports::sql::kernel_uses, kind_of_kernel));
    OPSIGHT_ASSIGN(const RankNumbers numbers, RankNumbers::read(session));
    PathTrack track{std::move(*path), {}, {}, 0, {}};
    track.left_out = keep_longest(track.path.pieces);
    for (const PathPiece& piece : track.path.pieces) {
        track.kinds.push_back(kind_of(piece, ops, kernels));
        track.ranks.push_back(numbers.of(piece.rank));
    }
    return track;
}

}  // namespace opsight::query
