#include "query/reports/info.h"

#include <charconv>

#include "query/ask/question.h"
#include "query/reports/rank_reports.h"
#include "query/reports/sql.h"
#include "query/session/iteration_choice.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

int64_t number(std::string_view text) {
    int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

Status read_meta(Session& session, Info& info) {
    bool moments = false;  // what the source tells has no times
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::all_meta));
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
        moments |= key == "property.source.times" && value == "none";
        if (key.starts_with("property.source.")) continue;  // spellings for reports in another tool's style
        if (key.starts_with("property.")) info.properties.emplace_back(key.substr(9), value);
    }
    if (moments) info.end_ns = info.begin_ns;
    return {};
}

Result<ResultTable> ranks(Session& session) {
    Question q{"ranks", "Ranks"};
    q.columns = {{"rank", "Rank", Unit::kCount, 0, Role::kId},
                 {"rank_known", "Named by the Source"},
                 {"world_size", "World Size", Unit::kCount},
                 {"host", "Host"},
                 {"backend", "Backend"},
                 {"source", "Source"}};
    q.rows = sql::info_ranks;
    q.order = {{"rank", false}};
    return ask(session, q, {});
}

Result<ResultTable> devices(Session& session) {
    Question q{"devices", "Devices"};
    q.columns = {{"rank", "Rank", Unit::kCount, 0, Role::kId},
                 {"device", "Device ID", Unit::kCount, 0, Role::kId},
                 {"name", "Name"},
                 {"compute_capability", "Compute Capability"},
                 {"sm_count", "SMs", Unit::kCount},
                 {"memory_bytes", "Memory (bytes)", Unit::kBytes},
                 {"declared", "In Header"},
                 {"device_spans", "Device Spans", Unit::kCount}};
    q.rows = sql::info_devices;
    q.order = {{"rank", false}, {"device", false}};
    return ask(session, q, {});
}

Result<ResultTable> counts(Session& session) {
    Question q{"counts", "Counts"};
    q.columns = {{"kernels", "Kernels", Unit::kCount},
                 {"memcpys", "Memcpys", Unit::kCount},
                 {"memsets", "Memsets", Unit::kCount},
                 {"api_calls", "API Calls", Unit::kCount},
                 {"ops", "Ops", Unit::kCount},
                 {"annotations", "Annotations", Unit::kCount},
                 {"nvtx_ranges", "NVTX Ranges", Unit::kCount},
                 {"nvtx_marks", "NVTX Marks", Unit::kCount},
                 {"python_frames", "Python Frames", Unit::kCount},
                 {"unattributed_kernels", "Unattributed Kernels", Unit::kCount},
                 {"module_calls", "Module Calls", Unit::kCount},
                 {"device_annotations", "Device Annotations", Unit::kCount},
                 {"other_device_spans", "Other Device Spans", Unit::kCount},
                 {"other_spans", "Other Spans", Unit::kCount},
                 {"memory_events", "Memory Events", Unit::kCount},
                 {"counter_samples", "Counter Samples", Unit::kCount},
                 {"messages", "Messages", Unit::kCount},
                 {"layers", "Layers", Unit::kCount},
                 {"distinct_kernels", "Distinct Kernels", Unit::kCount},
                 {"distinct_ops", "Distinct Ops", Unit::kCount},
                 {"model_nodes", "Nodes of the Model", Unit::kCount},
                 {"communication_kernels", "Communication Kernels", Unit::kCount}};
    q.rows = sql::info_counts;
    return ask(session, q, {});
}

Result<ResultTable> diagnostics(Session& session) {
    Question q{"diagnostics", "Diagnostics"};
    q.columns = {{"key", "Diagnostic"},
                 {"severity", "Severity", Unit::kNone, 0, Role::kSeverity},
                 {"count", "Count", Unit::kCount},
                 {"help", "Meaning"}};
    q.rows = duck::Statement(sql::diagnostics)
                 .set("for_people", false)
                 .set("iterations", session.range().total > 0);
    q.order = {{"severity", false}, {"key", false}};
    return ask(session, q, {});
}

Result<ResultTable> unread_tables(Session& session) {
    Question q{"unread_tables", "Tables of the Source That Are Not Used"};
    q.columns = {{"table", "Table"}, {"rows", "Rows", Unit::kCount}};
    q.rows = sql::unread_tables;
    q.order = {{"rows", true}, {"table", false}};
    return ask(session, q, {});
}

}  // namespace

Result<Info> profile_info(Session& session) {
    Info info;
    OPSIGHT_TRY(read_meta(session, info));
    OPSIGHT_ASSIGN(info.ranks, ranks(session));
    if (info.ranks.rows.size() > 1) {
        OPSIGHT_ASSIGN(info.clocks, rank_clocks(session, {}));
    }
    OPSIGHT_ASSIGN(info.devices, devices(session));
    OPSIGHT_ASSIGN(info.counts, counts(session));
    OPSIGHT_ASSIGN(info.diagnostics, diagnostics(session));
    OPSIGHT_ASSIGN(info.unread, unread_tables(session));
    info.iterations = session.range();
    info.not_one_job = !session.contents().not_one_job.empty();
    info.device_work = session.contents().device_work;
    OPSIGHT_ASSIGN(info.words, device_words(session));
    say_helps(info.diagnostics, info.words);
    OPSIGHT_ASSIGN(std::string hint, iteration_hint(session));
    if (!hint.empty()) info.iterations.notes.push_back(std::move(hint));
    return info;
}

}  // namespace opsight::query
