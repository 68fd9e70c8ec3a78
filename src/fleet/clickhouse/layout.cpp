#include "fleet/clickhouse/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace opsight::fleet::clickhouse {
namespace {

constexpr Kind kind_of(Type type) {
    return type == Type::kText ? Kind::kString : type == Type::kReal ? Kind::kFloat64 : Kind::kInt64;
}

std::string create_rows(const Cluster& cluster, std::string_view table,
                        const std::vector<NativeColumn>& columns, const std::string& order) {
    std::string list;
    for (const NativeColumn& column : columns)
        list += fmt::format("{}`{}` {}", list.empty() ? "" : ", ", column.name, column.type());
    // By the rules of ClickHouse's manual: the path tells tables and shards apart, the macros are the node's
    // own.
    const std::string engine =
        cluster.replicated()
            ? fmt::format("ReplicatedMergeTree('/clickhouse/opsight/{}/{{shard}}/{}', '{{replica}}')",
                          cluster.address().database, table)
            : "MergeTree()";
    return fmt::format("CREATE TABLE IF NOT EXISTS {} ({}) ENGINE = {} ORDER BY ({})",
                       rows_name(cluster, table), list, engine, order);
}

void add_table(std::vector<std::string>& out, const Cluster& cluster, std::string_view table,
               const std::vector<NativeColumn>& columns, const std::string& order) {
    out.push_back(create_rows(cluster, table, columns, order));
    if (cluster.distributed())
        out.push_back(fmt::format("CREATE TABLE IF NOT EXISTS {} AS {} ENGINE = Distributed({}, {}, {}_rows)",
                                  all_name(cluster, table), rows_name(cluster, table),
                                  cluster.address().cluster, cluster.address().database, table));
}

std::string order_of(const Table& table) {
    std::string out = "block";
    for (const Column& column : table.columns)
        if (column.name == "rank" || column.name == "iteration") out += fmt::format(", {}", column.name);
    return out;
}

}  // namespace

std::vector<NativeColumn> columns_of(const Table& table) {
    std::vector<NativeColumn> out = {{"block", Kind::kUint64}, {"run", Kind::kString}};
    for (const Column& column : table.columns)
        out.push_back({std::string(column.name), kind_of(column.type), column.may_be_null});
    return out;
}

std::vector<NativeColumn> staged_columns() {
    return {{"block", Kind::kUint64},      {"push", Kind::kString},     {"attempt", Kind::kUint64},
            {"fact_table", Kind::kString}, {"part", Kind::kInt64},      {"fact_block", Kind::kUint64},
            {"fact_shard", Kind::kInt64},  {"fact_rows", Kind::kInt64}, {"fact_ranks", Kind::kInt64}};
}

std::vector<NativeColumn> commit_columns() {
    return {{"block", Kind::kUint64},        {"run", Kind::kString},        {"push", Kind::kString},
            {"commit", Kind::kUint64},       {"generation", Kind::kInt64},  {"committed_s", Kind::kInt64},
            {"facts_version", Kind::kInt64}, {"fact_table", Kind::kString}, {"fact_block", Kind::kUint64},
            {"fact_shard", Kind::kInt64},    {"fact_rows", Kind::kInt64},   {"fact_ranks", Kind::kInt64}};
}

std::string rows_name(const Cluster& cluster, std::string_view table) {
    return fmt::format("{}.{}_rows", cluster.address().database, table);
}

std::string all_name(const Cluster& cluster, std::string_view table) {
    return cluster.distributed() ? fmt::format("{}.{}_all", cluster.address().database, table)
                                 : rows_name(cluster, table);
}

std::vector<std::string> statements_of_node(const Cluster& cluster) {
    std::vector<std::string> out;
    for (const Table& table : tables())
        add_table(out, cluster, table.name, columns_of(table), order_of(table));
    add_table(out, cluster, kStaged, staged_columns(), "push, attempt, fact_table");
    add_table(out, cluster, kCommits, commit_columns(), "fact_table, run, commit");
    return out;
}

Status make_tables(Cluster& cluster) {
    cluster.look_again();
    const std::vector<std::string> wanted = statements_of_node(cluster);
    for (const Node& node : cluster.nodes()) {
        if (node.shard == 0) continue;
        auto there = cluster.query(
            node,
            fmt::format(
                "SELECT count() FROM system.tables WHERE database = '{}' AND (name LIKE '%\\_rows' OR name "
                "LIKE '%\\_all')",
                cluster.address().database));
        if (there && std::get<int64_t>(there->rows.at(0).at(0)) >= static_cast<int64_t>(wanted.size()))
            continue;
        for (const std::string& statement : wanted) {
            Backoff backoff(cluster.address().timeout_s);
            Outcome outcome = cluster.run(node, statement);
            while (!outcome.ok && outcome.arrived && outcome.passing() && backoff.wait())
                outcome = cluster.run(node, statement);
            if (!outcome.arrived) break;  // a node that is down gets its tables with the next push
            if (!outcome.ok) return fail(cluster.error(outcome, node.host.text()));
        }
    }
    return {};
}

bool has_rank(const Table& table) {
    return std::any_of(table.columns.begin(), table.columns.end(),
                       [](const Column& column) { return column.name == "rank"; });
}

int64_t shard_of(const std::string& run, int64_t rank, int64_t shards) {
    uint64_t number = 0;  // of the id's first digits: ids are hashes already
    constexpr size_t kDigits = 8;
    std::from_chars(run.data(), run.data() + std::min(run.size(), kDigits), number, 16);
    const auto places = static_cast<uint64_t>(shards);
    return 1 + static_cast<int64_t>((number % places + static_cast<uint64_t>(rank) % places) % places);
}

int64_t home_of(const std::string& run, int64_t shards) {
    return shard_of(run, 0, shards);
}

}  // namespace opsight::fleet::clickhouse
