#include "query/session/event_source.h"

#include <fmt/format.h>

#include <charconv>

#include "query/session/cells.h"

namespace opsight::query {
namespace {

// A table of the labels that the schema numbers.
std::string labels_sql(std::string_view name, const std::vector<std::string_view>& labels) {
    std::string values;
    for (size_t i = 0; i < labels.size(); ++i)
        values += fmt::format("{}({}, '{}')", i ? ", " : "", i, labels[i]);
    return fmt::format("CREATE TEMP TABLE {} AS SELECT * FROM (VALUES {}) AS v(id, label);", name, values);
}

const std::vector<std::string_view> kCopyKinds = {"Unknown",
                                                  "Host-to-Device",
                                                  "Device-to-Host",
                                                  "Host-to-Array",
                                                  "Array-to-Host",
                                                  "Array-to-Array",
                                                  "Array-to-Device",
                                                  "Device-to-Array",
                                                  "Device-to-Device",
                                                  "Host-to-Host",
                                                  "Peer-to-Peer",
                                                  "Unified Host-to-Device",
                                                  "Unified Device-to-Host",
                                                  "Unified Device-to-Device"};
const std::vector<std::string_view> kMemoryKinds = {"Pageable", "Pinned",        "Device",         "Array",
                                                    "Managed",  "Device Static", "Managed Static", "Unknown"};

}  // namespace

std::string_view data_name(Data data) {
    switch (data) {
        case Data::kApi:
            return "CUDA trace";
        case Data::kKernels:
            return "CUDA kernel";
        case Data::kMemory:
        case Data::kCopies:
        case Data::kSets:
            return "GPU memory";
        case Data::kNvtx:
            return "NV Tools Extension (NVTX)";
        case Data::kOsRuntime:
            return "OS Runtime trace";
        case Data::kSyscalls:
            return "syscall";
        case Data::kMpi:
            return "MPI event";
        case Data::kPageFaults:
            return "CUDA Unified Memory CPU page faults";
    }
    return "";
}

Result<duck::Rows> Source::query(const duck::Statement& statement) {
    auto rows = profile_.connection.query(statement);
    if (rows) return rows;
    Error error = std::move(rows).error();
    error.file = path_;
    return fail(std::move(error));
}

Status Source::execute(const std::string& sql) {
    Status done = profile_.connection.execute(sql);
    if (done) return done;
    Error error = std::move(done).error();
    error.file = path_;
    return fail(std::move(error));
}

Result<Source> Source::open(const std::string& path, const Filter& filter, const db::ReadOptions& read,
                            const std::string& made_of) {
    OPSIGHT_ASSIGN(db::OpenProfile profile, db::open_profile(path, read));
    Source source(made_of.empty() ? path : made_of, std::move(profile));
    OPSIGHT_TRY(source.look());
    OPSIGHT_TRY(make_range_views(source.connection(), Instead::kAllNamed));
    OPSIGHT_TRY(source.apply(filter));
    OPSIGHT_TRY(source.make_relations());
    return source;
}

// Reports print times as the source counted them, from the start of its session. Where that is not known, or
// several sources had one each, the times are those of the profile.
Status Source::look() {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        query("SELECT max(CASE WHEN key = 'origin_ns' THEN CAST(value AS BIGINT) END) - CASE "
              "WHEN max(CASE WHEN key = 'origin_is_unix' THEN value END) = 'false' THEN 0 "
              "WHEN count(DISTINCT CASE WHEN key = 'property.session_start_ns' THEN value END) = 1 "
              "THEN max(CASE WHEN key = 'property.session_start_ns' THEN CAST(value AS BIGINT) END) END "
              "FROM raw.meta WHERE key IN ('origin_ns', 'origin_is_unix', 'property.session_start_ns')"));
    offset_ = integer(rows.rows.at(0)[0]);
    return {};
}

std::string Source::shown(std::string_view time) const {
    return offset_ == 0 ? std::string(time) : fmt::format("({} + {})", time, offset_);
}

Status Source::apply(const Filter& filter) {
    if (!filter.nvtx.empty()) OPSIGHT_TRY(choose_range(filter.nvtx));
    if (filter.begin) window_begin_ = *filter.begin - offset_;
    if (filter.end) window_end_ = *filter.end - offset_;
    if (window_begin_ && window_end_ && *window_begin_ > *window_end_)
        return fail(Error{"the filter ends before it begins", {}, {}, "give START/END", 2});
    return {};
}

Status Source::choose_range(const std::string& wanted) {
    std::string name = wanted, domain;
    int64_t index = 0;
    if (const size_t slash = name.rfind('/'); slash != std::string::npos) {
        const char* end = name.data() + name.size();
        const auto read = std::from_chars(name.data() + slash + 1, end, index);
        if (read.ec == std::errc() && read.ptr == end && index >= 0)
            name.resize(slash);
        else
            index = 0;  // the slash is part of the name
    }
    if (const size_t at = name.rfind('@'); at != std::string::npos) {
        domain = name.substr(at + 1);
        name.resize(at);
    }
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        query(fmt::format("SELECT r.begin_ns, r.end_ns FROM all_ranges r JOIN st_labels l ON l.id = r.label "
                          "WHERE l.text = {} ORDER BY r.begin_ns, r.end_ns LIMIT 1 OFFSET {}",
                          duck::quote_text(domain + ":" + name), index)));
    if (rows.rows.empty())
        return fail(
            Error{fmt::format("no NVTX range fits the filter '{}'", wanted),
                  path_,
                  {},
                  "a range is chosen by NAME[@DOMAIN][/INDEX]; 'opsight stats NAME -r nvtx_sum' lists "
                  "the ranges"});
    window_begin_ = integer(rows.rows[0][0]);
    window_end_ = integer(rows.rows[0][1]);
    return {};
}

std::string Source::within(std::string_view time) const {
    std::string sql;
    if (window_begin_) sql += fmt::format(" AND {} + dur_ns >= {}", time, *window_begin_);
    if (window_end_) sql += fmt::format(" AND {} <= {}", time, *window_end_);
    return sql;
}

Status Source::make_relations() {
    const std::string window = within("begin_ns");
    return execute(
        labels_sql("copy_labels", kCopyKinds) + labels_sql("memory_labels", kMemoryKinds) +
        work_views_sql(window) +
        fmt::format(
            "CREATE TEMP VIEW st_range AS FROM all_ranges WHERE true{0};"
            "CREATE TEMP VIEW st_host AS SELECT id, track, begin_ns, begin_ns + dur_ns AS end_ns, dur_ns, "
            "name, "
            "kind, category FROM raw.other_spans WHERE (flags & 1) = 0{0};"
            "CREATE TEMP VIEW st_memop AS SELECT g.*, CASE WHEN g.kind = 2 THEN '[CUDA memset]' "
            "ELSE '[CUDA memcpy ' || coalesce(c.label, 'Unknown') || ']' END AS operation, "
            "t.copy_kind, t.from_kind AS from_number, t.to_kind AS to_number, "
            "coalesce(f.label, CASE WHEN g.kind = 2 THEN o.label END) AS from_kind, "
            "CASE WHEN g.kind = 1 THEN o.label END AS to_kind FROM st_gpu g "
            "LEFT JOIN raw.transfers t ON t.id = g.transfer LEFT JOIN copy_labels c ON c.id = t.copy_kind "
            "LEFT JOIN memory_labels f ON f.id = t.from_kind LEFT JOIN memory_labels o ON o.id = t.to_kind "
            "WHERE g.kind IN (1, 2);"
            "CREATE TEMP VIEW st_fault AS SELECT time_ns AS begin_ns, dur_ns, track, device, address, count, "
            "access "
            "FROM raw.page_faults WHERE true{1}",
            window, within("time_ns")));
}

Result<bool> Source::has(Data data) {
    std::string sql;
    switch (data) {
        case Data::kApi:
            sql = "FROM st_api";
            break;
        case Data::kKernels:
            sql = "FROM st_gpu WHERE kind = 0";
            break;
        case Data::kMemory:
            sql = "FROM st_gpu WHERE kind IN (1, 2)";
            break;
        case Data::kCopies:
            sql = "FROM st_gpu WHERE kind = 1";
            break;
        case Data::kSets:
            sql = "FROM st_gpu WHERE kind = 2";
            break;
        case Data::kNvtx:
            sql = "FROM st_range";
            break;
        case Data::kOsRuntime:
            sql = "FROM st_host WHERE kind = 10 AND category < 0";
            break;
        case Data::kSyscalls:
            sql = "FROM st_host WHERE kind = 10 AND category >= 0";
            break;
        case Data::kMpi:
            sql = "FROM st_host WHERE kind = 11";
            break;
        case Data::kPageFaults:
            sql = "SELECT 1 FROM st_fault UNION ALL SELECT 1 FROM st_memop WHERE copy_kind BETWEEN 11 AND 13";
            break;
    }
    OPSIGHT_ASSIGN(const duck::Rows rows, query("SELECT EXISTS (" + sql + ")"));
    return std::get<bool>(rows.rows.at(0)[0]);
}

}  // namespace opsight::query
