// What lies in the database of a store, on every node of the cluster:
//
//   TABLE_rows   rows of a table of schema.h that the node keeps, each with its `block`: the number of the
//   INSERT that
//                brought it, which no other INSERT has
//   TABLE_all    the same of all nodes (engine Distributed)
//   staged_rows  which parts of a push are whole, and in which blocks: for who goes on with it
//   commits_rows which blocks are in force: only these are ever read. The same rows on every shard
//
// So what an INSERT left behind that failed, or that nobody knows the end of, is seen by nobody.
#pragma once

#include <string>
#include <vector>

#include "fleet/clickhouse/cluster.h"
#include "fleet/clickhouse/native.h"
#include "fleet/store/schema.h"

namespace opsight::fleet::clickhouse {

// The columns of TABLE_rows: `block`, `run`, then those of the table.
std::vector<NativeColumn> columns_of(const Table& table);
std::vector<NativeColumn> staged_columns();
std::vector<NativeColumn> commit_columns();
inline constexpr std::string_view kStaged = "staged", kCommits = "commits";

// Names with their database. `table` is one of schema.h, kStaged or kCommits.
std::string rows_name(const Cluster& cluster, std::string_view table);
std::string all_name(const Cluster& cluster,
                     std::string_view table);  // rows_name where there is one node only

// Statements that make what a node needs; they do nothing where it is there. As `opsight fleet` sends them.
std::vector<std::string> statements_of_node(const Cluster& cluster);
// Makes what is missing on the nodes that answer.
Status make_tables(Cluster& cluster);

// Whether rows of the table go to shards by their rank. All others of a run go to its home.
bool has_rank(const Table& table);
int64_t home_of(const std::string& run, int64_t shards);
int64_t shard_of(const std::string& run, int64_t rank, int64_t shards);

}  // namespace opsight::fleet::clickhouse
