// The tables of source_reports.h.
#include <fmt/format.h>

#include "db/schema.h"
#include "query/reports/source_reports.h"

namespace opsight::query {
namespace {

// Rows of a relation with tracks that lie in the chosen range by their time.
std::string in_range(const Session& session, std::string_view relation, std::string_view time) {
    if (session.range().whole) return fmt::format("{} s JOIN raw.tracks t ON t.id = s.track", relation);
    return fmt::format(
        "{0} s JOIN raw.tracks t ON t.id = s.track ASOF JOIN sel_iterations i ON i.rank = t.rank AND "
        "s.{1} >= i.begin_ns WHERE s.{1} < i.end_ns",
        relation, time);
}

// How long calls took: columns after those that name them.
void add_times(Question& q) {
    const auto time = [&q](const char* key, const char* head, const char* sql, int priority) {
        q.fields.push_back({{key, head, Unit::kNs, priority}, sql});
    };
    q.fields.push_back({{"calls", "No. Calls", Unit::kCount}, "c.calls"});
    time("total_time_ns", "Total Time (ns)", "c.total_ns", 0);
    q.fields.push_back({{"share_pct", "Time (%)", Unit::kPercent, 2},
                        "100.0 * c.total_ns / nullif((SELECT sum(total_ns) FROM c), 0)"});
    time("avg_time_ns", "Avg (ns)", "c.avg_ns", 1);
    time("min_time_ns", "Min (ns)", "c.min_ns", 5);
    time("median_time_ns", "Median (ns)", "c.median_ns", 3);
    time("p95_time_ns", "P95 (ns)", "c.p95_ns", 4);
    time("max_time_ns", "Max (ns)", "c.max_ns", 2);
    q.order = {{"total_time_ns", true}};
}

constexpr const char* kTimeSums =
    "count(*) AS calls, sum(dur_ns)::BIGINT AS total_ns, round(avg(dur_ns))::BIGINT AS avg_ns, "
    "min(dur_ns) AS min_ns, round(quantile_cont(dur_ns, 0.5))::BIGINT AS median_ns, "
    "round(quantile_cont(dur_ns, 0.95))::BIGINT AS p95_ns, max(dur_ns) AS max_ns";

// Bytes a second of rows that tell their bytes.
constexpr const char* kRate =
    "1e9 * (sum(bytes) FILTER (WHERE bytes >= 0)) / nullif(sum(dur_ns) FILTER (WHERE bytes >= 0), 0)";

std::string labels(const std::string& text) {
    return fmt::format("nullif({}, '')", text);
}

// Calls of one kind of raw.other_spans, by function.
Result<ResultTable> host_call_sums(Session& session, const TableShape& shape, Question q, int kind) {
    q.fields.insert(q.fields.begin(), {{"function", "Function"}, "c.name"});
    add_times(q);
    q.fields.push_back({{"threads", "Threads", Unit::kCount, 6}, "c.threads"});
    q.with = fmt::format(
        "WITH s AS (SELECT s.* FROM {}), c AS (SELECT x.text AS name, s.category, "
        "count(DISTINCT s.track) AS threads, {} FROM s JOIN raw.strings x ON x.id = s.name GROUP BY ALL) ",
        in_range(session, fmt::format("(FROM raw.other_spans WHERE kind = {} AND (flags & 1) = 0)", kind),
                 "begin_ns"),
        kTimeSums);
    q.source = "c LEFT JOIN raw.strings l ON l.id = c.category";
    q.order.emplace_back("function", false);
    return ask(session, q, shape);
}

}  // namespace

Result<ResultTable> api_sums(Session& session, const TableShape& shape) {
    Question q{"api", "API Calls"};
    q.fields = {{{"function", "Function"}, "c.name"},
                {{"api", "API", Unit::kNone, 4}, "CASE WHEN c.driver THEN 'driver' ELSE 'runtime' END"}};
    add_times(q);
    q.fields.push_back({{"failed", "Failed", Unit::kCount, 3}, "c.failed"});
    q.fields.push_back({{"threads", "Threads", Unit::kCount, 6}, "c.threads"});
    q.with = fmt::format(
        "WITH c AS (SELECT x.text AS name, a.driver, count(DISTINCT a.track) AS threads, "
        "CASE WHEN count(*) FILTER (WHERE a.result >= 0) > 0 THEN count(*) FILTER (WHERE a.result > 0) END "
        "AS failed, {} FROM sel_api a JOIN raw.strings x ON x.id = a.name WHERE (a.flags & 1) = 0 GROUP BY "
        "ALL) ",
        kTimeSums);
    q.source = "c";
    q.order.emplace_back("function", false);
    return ask(session, q, shape);
}

Result<ResultTable> copy_sums(Session& session, const TableShape& shape) {
    Question q{"copies", "Copies and Sets"};
    const auto time = [&q](const char* key, const char* head, const char* sql, int priority) {
        q.fields.push_back({{key, head, Unit::kNs, priority}, sql});
    };
    const auto bytes = [&q](const char* key, const char* head, const char* sql, int priority) {
        q.fields.push_back({{key, head, Unit::kBytes, priority}, sql});
    };
    q.fields = {{{"rank", "Rank", Unit::kCount, 4, Role::kId}, "r.number"},
                {{"device", "Device ID", Unit::kCount, 2, Role::kId}, "d.number"},
                {{"operation", "Operation"}, "c.operation"},
                {{"from_memory", "From"}, labels("c.from_memory")},
                {{"to_memory", "To"}, labels("c.to_memory")},
                {{"count", "Count", Unit::kCount}, "c.count"}};
    time("total_time_ns", "Total Time (ns)", "c.total_ns", 0);
    bytes("bytes", "Bytes", "c.bytes", 0);
    bytes("bytes_per_s", "Bytes/s", "c.rate", 0);
    bytes("avg_bytes", "Avg (bytes)", "c.avg_bytes", 1);
    bytes("min_bytes", "Min (bytes)", "c.min_bytes", 5);
    bytes("max_bytes", "Max (bytes)", "c.max_bytes", 3);
    time("avg_time_ns", "Avg (ns)", "c.avg_ns", 3);
    time("max_time_ns", "Max (ns)", "c.max_ns", 5);
    q.with = fmt::format(
        "WITH c AS (SELECT t.rank, t.device, CASE s.kind WHEN 2 THEN 'Memset' ELSE coalesce({}, 'Memcpy') "
        "END "
        "AS operation, coalesce({}, '') AS from_memory, coalesce({}, '') AS to_memory, count(*) AS count, "
        "sum(s.dur_ns)::BIGINT AS total_ns, (sum(s.bytes) FILTER (WHERE s.bytes >= 0))::BIGINT AS bytes, "
        "{} AS rate, round(avg(s.bytes) FILTER (WHERE s.bytes >= 0))::BIGINT AS avg_bytes, "
        "min(s.bytes) FILTER (WHERE s.bytes >= 0) AS min_bytes, max(s.bytes) FILTER (WHERE s.bytes >= 0) AS "
        "max_bytes, round(avg(s.dur_ns))::BIGINT AS avg_ns, max(s.dur_ns) AS max_ns FROM sel_device s "
        "JOIN raw.tracks t ON t.id = s.track LEFT JOIN raw.transfers f ON f.id = s.transfer "
        "WHERE s.kind IN (1, 2) AND (s.flags & 1) = 0 GROUP BY ALL) ",
        db::copy_kind_text("f.copy_kind"), db::memory_kind_text("f.from_kind"),
        db::memory_kind_text("f.to_kind"), kRate);
    q.source = "c LEFT JOIN raw.devices d ON d.id = c.device LEFT JOIN raw.ranks r ON r.id = c.rank";
    q.order = {{"total_time_ns", true}, {"operation", false}, {"from_memory", false},
               {"to_memory", false},    {"rank", false},      {"device", false}};
    return ask(session, q, shape);
}

Result<ResultTable> os_call_sums(Session& session, const TableShape& shape) {
    Question q{"os_runtime", "Calls of the System"};
    q.fields = {{{"traced_as", "Traced As", Unit::kNone, 5},
                 "CASE WHEN c.category >= 0 THEN 'system call' ELSE 'library call' END"}};
    return host_call_sums(session, shape, std::move(q), 10);
}

Result<ResultTable> library_sums(Session& session, const TableShape& shape) {
    Question q{"libraries", "Calls of Libraries"};
    q.fields = {{{"library", "Library"}, "l.text"}};
    return host_call_sums(session, shape, std::move(q), 12);
}

Result<ResultTable> message_sums(Session& session, const TableShape& shape) {
    Question q{"messages", "Message Passing"};
    q.fields = {{{"own_rank", "MPI Rank", Unit::kCount, 0, Role::kId}, "nullif(c.own_rank, -1)"},
                {{"function", "Function"}, "c.name"},
                {{"library", "Library", Unit::kNone, 4}, "l.text"}};
    add_times(q);
    const auto bytes = [&q](const char* key, const char* head, const char* sql) {
        q.fields.push_back({{key, head, Unit::kBytes, 1}, sql});
    };
    bytes("bytes", "Bytes of Messages", "c.bytes");
    bytes("sent_bytes", "Sent in Collectives (bytes)", "c.sent");
    bytes("received_bytes", "Received in Collectives (bytes)", "c.received");
    q.with = fmt::format(
        "WITH s AS (SELECT s.* FROM {}), c AS (SELECT x.text AS name, s.category, coalesce(m.rank, -1) AS "
        "own_rank, (sum(m.bytes) FILTER (WHERE m.bytes >= 0))::BIGINT AS bytes, "
        "(sum(m.sent_bytes) FILTER (WHERE m.sent_bytes >= 0))::BIGINT AS sent, "
        "(sum(m.received_bytes) FILTER (WHERE m.received_bytes >= 0))::BIGINT AS received, {} FROM s "
        "JOIN raw.strings x ON x.id = s.name LEFT JOIN raw.messages m ON m.id = s.id GROUP BY ALL) ",
        in_range(session, "(FROM raw.other_spans WHERE kind = 11 AND (flags & 1) = 0)", "begin_ns"),
        kTimeSums);
    q.source = "c LEFT JOIN raw.strings l ON l.id = c.category";
    q.order.insert(q.order.end(), {{"function", false}, {"own_rank", false}});
    return ask(session, q, shape);
}

Result<ResultTable> file_sums(Session& session, const TableShape& shape) {
    Question q{"file_access", "Accesses to Files"};
    q.fields = {{{"access", "Access"}, "c.name"}};
    add_times(q);
    q.fields.push_back({{"bytes", "Bytes", Unit::kBytes, 1}, "c.bytes"});
    q.fields.push_back({{"bytes_per_s", "Bytes/s", Unit::kBytes, 2}, "c.rate"});
    q.with = fmt::format(
        "WITH s AS (SELECT s.* FROM {}), c AS (SELECT x.text AS name, "
        "(sum(m.bytes) FILTER (WHERE m.bytes >= 0))::BIGINT AS bytes, {} AS rate, {} FROM s "
        "JOIN raw.strings x ON x.id = s.name LEFT JOIN raw.messages m ON m.id = s.id GROUP BY ALL) ",
        in_range(session, "(FROM raw.other_spans WHERE kind = 8 AND (flags & 1) = 0)", "begin_ns"), kRate,
        kTimeSums);
    q.source = "c";
    q.order.emplace_back("access", false);
    return ask(session, q, shape);
}

Result<ResultTable> migration_sums(Session& session, const TableShape& shape) {
    Question q{"migrations", "Migrations of Unified Memory"};
    q.fields = {{{"rank", "Rank", Unit::kCount, 4, Role::kId}, "r.number"},
                {{"device", "Device ID", Unit::kCount, 2, Role::kId}, "d.number"},
                {{"operation", "Operation"}, "c.operation"},
                {{"cause", "Cause"}, "c.cause"},
                {{"count", "Count", Unit::kCount}, "c.count"},
                {{"total_time_ns", "Total Time (ns)", Unit::kNs}, "c.total_ns"},
                {{"bytes", "Bytes", Unit::kBytes}, "c.bytes"},
                {{"bytes_per_s", "Bytes/s", Unit::kBytes, 1}, "c.rate"}};
    // Causes as in ENUM_CUDA_UNIF_MEM_MIGRATION and CUPTI.
    q.with = fmt::format(
        "WITH c AS (SELECT t.rank, t.device, {} AS operation, CASE f.migration_cause WHEN 1 THEN 'User "
        "prefetch' "
        "WHEN 2 THEN 'Page fault' WHEN 3 THEN 'Prefetch' WHEN 4 THEN 'Eviction' WHEN 5 THEN 'Access counter' "
        "END AS cause, count(*) AS count, sum(s.dur_ns)::BIGINT AS total_ns, "
        "(sum(s.bytes) FILTER (WHERE s.bytes >= 0))::BIGINT AS bytes, {} AS rate FROM sel_device s "
        "JOIN raw.tracks t ON t.id = s.track JOIN raw.transfers f ON f.id = s.transfer "
        "WHERE s.kind = 1 AND f.copy_kind BETWEEN 11 AND 13 GROUP BY ALL) ",
        db::copy_kind_text("f.copy_kind"), kRate);
    q.source = "c LEFT JOIN raw.devices d ON d.id = c.device LEFT JOIN raw.ranks r ON r.id = c.rank";
    q.order = {
        {"total_time_ns", true}, {"operation", false}, {"cause", false}, {"rank", false}, {"device", false}};
    return ask(session, q, shape);
}

Result<ResultTable> fault_sums(Session& session, const TableShape& shape) {
    Question q{"page_faults", "Page Faults of Unified Memory"};
    q.fields = {
        {{"rank", "Rank", Unit::kCount, 4, Role::kId}, "r.number"},
        {{"device", "Device ID", Unit::kCount, 0, Role::kId}, "d.number"},
        {{"side", "Side"}, "CASE WHEN c.device < 0 THEN 'CPU' ELSE 'GPU' END"},
        {{"access", "Access or Function"}, "nullif(c.access, '')"},
        {{"faults", "Faults", Unit::kCount}, "c.faults"},
        {{"events", "Events", Unit::kCount, 2}, "c.events"},
        {{"total_time_ns", "Total Time (ns)", Unit::kNs, 1}, "CASE WHEN c.device >= 0 THEN c.total_ns END"}};
    q.with = fmt::format(
        "WITH s AS (SELECT s.*, t.rank FROM {}), c AS (SELECT rank, device, access, "
        "sum(count)::BIGINT AS faults, count(*) AS events, sum(dur_ns)::BIGINT AS total_ns FROM s GROUP BY "
        "ALL) ",
        in_range(session, "raw.page_faults", "time_ns"));
    q.source = "c LEFT JOIN raw.devices d ON d.id = c.device LEFT JOIN raw.ranks r ON r.id = c.rank";
    q.order = {{"faults", true}, {"side", false}, {"access", false}, {"rank", false}, {"device", false}};
    return ask(session, q, shape);
}

Result<ResultTable> counter_sums(Session& session, const TableShape& shape) {
    Question q{"counters", "Counters"};
    const auto value = [&q](const char* key, const char* head, const char* sql, int priority) {
        q.fields.push_back({{key, head, Unit::kNone, priority}, sql});
    };
    q.fields = {{{"rank", "Rank", Unit::kCount, 4, Role::kId}, "r.number"},
                {{"device", "Device ID", Unit::kCount, 1, Role::kId}, "d.number"},
                {{"subject", "Subject"}, "nullif(c.subject, '')"},
                {{"counter", "Counter"}, "c.name"},
                {{"samples", "Samples", Unit::kCount, 2}, "c.samples"}};
    value("avg", "Mean of Samples", "c.average", 0);
    value("min", "Min", "c.least", 1);
    value("median", "Median", "c.middle", 3);
    value("p95", "P95", "c.high", 2);
    value("max", "Max", "c.most", 0);
    q.with = fmt::format(
        "WITH s AS (SELECT s.*, t.rank, t.device, t.pid_text FROM {}), c AS (SELECT s.rank, s.device, "
        "s.pid_text AS subject, x.text AS name, count(*) AS samples, avg(s.value) AS average, "
        "min(s.value) AS least, quantile_cont(s.value, 0.5) AS middle, quantile_cont(s.value, 0.95) AS high, "
        "max(s.value) AS most FROM s JOIN raw.strings x ON x.id = s.name GROUP BY ALL) ",
        in_range(session, "raw.counters", "time_ns"));
    q.source = "c LEFT JOIN raw.devices d ON d.id = c.device LEFT JOIN raw.ranks r ON r.id = c.rank";
    q.order = {{"subject", false}, {"rank", false}, {"device", false}, {"counter", false}};
    return ask(session, q, shape);
}

// A function counts once for a sample, however often it is on the stack.
Result<ResultTable> sample_sums(Session& session, const TableShape& shape) {
    Question q{"cpu_samples", "CPU Samples"};
    q.fields = {
        {{"function", "Function"}, "c.name"},
        {{"self_samples", "Self Samples", Unit::kCount}, "c.self"},
        {{"self_share_pct", "Self (%)", Unit::kPercent}, "100.0 * c.self / nullif(n.samples, 0)"},
        {{"samples", "Samples with Callees", Unit::kCount}, "c.total"},
        {{"share_pct", "With Callees (%)", Unit::kPercent, 1}, "100.0 * c.total / nullif(n.samples, 0)"}};
    q.with = fmt::format(
        "WITH s AS (SELECT s.stack, count(*) AS samples FROM {} GROUP BY 1), "
        "w AS (SELECT s.samples, string_split(x.text, chr(10)) AS frames FROM s JOIN raw.strings x ON x.id = "
        "s.stack), "
        "f AS (SELECT frames[1] AS name, sum(samples) AS self, 0 AS total FROM w GROUP BY 1 UNION ALL "
        "SELECT name, 0, sum(samples) FROM (SELECT samples, unnest(list_distinct(frames)) AS name FROM w) "
        "GROUP BY 1), "
        "c AS (SELECT name, sum(self)::BIGINT AS self, sum(total)::BIGINT AS total FROM f GROUP BY 1), "
        "n AS (SELECT sum(samples) AS samples FROM s) ",
        in_range(session, "raw.cpu_samples", "time_ns"));
    q.source = "c, n";
    q.order = {{"self_samples", true}, {"samples", true}, {"function", false}};
    return ask(session, q, shape);
}

}  // namespace opsight::query
