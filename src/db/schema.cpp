#include "db/schema.h"

#include <fmt/format.h>

#include <cstdlib>

#include "model/entities.h"

namespace opsight::db {
namespace {

std::string case_text(std::string_view column, const std::vector<std::string_view>& names) {
    std::string out = fmt::format("CASE {}", column);
    for (size_t i = 0; i < names.size(); ++i)
        out += fmt::format(" WHEN {} THEN '{}'", i, names[i]);
    return out + " END";
}

template <class T>
void describe(std::string& out, const T& entry) {
    out += fmt::format("### {}\n\n{}\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", entry.name,
                       entry.doc);
    for (const Column& column : entry.columns)
        out += fmt::format("| `{}` | {} | {} | {} |\n", column.name, duck::type_name(column.type),
                           column.unit, column.doc);
    out += "\n";
}

}  // namespace

const Table& table(std::string_view name) {
    for (const Table& candidate : tables())
        if (candidate.name == name) return candidate;
    std::abort();  // a name that the schema does not declare is a bug of the caller
}

std::string direction_text(std::string_view column) {
    return case_text(column, {"fprop", "bprop", "optimizer", "dataload", "other"});
}
std::string tensor_core_use_text(std::string_view column) {
    return case_text(column, {"no", "yes", "unknown"});
}
std::string evidence_text(std::string_view column) {
    return case_text(column, {"none", "name", "sass", "counter"});
}
std::vector<std::string_view> resource_names() {
    return {"tensor_core_kernel", "other_kernel", "communication", "memory",
            "dataloader",         "file_io",      "cpu",           "idle",
            "unknown_kernel",     "host"};
}
std::string resource_text(std::string_view column) {
    return case_text(column, resource_names());
}

std::string copy_kind_text(std::string_view column) {
    std::vector<std::string_view> names;
    for (int8_t i = 0; i < static_cast<int8_t>(CopyKind::kCount); ++i)
        names.push_back(copy_kind_name(static_cast<CopyKind>(i)));
    return case_text(column, names);
}
std::string memory_kind_text(std::string_view column) {
    std::vector<std::string_view> names;
    for (int8_t i = 0; i <= static_cast<int8_t>(MemoryKind::kUnknown); ++i)
        names.push_back(memory_kind_name(static_cast<MemoryKind>(i)));
    return case_text(column, names);
}

std::string op_stats_sql(std::string_view ops) {
    return fmt::format(
        "SELECT t.rank, o.op, o.iteration, coalesce(w.device, -1) AS device, count(*) AS calls, "
        "sum(o.dur_ns)::BIGINT, min(o.dur_ns), max(o.dur_ns), sum(o.self_ns)::BIGINT, "
        "coalesce(sum(w.api_ns), 0)::BIGINT, min(o.dur_ns - coalesce(w.api_ns, 0)), "
        "max(o.dur_ns - coalesce(w.api_ns, 0)), coalesce(sum(w.gpu_ns), 0)::BIGINT, "
        "min(coalesce(w.gpu_ns, 0)), max(coalesce(w.gpu_ns, 0)), coalesce(sum(w.self_gpu_ns), 0)::BIGINT, "
        "coalesce(sum(w.gpu_idle_ns), 0)::BIGINT, min(coalesce(w.gpu_idle_ns, 0)), "
        "max(coalesce(w.gpu_idle_ns, 0)), coalesce(sum(w.kernel_ns), 0)::BIGINT, "
        "coalesce(sum(w.tc_kernel_ns), 0)::BIGINT, coalesce(sum(w.self_kernel_ns), 0)::BIGINT, "
        "coalesce(sum(w.kernels), 0)::BIGINT, coalesce(sum(w.tc_kernels), 0)::BIGINT, "
        "coalesce(sum(w.unknown_tc_kernels), 0)::BIGINT, coalesce(sum(w.memcpys), 0)::BIGINT, "
        "coalesce(sum(w.memsets), 0)::BIGINT "
        "FROM {} o JOIN raw.tracks t ON t.id = o.track LEFT JOIN raw.op_work w ON w.id = o.id GROUP BY ALL",
        ops);
}

std::string create_tables_sql() {
    std::string out = "CREATE SCHEMA raw;\n";
    for (const Table& entry : tables()) {
        out += fmt::format("CREATE TABLE raw.{} (", entry.name);
        for (size_t i = 0; i < entry.columns.size(); ++i)
            out += fmt::format("{}{} {}", i ? ", " : "", entry.columns[i].name,
                               duck::type_name(entry.columns[i].type));
        out += ");\n";
    }
    return out;
}

std::string select_sql(const View& view) {
    std::string out = "SELECT ";
    for (size_t i = 0; i < view.columns.size(); ++i) {
        const Column& column = view.columns[i];
        out += fmt::format("{}CAST({} AS {}) AS {}", i ? ", " : "",
                           column.expression.empty() ? std::string(column.name) : column.expression,
                           duck::type_name(column.type), column.name);
    }
    return out + " FROM " + view.source;
}

std::string create_views_sql() {
    std::string out;
    for (const View& entry : views())
        out += fmt::format("CREATE OR REPLACE VIEW {} AS {};\n", entry.name, select_sql(entry));
    return out;
}

std::string schema_markdown() {
    std::string out = fmt::format(
        "# Schema of a profile file\n\n"
        "A `.opsight` file is a DuckDB database (storage of DuckDB 1.4), schema version {}. This page is "
        "made "
        "from the declaration in `src/db/` by `opsight schema --markdown`.\n\n"
        "Times are nanoseconds since the first span of the run; `meta.origin_ns` is that moment. Views have "
        "plain "
        "names and text; use them. The tables of the schema `raw` are what the views are made of: compact "
        "and "
        "numbered, -1 for \"none\". Tables of spans are sorted by (track, begin), so a query for one track "
        "and a "
        "window of time reads little.\n\n"
        "```\nopsight sql NAME.opsight \"SELECT name, sum(dur_ns) FROM kernels GROUP BY 1 ORDER BY 2 DESC "
        "LIMIT 5\"\n"
        "duckdb -readonly NAME.opsight\n```\n\n## Views\n\n",
        kSchemaVersion);
    for (const View& entry : views())
        describe(out, entry);
    out += "## Tables of the schema `raw`\n\n";
    for (const Table& entry : tables())
        describe(out, entry);
    out.pop_back();
    return out;
}

}  // namespace opsight::db
