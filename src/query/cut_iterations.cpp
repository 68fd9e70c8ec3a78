#include "query/cut_iterations.h"

#include <fmt/format.h>

#include "analyze/iterations.h"
#include "store/string_pool.h"

namespace opsight {
namespace {

int64_t number_at(const std::vector<duck::Cell>& row, size_t index) {
    const int64_t* value = std::get_if<int64_t>(&row[index]);
    return value ? *value : 0;
}

std::string text_at(const std::vector<duck::Cell>& row, size_t index) {
    const std::string* value = std::get_if<std::string>(&row[index]);
    return value ? *value : std::string();
}

IterationCandidate candidate(const std::vector<duck::Cell>& row, StringPool& names) {
    return {RankId(static_cast<size_t>(number_at(row, 0))), number_at(row, 1), number_at(row, 2),
            names.intern(text_at(row, 3))};
}

Result<std::vector<IterationCandidate>> named_ops(duck::Connection& connection, const std::string& name,
                                                  StringPool& names) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        connection.query("SELECT t.rank, o.begin_ns, o.begin_ns + o.dur_ns, i.name FROM raw.ops o "
                         "JOIN raw.op_identities i ON i.id = o.op JOIN raw.tracks t ON t.id = o.track "
                         "WHERE i.name = ? ORDER BY o.id",
                         {name}));
    std::vector<IterationCandidate> found;
    for (const auto& row : rows.rows)
        found.push_back(candidate(row, names));
    return found;
}

Result<std::vector<IterationCandidate>> matching_ranges(duck::Connection& connection,
                                                        const std::string& pattern, StringPool& names) {
    OPSIGHT_TRY(check_range_pattern(pattern));
    const RangePattern matcher(pattern);
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        connection.query("SELECT t.rank, a.begin_ns, a.begin_ns + a.dur_ns, s.text FROM raw.annotations a "
                         "JOIN raw.strings s ON s.id = a.name JOIN raw.tracks t ON t.id = a.track "
                         "ORDER BY a.id"));
    std::vector<IterationCandidate> found;
    for (const auto& row : rows.rows)
        if (matcher.matches(text_at(row, 3))) found.push_back(candidate(row, names));
    return found;
}

Result<std::vector<RankExtent>> rank_extents(duck::Connection& connection) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        connection.query(
            "SELECT t.rank, min(s.b), max(s.e) FROM ("
            "SELECT track, min(begin_ns) AS b, max(begin_ns + dur_ns) AS e FROM raw.ops GROUP BY 1 UNION ALL "
            "SELECT track, min(begin_ns), max(begin_ns + dur_ns) FROM raw.api_calls GROUP BY 1 UNION ALL "
            "SELECT track, min(begin_ns), max(begin_ns + dur_ns) FROM raw.python_frames GROUP BY 1 UNION ALL "
            "SELECT track, min(begin_ns), max(begin_ns + dur_ns) FROM raw.module_calls GROUP BY 1 UNION ALL "
            "SELECT track, min(begin_ns), max(begin_ns + dur_ns) FROM raw.annotations GROUP BY 1 UNION ALL "
            "SELECT track, min(begin_ns), max(begin_ns + dur_ns) FROM raw.other_spans GROUP BY 1) s "
            "JOIN raw.tracks t ON t.id = s.track GROUP BY 1 ORDER BY 1"));
    std::vector<RankExtent> extents;
    for (const auto& row : rows.rows)
        extents.push_back(
            {RankId(static_cast<size_t>(number_at(row, 0))), number_at(row, 1), number_at(row, 2)});
    return extents;
}

}  // namespace

Result<CutIterations> cut_stored_iterations(duck::Connection& connection, const std::string& key_op,
                                            const std::string& pattern) {
    StringPool names;
    Iterations cut;
    if (!key_op.empty()) {
        OPSIGHT_ASSIGN(std::vector<IterationCandidate> found, named_ops(connection, key_op, names));
        OPSIGHT_ASSIGN(const std::vector<RankExtent> extents, rank_extents(connection));
        cut = iterations_from_key_op(std::move(found), extents, key_op);
    } else {
        OPSIGHT_ASSIGN(std::vector<IterationCandidate> found, matching_ranges(connection, pattern, names));
        cut = iterations_from_ranges(std::move(found), pattern);
    }
    mark_warmup(cut, {}, [&names](std::string_view text) { return names.intern(text); });
    CutIterations result;
    result.source = key_op.empty() ? "range_regex" : "key_op";
    result.description = cut.description;
    for (const Iteration& it : cut.list)
        result.list.push_back({it.rank.value, it.number, it.begin_ns, it.end_ns,
                               std::string(names.view(it.name)), it.warmup,
                               std::string(names.view(it.warmup_reason))});
    return result;
}

}  // namespace opsight
