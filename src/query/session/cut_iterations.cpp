#include "query/session/cut_iterations.h"
#include "query/session/cells.h"
#include "query/session/sql.h"
#include "query/session/stored_pauses.h"

#include "analyze/find_iterations.h"
#include "analyze/iterations.h"
#include "analyze/recording_pauses.h"
#include "store/string_pool.h"

namespace opsight::query {
namespace {

namespace sql = session::sql;

analyze::IterationCandidate candidate(const std::vector<duck::Cell>& row, StringPool& names) {
    return {RankId(static_cast<size_t>(integer(row[0]))), integer(row[1]), integer(row[2]),
            names.intern(text(row[3]))};
}

Result<std::vector<analyze::IterationCandidate>> spans_of_names(duck::Connection& connection,
                                                                const std::vector<std::string>& wanted,
                                                                StringPool& names) {
    if (wanted.empty()) return std::vector<analyze::IterationCandidate>{};
    OPSIGHT_TRY(connection.execute(sql::wanted_names));
    OPSIGHT_ASSIGN(duck::Appender to,
                   duck::Appender::create(connection, "temp", "wanted_names", {duck::Type::kVarchar}));
    for (const std::string& name : wanted) {
        to.set_text(0, 0, name);
        OPSIGHT_TRY(to.add(1));
    }
    OPSIGHT_TRY(to.close());
    OPSIGHT_ASSIGN(const duck::Rows rows, connection.query(sql::named_spans));
    std::vector<analyze::IterationCandidate> found;
    for (const auto& row : rows.rows)
        found.push_back(candidate(row, names));
    return found;
}

Result<std::vector<analyze::IterationCandidate>> ranges_of(duck::Connection& connection,
                                                           const std::string& name, StringPool& names) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   connection.query(duck::Statement(sql::nvtx_ranges_of_name).set("name", name)));
    std::vector<analyze::IterationCandidate> found;
    for (const auto& row : rows.rows)
        found.push_back(candidate(row, names));
    return found;
}

// Spans whose name makes the iteration that they begin in a warm-up one.
Result<std::vector<analyze::WarmupEvent>> warmup_events(duck::Connection& connection, StringPool& names) {
    OPSIGHT_ASSIGN(const duck::Rows rows, connection.query(sql::all_names));
    std::vector<std::string> telling;
    for (const auto& row : rows.rows)
        if (const std::string name = text(row[0]); !analyze::warmup_reason(name).empty())
            telling.push_back(name);
    OPSIGHT_ASSIGN(const std::vector<analyze::IterationCandidate> spans,
                   spans_of_names(connection, telling, names));
    std::vector<analyze::WarmupEvent> events;
    for (const analyze::IterationCandidate& span : spans)
        events.push_back({span.rank, span.begin, analyze::warmup_reason(names.view(span.name))});
    return events;
}

Result<std::vector<analyze::IterationCandidate>> matching_ranges(duck::Connection& connection,
                                                                 const std::string& pattern,
                                                                 StringPool& names) {
    OPSIGHT_TRY(analyze::check_range_pattern(pattern));
    const analyze::RangePattern matcher(pattern);
    OPSIGHT_ASSIGN(const duck::Rows rows, connection.query(sql::annotation_spans));
    // NVTX ranges that were read as layers or ops go by their text as written.
    OPSIGHT_ASSIGN(const duck::Rows others, connection.query(sql::other_nvtx_spans));
    std::vector<analyze::IterationCandidate> found;
    for (const duck::Rows* each : {&rows, &others})
        for (const auto& row : each->rows)
            if (matcher.matches(text(row[3]))) found.push_back(candidate(row, names));
    return found;
}

Result<std::vector<analyze::RankBegin>> begins_of(duck::Connection& connection,
                                                  const duck::Statement& question) {
    OPSIGHT_ASSIGN(const duck::Rows rows, connection.query(question));
    std::vector<analyze::RankBegin> result;
    for (const auto& row : rows.rows)
        result.push_back({RankId(static_cast<size_t>(integer(row[0]))), integer(row[1])});
    return result;
}

Result<std::vector<analyze::RankBegin>> rank_begins(duck::Connection& connection) {
    return begins_of(connection, sql::rank_begins);
}

// Ranks that are whole only from some time on, as the stored iterations tell.
Result<std::vector<analyze::RankBegin>> kept_from(duck::Connection& connection) {
    return begins_of(connection,
                     duck::Statement(sql::ranks_kept_from).set("reason", std::string(analyze::kCutHead)));
}

}  // namespace

Result<CutIterations> cut_stored_iterations(duck::Connection& connection, const std::string& key_op,
                                            const std::string& pattern) {
    StringPool names;
    analyze::Iterations cut;
    if (!key_op.empty()) {
        OPSIGHT_ASSIGN(std::vector<analyze::IterationCandidate> found,
                       spans_of_names(connection, {key_op}, names));
        if (found.empty()) {
            OPSIGHT_ASSIGN(found, ranges_of(connection, key_op, names));
        }
        OPSIGHT_ASSIGN(const std::vector<analyze::RankBegin> begins, rank_begins(connection));
        cut = iterations_from_key_op(std::move(found), begins, key_op);
    } else {
        OPSIGHT_ASSIGN(std::vector<analyze::IterationCandidate> found,
                       matching_ranges(connection, pattern, names));
        cut = iterations_from_ranges(std::move(found), pattern);
    }
    OPSIGHT_ASSIGN(const duck::Rows rows, connection.query(sql::pauses));
    const std::vector<RecordingPause> pauses = stored_pauses(rows);
    part_at_pauses(cut.list, pauses);
    OPSIGHT_ASSIGN(std::vector<analyze::WarmupEvent> events, warmup_events(connection, names));
    OPSIGHT_ASSIGN(const std::vector<analyze::RankBegin> kept, kept_from(connection));
    for (const analyze::WarmupEvent& cut_head : analyze::cut_heads(cut, kept))
        events.push_back(cut_head);
    mark_warmup(
        cut, events, [&names](std::string_view text) { return names.intern(text); },
        [&names](StringId name) { return names.view(name); }, pauses);
    CutIterations result;
    result.source = key_op.empty() ? "range_regex" : "key_op";
    result.description = cut.description;
    for (const analyze::Iteration& it : cut.list)
        result.list.push_back({it.rank.value, it.number, it.begin_ns, it.end_ns,
                               std::string(names.view(it.name)), it.warmup,
                               std::string(names.view(it.warmup_reason))});
    return result;
}

}  // namespace opsight::query
