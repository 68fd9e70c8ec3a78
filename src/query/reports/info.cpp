#include "query/reports/info.h"

#include <charconv>

#include "query/ask/question.h"
#include "query/session/iteration_choice.h"

namespace opsight::query {
namespace {

int64_t number(std::string_view text) {
    int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

Status read_meta(Session& session, Info& info) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query("SELECT key, value FROM raw.meta ORDER BY rowid"));
    for (const auto& row : rows.rows) {
        const auto& key = std::get<std::string>(row[0]);
        const auto& value = std::get<std::string>(row[1]);
        if (key == "producer") info.producer = value;
        if (key == "writer") info.writer = value;
        if (key == "framework") info.frameworks.push_back(value);
        if (key == "source") info.sources.push_back(value);
        if (key == "begin_ns") info.begin_ns = number(value);
        if (key == "end_ns") info.end_ns = number(value);
        if (key == "origin_ns") info.origin_ns = number(value);
        if (key == "origin_is_unix") info.origin_is_unix = value == "true";
        if (key.starts_with("property.source.")) continue;  // spellings for reports in another tool's style
        if (key.starts_with("property.")) info.properties.emplace_back(key.substr(9), value);
    }
    return {};
}

Result<ResultTable> ranks(Session& session) {
    Question q{"ranks", "Ranks"};
    q.fields = {{{"rank", "Rank", Unit::kCount, 0, Role::kId}, "number"},
                {{"rank_known", "Named by the Source"}, "number_known"},
                {{"world_size", "World Size", Unit::kCount}, "nullif(world_size, -1)"},
                {{"host", "Host"}, "nullif(host, '')"},
                {{"backend", "Backend"}, "nullif(backend, '')"},
                {{"source", "Source"}, "source"}};
    q.source = "raw.ranks";
    q.order = {{"rank", false}};
    return ask(session, q, {});
}

Result<ResultTable> devices(Session& session) {
    Question q{"devices", "Devices"};
    q.fields = {
        {{"rank", "Rank", Unit::kCount, 0, Role::kId}, "r.number"},
        {{"device", "Device ID", Unit::kCount, 0, Role::kId}, "d.number"},
        {{"name", "Name"}, "nullif(d.name, '')"},
        {{"compute_capability", "Compute Capability"},
         "CASE WHEN d.compute_major > 0 THEN d.compute_major || '.' || d.compute_minor END"},
        {{"sm_count", "SMs", Unit::kCount}, "nullif(d.sm_count, 0)"},
        {{"memory_bytes", "Memory (bytes)", Unit::kBytes}, "nullif(d.memory_bytes, 0)"},
        {{"declared", "In Header"}, "d.declared"},
        {{"device_spans", "Device Spans", Unit::kCount},
         "(SELECT count(*) FROM raw.device_spans s JOIN raw.tracks t ON t.id = s.track WHERE t.device = d.id "
         "AND s.kind < 3)"}};
    q.source = "raw.devices d LEFT JOIN raw.ranks r ON r.id = d.rank";
    q.order = {{"rank", false}, {"device", false}};
    return ask(session, q, {});
}

// Of the whole profile, whatever range is chosen. Unattributed: no launching call in the profile.
Result<ResultTable> counts(Session& session) {
    Question q{"counts", "Counts"};
    const auto count = [&q](const char* key, const char* head, const char* source) {
        q.fields.push_back({{key, head, Unit::kCount}, std::string("(SELECT count(*) FROM ") + source + ")"});
    };
    count("kernels", "Kernels", "raw.device_spans WHERE kind = 0");
    count("memcpys", "Memcpys", "raw.device_spans WHERE kind = 1");
    count("memsets", "Memsets", "raw.device_spans WHERE kind = 2");
    count("api_calls", "API Calls", "raw.api_calls");
    count("ops", "Ops", "raw.ops");
    count("annotations", "Annotations", "raw.annotations");
    count("nvtx_ranges", "NVTX Ranges",
          "raw.nvtx_ranges r JOIN raw.nvtx_attributes a ON a.id = r.attributes WHERE a.type < 2");
    count("nvtx_marks", "NVTX Marks",
          "raw.nvtx_ranges r JOIN raw.nvtx_attributes a ON a.id = r.attributes WHERE a.type = 2");
    // The trace of a source that records Python tells calls of modules as frames of it.
    q.fields.push_back({{"python_frames", "Python Frames", Unit::kCount},
                        "(SELECT count(*) FROM raw.python_frames) + (SELECT count(*) FROM raw.module_calls "
                        "WHERE id NOT IN (SELECT id FROM raw.nvtx_ranges))"});
    count("unattributed_kernels", "Unattributed Kernels", "raw.device_spans WHERE kind = 0 AND launch = -1");
    count("module_calls", "Module Calls", "raw.module_calls");
    count("device_annotations", "Device Annotations", "raw.device_spans WHERE kind = 3");
    count("other_device_spans", "Other Device Spans", "raw.device_spans WHERE kind > 3");
    count("other_spans", "Other Spans", "raw.other_spans");
    count("memory_events", "Memory Events", "raw.memory_events");
    count("counter_samples", "Counter Samples", "raw.counters");
    count("layers", "Layers", "raw.layers");
    count("distinct_kernels", "Distinct Kernels", "raw.kernel_names");
    count("distinct_ops", "Distinct Ops", "raw.op_identities");
    q.source = "(SELECT 1)";
    return ask(session, q, {});
}

Result<ResultTable> diagnostics(Session& session) {
    Question q{"diagnostics", "Diagnostics"};
    q.fields = {{{"key", "Diagnostic"}, "key"},
                {{"severity", "Severity"}, "severity"},
                {{"count", "Count", Unit::kCount}, "count"},
                {{"help", "Meaning"}, "help"}};
    q.source = "raw.diagnostics";
    q.order = {{"severity", false}, {"key", false}};
    return ask(session, q, {});
}

Result<ResultTable> unread_tables(Session& session) {
    Question q{"unread_tables", "Tables of the Source That Are Not Used"};
    q.fields = {{{"table", "Table"}, "substr(key, 14)"},
                {{"rows", "Rows", Unit::kCount}, "nullif(TRY_CAST(value AS BIGINT), -1)"}};
    q.source = "raw.meta WHERE key LIKE 'unread_table.%'";
    q.order = {{"rows", true}, {"table", false}};
    return ask(session, q, {});
}

}  // namespace

Result<Info> profile_info(Session& session) {
    Info info;
    OPSIGHT_TRY(read_meta(session, info));
    OPSIGHT_ASSIGN(info.ranks, ranks(session));
    OPSIGHT_ASSIGN(info.devices, devices(session));
    OPSIGHT_ASSIGN(info.counts, counts(session));
    OPSIGHT_ASSIGN(info.diagnostics, diagnostics(session));
    OPSIGHT_ASSIGN(info.unread, unread_tables(session));
    info.iterations = session.range();
    info.device_work = session.contents().device_work;
    OPSIGHT_ASSIGN(std::string hint, iteration_hint(session));
    if (!hint.empty()) info.iterations.notes.push_back(std::move(hint));
    return info;
}

}  // namespace opsight::query
