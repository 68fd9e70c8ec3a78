#include "query/stats_source.h"

#include <fmt/format.h>

#include <charconv>

namespace opsight::stats {
namespace {

int64_t as_int(const duck::Cell& cell) {
    const int64_t* value = std::get_if<int64_t>(&cell);
    return value ? *value : 0;
}

std::string side(std::string_view letter) {
    return fmt::format(
        "CASE {} WHEN 'H' THEN 'Host' WHEN 'D' THEN 'Device' WHEN 'A' THEN 'Array' WHEN 'P' THEN "
        "'Peer' ELSE 'Unknown' END",
        letter);
}

// "Memcpy HtoD (Pageable -> Device)" and "Memset (Device)" in the words of nsys.
std::string memop_names_sql() {
    return fmt::format(
        "CREATE TEMP TABLE st_memop_names AS WITH names AS (SELECT DISTINCT d.kind, s.id, s.text FROM "
        "(SELECT DISTINCT kind, name FROM raw.device_spans WHERE kind IN (1, 2)) d "
        "JOIN raw.strings s ON s.id = d.name), "
        "parts AS (SELECT *, regexp_extract(text, '^Memcpy (?:UVM )?([A-Z]to[A-Z])', 1) AS way, "
        "contains(text, 'UVM') AS unified, regexp_extract(text, '\\((.*)\\)$', 1) AS sides FROM names) "
        "SELECT kind, id, CASE WHEN kind = 2 THEN '[CUDA memset]' WHEN way <> '' THEN '[CUDA memcpy ' || "
        "CASE WHEN unified THEN 'Unified ' ELSE '' END || {} || '-to-' || {} || ']' "
        "WHEN starts_with(text, 'Memcpy') THEN '[CUDA memcpy Unknown]' ELSE '[' || text || ']' END AS name, "
        "CASE WHEN kind = 2 THEN nullif(sides, '') WHEN contains(sides, ' -> ') "
        "THEN split_part(sides, ' -> ', 1) END AS from_kind, "
        "CASE WHEN kind = 1 AND contains(sides, ' -> ') THEN split_part(sides, ' -> ', 2) END AS to_kind "
        "FROM parts",
        side("way[1]"), side("way[4]"));
}

}  // namespace

std::string_view data_name(Data data) {
    switch (data) {
        case Data::kApi:
            return "CUDA trace";
        case Data::kKernels:
            return "CUDA kernel";
        case Data::kMemory:
            return "GPU memory";
        case Data::kNvtx:
            return "NV Tools Extension (NVTX)";
        case Data::kOsRuntime:
            return "OS Runtime trace";
        case Data::kMpi:
            return "MPI event";
        case Data::kPageFaults:
            return "CUDA Unified Memory CPU page faults";
    }
    return "";
}

Result<duck::Rows> Source::query(const std::string& sql) {
    auto rows = profile_.connection.query(sql);
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

Result<Source> Source::open(const std::string& path, const Filter& filter, const db::ReadOptions& read) {
    OPSIGHT_ASSIGN(db::OpenProfile profile, db::open_profile(path, read));
    Source source(path, std::move(profile));
    OPSIGHT_TRY(source.look());
    OPSIGHT_TRY(source.make_ranges());
    OPSIGHT_TRY(source.apply(filter));
    OPSIGHT_TRY(source.make_relations());
    return source;
}

// Reports print times as the source counted them, from the start of its session; a source with wall-clock
// times only has no such start, and its times are printed as the profile has them.
Status Source::look() {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        query("SELECT coalesce(max(CASE WHEN key = 'origin_ns' THEN CAST(value AS BIGINT) END), 0), "
              "coalesce(max(CASE WHEN key = 'origin_is_unix' THEN value END), 'true') FROM raw.meta "
              "WHERE key IN ('origin_ns', 'origin_is_unix')"));
    const auto* unix_text = std::get_if<std::string>(&rows.rows.at(0)[1]);
    if (unix_text && *unix_text == "false") offset_ = as_int(rows.rows[0][0]);
    return {};
}

std::string Source::shown(std::string_view time) const {
    return offset_ == 0 ? std::string(time) : fmt::format("({} + {})", time, offset_);
}

// Where the source has NVTX ranges, these; else what PyTorch's emit_nvtx would have made ranges of: ops,
// annotations and module calls, in the default domain.
Status Source::make_ranges() {
    return execute(
        "CREATE TEMP VIEW named_spans AS SELECT id, track, begin_ns, dur_ns, flags, name FROM "
        "raw.annotations "
        "UNION ALL SELECT id, track, begin_ns, dur_ns, 0, name FROM raw.module_calls "
        "UNION ALL SELECT o.id, o.track, o.begin_ns, o.dur_ns, o.flags, -2 - o.op FROM raw.ops o;"
        "CREATE TEMP TABLE st_labels AS SELECT id, ':' || text AS text FROM raw.strings "
        "WHERE id IN (SELECT name FROM raw.annotations UNION SELECT name FROM raw.module_calls) "
        "UNION ALL SELECT -2 - id, ':' || name FROM raw.op_identities;"
        "CREATE TEMP VIEW all_ranges AS SELECT id, track, begin_ns, begin_ns + dur_ns AS end_ns, dur_ns, "
        "name AS label, 0::TINYINT AS style, true AS same_thread FROM named_spans WHERE (flags & 3) = 0");
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
    window_begin_ = as_int(rows.rows[0][0]);
    window_end_ = as_int(rows.rows[0][1]);
    return {};
}

std::string Source::within() const {
    std::string sql;
    if (window_begin_) sql += fmt::format(" AND begin_ns + dur_ns >= {}", *window_begin_);
    if (window_end_) sql += fmt::format(" AND begin_ns <= {}", *window_end_);
    return sql;
}

Status Source::make_relations() {
    const std::string window = within();
    OPSIGHT_TRY(execute(fmt::format(
        "CREATE TEMP VIEW st_range AS FROM all_ranges WHERE true{0};"
        "CREATE TEMP VIEW st_api AS SELECT id, track, begin_ns, begin_ns + dur_ns AS end_ns, dur_ns, name, "
        "correlation FROM raw.api_calls WHERE (flags & 1) = 0{0};"
        "CREATE TEMP TABLE st_api_names AS SELECT id, text AS full_name, "
        "regexp_replace(text, '_v[0-9]{{4}}$', '') AS name FROM raw.strings "
        "WHERE id IN (SELECT DISTINCT name FROM raw.api_calls);"
        "CREATE TEMP VIEW st_gpu AS SELECT rowid AS rid, kind, track, begin_ns, begin_ns + dur_ns AS end_ns, "
        "dur_ns, name, launch, correlation, config, bytes FROM raw.device_spans WHERE kind < 3{0};"
        "CREATE TEMP VIEW st_host AS SELECT id, track, begin_ns, begin_ns + dur_ns AS end_ns, dur_ns, name, "
        "kind, category FROM raw.other_spans WHERE (flags & 1) = 0{0}",
        window)));
    return execute(memop_names_sql());
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
        case Data::kNvtx:
            sql = "FROM st_range";
            break;
        case Data::kOsRuntime:
            sql = "FROM st_host WHERE kind = 10";
            break;
        case Data::kMpi:
            sql = "FROM st_host WHERE kind = 11";
            break;
        case Data::kPageFaults:
            return false;
    }
    OPSIGHT_ASSIGN(const duck::Rows rows, query("SELECT EXISTS (" + sql + ")"));
    return std::get<bool>(rows.rows.at(0)[0]);
}

}  // namespace opsight::stats
