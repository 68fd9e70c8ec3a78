#include "query/timeline/first_event.h"

#include <algorithm>

#include "query/session/cells.h"
#include "query/timeline/data.h"
#include "query/timeline/sql.h"

namespace opsight::query {
namespace {

TrackPart part_named(std::string_view name) {
    if (name == "ranges") return TrackPart::kRanges;
    if (name == "os_calls") return TrackPart::kOsCalls;
    if (name == "stream") return TrackPart::kStream;
    return name == "waits" ? TrackPart::kWaits : TrackPart::kCalls;
}

// Of a statement with the columns track, part, span, name, begin_ns, dur_ns: its row, if it has one.
Result<std::optional<FirstEvent>> event_of(Session& session, const duck::Statement& statement) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(statement));
    if (rows.rows.empty()) return std::optional<FirstEvent>();
    const auto& row = rows.rows[0];
    const int64_t track = timeline_track_id(integer(row[0]), part_named(text(row[1])));
    return std::optional(FirstEvent{text(row[3]), integer(row[4]), integer(row[5]), track, integer(row[2])});
}

// Calls of the op; work that counts for it without one where it has none (pseudo-ops, captured graphs).
Result<std::optional<FirstEvent>> first_of_op(Session& session, int64_t op) {
    OPSIGHT_ASSIGN(std::optional<FirstEvent> call,
                   event_of(session, duck::Statement(timeline::sql::first_op_call).set("op", op)));
    if (call) return call;
    return event_of(session, duck::Statement(timeline::sql::first_op_work).set("op", op));
}

Result<std::optional<FirstEvent>> first_of_kernel(Session& session, const EventSubject& subject) {
    duck::Statement statement(timeline::sql::first_kernel);
    statement.set("kernel", subject.kernel).set("op", subject.op ? duck::Cell(*subject.op) : duck::Cell());
    return event_of(session, statement);
}

Result<std::optional<FirstEvent>> first_of_layer(Session& session, std::string path) {
    path.erase(0, std::min(path.find_first_not_of('/'), path.size()));
    OPSIGHT_ASSIGN(std::optional<FirstEvent> call,
                   event_of(session, duck::Statement(timeline::sql::first_layer_call).set("path", path)));
    if (call) return call;
    return event_of(session, duck::Statement(timeline::sql::first_layer_op).set("path", path));
}

Result<std::optional<FirstEvent>> first_of_range(Session& session, int64_t range) {
    OPSIGHT_TRY(session.prepare_ranges());
    return event_of(session, duck::Statement(timeline::sql::first_range).set("range", range));
}

}  // namespace

Result<std::optional<FirstEvent>> first_event(Session& session, const EventSubject& subject) {
    if (!subject.kernel.empty()) return first_of_kernel(session, subject);
    if (subject.op) return first_of_op(session, *subject.op);
    if (!subject.layer.empty()) return first_of_layer(session, subject.layer);
    return first_of_range(session, subject.range.value_or(-1));
}

}  // namespace opsight::query
