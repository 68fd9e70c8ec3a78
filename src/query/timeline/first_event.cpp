#include "query/timeline/first_event.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/timeline/data.h"

namespace opsight::query {
namespace {

// Of a statement with the columns track, part, span, name, begin_ns, dur_ns: its first row.
Result<std::optional<FirstEvent>> first_of(Session& session, const std::string& events,
                                           const std::vector<duck::Cell>& arguments) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query("SELECT track::BIGINT, part::BIGINT, span::BIGINT, name, begin_ns, dur_ns "
                                 "FROM (" +
                                     events + ") ORDER BY begin_ns, dur_ns DESC, span LIMIT 1",
                                 arguments));
    if (rows.rows.empty()) return std::optional<FirstEvent>();
    const auto& row = rows.rows[0];
    const auto number = [&row](size_t i) { return std::get<int64_t>(row[i]); };
    const std::string* name = std::get_if<std::string>(&row[3]);
    return std::optional(FirstEvent{name ? *name : std::string(), number(4), number(5),
                                    timeline_track_id(number(0), static_cast<TrackPart>(number(1))),
                                    number(2)});
}

constexpr int part(TrackPart which) {
    return static_cast<int>(which);
}

// Calls of the op; work that counts for it without one where it has none (pseudo-ops, captured graphs).
Result<std::optional<FirstEvent>> first_of_op(Session& session, int64_t op) {
    OPSIGHT_ASSIGN(
        std::optional<FirstEvent> call,
        first_of(session,
                 fmt::format("SELECT o.track, {} AS part, o.id AS span, i.name, o.begin_ns, o.dur_ns FROM "
                             "sel_ops o JOIN raw.op_identities i ON i.id = o.op WHERE o.op = ?",
                             part(TrackPart::kCalls)),
                 {op}));
    if (call) return call;
    return first_of(session,
                    fmt::format("SELECT d.track, CASE d.kind WHEN 4 THEN {} ELSE {} END AS part, d.place AS "
                                "span, i.name, d.begin_ns, d.dur_ns FROM sel_device d JOIN raw.op_identities "
                                "i ON i.id = d.op WHERE d.op = ?",
                                part(TrackPart::kWaits), part(TrackPart::kStream)),
                    {op});
}

Result<std::optional<FirstEvent>> first_of_kernel(Session& session, const EventSubject& subject) {
    std::vector<duck::Cell> arguments = {subject.kernel, subject.kernel};
    if (subject.op) arguments.emplace_back(*subject.op);
    return first_of(session,
                    fmt::format("SELECT d.track, {} AS part, d.place AS span, k.label AS name, "
                                "d.begin_ns, d.dur_ns FROM sel_device d JOIN raw.kernel_names k ON k.id = "
                                "d.name WHERE d.kind = 0 AND (k.label = ? OR k.name = ?){}",
                                part(TrackPart::kStream), subject.op ? " AND d.op = ?" : ""),
                    arguments);
}

Result<std::optional<FirstEvent>> first_of_layer(Session& session, std::string path) {
    path.erase(0, std::min(path.find_first_not_of('/'), path.size()));
    OPSIGHT_ASSIGN(
        std::optional<FirstEvent> call,
        first_of(session,
                 fmt::format("SELECT m.track, {} AS part, m.id AS span, x.text AS name, m.begin_ns, m.dur_ns "
                             "FROM sel_modules m JOIN raw.layers l ON l.id = m.layer LEFT JOIN raw.strings x "
                             "ON x.id = m.name WHERE l.path = ?",
                             part(TrackPart::kCalls)),
                 {path}));
    if (call) return call;
    return first_of(session,
                    fmt::format("SELECT o.track, {} AS part, o.id AS span, i.name, o.begin_ns, o.dur_ns FROM "
                                "sel_ops o JOIN raw.op_identities i ON i.id = o.op LEFT JOIN raw.layers l ON "
                                "l.id = i.layer WHERE $1 = '' OR starts_with(l.path || '/', $1 || '/')",
                                part(TrackPart::kCalls)),
                    {path});
}

// A range may have been read as an annotation, an op, a module call or another span; its number tells which.
Result<std::optional<FirstEvent>> first_of_range(Session& session, int64_t range) {
    OPSIGHT_TRY(session.prepare_ranges());
    return first_of(
        session,
        fmt::format(
            "WITH f AS (SELECT r.id, l.name FROM st_range r JOIN st_labels l ON l.id = r.label WHERE "
            "r.label::BIGINT * 2 + r.style = ? ORDER BY r.begin_ns, r.dur_ns DESC LIMIT 1), "
            "s AS (SELECT id, track, begin_ns, dur_ns, {0} AS part FROM raw.annotations UNION ALL "
            "SELECT id, track, begin_ns, dur_ns, {1} FROM raw.ops UNION ALL "
            "SELECT id, track, begin_ns, dur_ns, {1} FROM raw.module_calls UNION ALL "
            "SELECT id, track, begin_ns, dur_ns, CASE kind WHEN 10 THEN {2} ELSE {1} END FROM "
            "raw.other_spans) SELECT s.track, s.part, s.id AS span, f.name, s.begin_ns, s.dur_ns FROM f "
            "JOIN s ON s.id = f.id",
            part(TrackPart::kRanges), part(TrackPart::kCalls), part(TrackPart::kOsCalls)),
        {range});
}

}  // namespace

Result<std::optional<FirstEvent>> first_event(Session& session, const EventSubject& subject) {
    if (!subject.kernel.empty()) return first_of_kernel(session, subject);
    if (subject.op) return first_of_op(session, *subject.op);
    if (!subject.layer.empty()) return first_of_layer(session, subject.layer);
    return first_of_range(session, subject.range.value_or(-1));
}

}  // namespace opsight::query
