// The one declaration of what is in a profile file. SQL, docs/SCHEMA.md and the writer's column types come
// from it.
//
// Tables live in the SQL schema `raw`: compact, numbered, made for fast writing and scanning. Views live in
// `main`, under plain names: they are the face for people and scripts. In tables -1 stands for "none" or "the
// source does not tell"; views turn it into NULL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/duckdb.h"

namespace opsight::db {

inline constexpr int kSchemaVersion = 12;

// Values of ops.caller_layer that are not a layer.
inline constexpr int kNoCaller = -2, kCallerOfSameLayer = -3;

struct Column {
    std::string_view name;
    duck::Type type;
    std::string_view unit;  // "ns", "bytes", "%", or empty
    std::string_view doc;
    std::string expression = {};  // views: how the column is made; empty: the column of that name
};

struct Table {
    std::string_view name;
    std::string_view doc;
    std::vector<Column> columns;
};

struct View {
    std::string_view name;
    std::string_view doc;
    std::vector<Column> columns;
    std::string source;  // what follows FROM
};

const std::vector<Table>& tables();
const std::vector<View>& views();
const Table& table(std::string_view name);  // a declared name

// "CASE x WHEN 0 THEN 'a' ... END" for the enumerations that tables keep as numbers.
std::string direction_text(std::string_view column);
std::string tensor_core_use_text(std::string_view column);
std::string evidence_text(std::string_view column);
std::string resource_text(std::string_view column);
std::string copy_kind_text(std::string_view column);
std::string memory_kind_text(std::string_view column);
std::vector<std::string_view> resource_names();

// The SELECT that sums rows like those of raw.stream_stats up by stream.
std::string stream_sums_sql(std::string_view stats);

// The SELECT that sums shares of work up, in the columns of work_stats. `device` and `ops` are
// raw.device_spans and raw.ops or relations like them.
std::string work_stats_sql(std::string_view device, std::string_view ops);
std::string work_kind_text(std::string_view column);
std::string precision_text(std::string_view column);

// The SELECT that sums op instances up, in the columns of op_stats. `ops` is raw.ops or a relation like it.
std::string op_stats_sql(std::string_view ops);

// Of the tables of ranks: what a group is for, whether a collective has all its ranks, what its last rank
// did.
std::string group_kind_text(std::string_view column);
std::string match_state_text(std::string_view column);
std::string cause_text(std::string_view column);

// The column of op_counters for a slot of base/cpu_counters.h, and the value of a counter that was counted a
// part of the time scaled to all of it. `table`: with such columns.
std::string_view counter_column(size_t slot);
std::string scaled_counter(std::string_view table, size_t slot);

// How a node of a network was found among the ops: "name" or "order"; NULL where it was not.
std::string match_text(std::string_view column);
std::string work_limiter_text(std::string_view column);

std::string create_tables_sql();
std::string select_sql(const View& view);  // what the view is defined as
std::string create_views_sql();
std::string schema_markdown();

}  // namespace opsight::db
