#include "query/session/cut_iterations.h"
#include "query/session/cells.h"

#include <fmt/format.h>

#include "analyze/find_iterations.h"
#include "analyze/iterations.h"
#include "store/string_pool.h"

namespace opsight::query {
namespace {

IterationCandidate candidate(const std::vector<duck::Cell>& row, StringPool& names) {
    return {RankId(static_cast<size_t>(integer(row[0]))), integer(row[1]), integer(row[2]),
            names.intern(text(row[3]))};
}

// All host spans of the names in `wanted` (op_names, span_names): rank, begin, end, name.
constexpr const char* kNamedSpans =
    "WITH named AS (SELECT track, begin_ns, dur_ns, name FROM raw.api_calls "
    "UNION ALL SELECT track, begin_ns, dur_ns, name FROM raw.python_frames "
    "UNION ALL SELECT track, begin_ns, dur_ns, name FROM raw.module_calls "
    "UNION ALL SELECT track, begin_ns, dur_ns, name FROM raw.annotations "
    "UNION ALL SELECT track, begin_ns, dur_ns, name FROM raw.other_spans), "
    "found AS (SELECT n.track, n.begin_ns, n.dur_ns, x.text FROM named n JOIN wanted_strings x ON x.id = "
    "n.name "
    "UNION ALL SELECT o.track, o.begin_ns, o.dur_ns, i.text FROM raw.ops o JOIN wanted_ops i ON i.id = o.op) "
    "SELECT t.rank, f.begin_ns, f.begin_ns + f.dur_ns, f.text FROM found f JOIN raw.tracks t ON t.id = "
    "f.track "
    "ORDER BY f.track, f.begin_ns, f.dur_ns DESC";

Result<std::vector<IterationCandidate>> spans_of_names(duck::Connection& connection,
                                                       const std::vector<std::string>& wanted,
                                                       StringPool& names) {
    if (wanted.empty()) return std::vector<IterationCandidate>{};
    std::string list;
    for (const std::string& name : wanted)
        list += (list.empty() ? "" : ", ") + duck::quote_text(name);
    OPSIGHT_TRY(connection.execute(fmt::format(
        "CREATE OR REPLACE TEMP TABLE wanted_strings AS SELECT id, text FROM raw.strings WHERE text IN ({0});"
        "CREATE OR REPLACE TEMP TABLE wanted_ops AS SELECT id, name AS text FROM raw.op_identities WHERE "
        "name IN ({0})",
        list)));
    OPSIGHT_ASSIGN(const duck::Rows rows, connection.query(kNamedSpans));
    std::vector<IterationCandidate> found;
    for (const auto& row : rows.rows)
        found.push_back(candidate(row, names));
    return found;
}

// NVTX ranges that say the name whole: see is_range_of.
Result<std::vector<IterationCandidate>> ranges_of(duck::Connection& connection, const std::string& name,
                                                  StringPool& names) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   connection.query(fmt::format("SELECT t.rank, r.begin_ns, r.begin_ns + r.dur_ns, x.text "
                                                "FROM raw.nvtx_ranges r JOIN raw.strings x ON "
                                                "x.id = r.text JOIN raw.tracks t ON t.id = r.track WHERE "
                                                "x.text = {0} OR ends_with(x.text, ': ' || {0}) "
                                                "ORDER BY r.id",
                                                duck::quote_text(name))));
    std::vector<IterationCandidate> found;
    for (const auto& row : rows.rows)
        found.push_back(candidate(row, names));
    return found;
}

// Spans whose name makes the iteration that they begin in a warm-up one.
Result<std::vector<WarmupEvent>> warmup_events(duck::Connection& connection, StringPool& names) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   connection.query("SELECT DISTINCT text FROM (SELECT text FROM raw.strings "
                                    "UNION ALL SELECT name FROM raw.op_identities)"));
    std::vector<std::string> telling;
    for (const auto& row : rows.rows)
        if (const std::string name = text(row[0]); !warmup_reason(name).empty()) telling.push_back(name);
    OPSIGHT_ASSIGN(const std::vector<IterationCandidate> spans, spans_of_names(connection, telling, names));
    std::vector<WarmupEvent> events;
    for (const IterationCandidate& span : spans)
        events.push_back({span.rank, span.begin, warmup_reason(names.view(span.name))});
    return events;
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
    // NVTX ranges that were read as layers or ops go by their text as written.
    OPSIGHT_ASSIGN(
        const duck::Rows others,
        connection.query("SELECT t.rank, r.begin_ns, r.begin_ns + r.dur_ns, s.text FROM raw.nvtx_ranges r "
                         "JOIN raw.strings s ON s.id = r.text JOIN raw.tracks t ON t.id = r.track "
                         "WHERE r.id NOT IN (SELECT id FROM raw.annotations) ORDER BY r.id"));
    std::vector<IterationCandidate> found;
    for (const duck::Rows* each : {&rows, &others})
        for (const auto& row : each->rows)
            if (matcher.matches(text(row[3]))) found.push_back(candidate(row, names));
    return found;
}

Result<std::vector<RankBegin>> rank_begins(duck::Connection& connection) {
    std::string begins;
    for (const char* table :
         {"ops", "api_calls", "python_frames", "module_calls", "annotations", "other_spans"})
        begins += fmt::format("{}SELECT track, min(begin_ns) AS b FROM raw.{} GROUP BY 1",
                              begins.empty() ? "" : " UNION ALL ", table);
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   connection.query(
                       fmt::format("SELECT t.rank, min(s.b) FROM ({}) s JOIN raw.tracks t ON t.id = s.track "
                                   "WHERE t.kind <> 3 GROUP BY 1 ORDER BY 1",
                                   begins)));
    std::vector<RankBegin> result;
    for (const auto& row : rows.rows)
        result.push_back({RankId(static_cast<size_t>(integer(row[0]))), integer(row[1])});
    return result;
}

}  // namespace

Result<CutIterations> cut_stored_iterations(duck::Connection& connection, const std::string& key_op,
                                            const std::string& pattern) {
    StringPool names;
    Iterations cut;
    if (!key_op.empty()) {
        OPSIGHT_ASSIGN(std::vector<IterationCandidate> found, spans_of_names(connection, {key_op}, names));
        if (found.empty()) {
            OPSIGHT_ASSIGN(found, ranges_of(connection, key_op, names));
        }
        OPSIGHT_ASSIGN(const std::vector<RankBegin> begins, rank_begins(connection));
        cut = iterations_from_key_op(std::move(found), begins, key_op);
    } else {
        OPSIGHT_ASSIGN(std::vector<IterationCandidate> found, matching_ranges(connection, pattern, names));
        cut = iterations_from_ranges(std::move(found), pattern);
    }
    OPSIGHT_ASSIGN(const std::vector<WarmupEvent> events, warmup_events(connection, names));
    mark_warmup(cut, events, [&names](std::string_view text) { return names.intern(text); });
    CutIterations result;
    result.source = key_op.empty() ? "range_regex" : "key_op";
    result.description = cut.description;
    for (const Iteration& it : cut.list)
        result.list.push_back({it.rank.value, it.number, it.begin_ns, it.end_ns,
                               std::string(names.view(it.name)), it.warmup,
                               std::string(names.view(it.warmup_reason))});
    return result;
}

}  // namespace opsight::query
