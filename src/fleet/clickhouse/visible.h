// What is in force in a store: of each run the blocks of the push that was committed last.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/clickhouse/writer.h"

namespace opsight::fleet::clickhouse {

struct RunInForce {
    std::string run, push;
    uint64_t commit = 0;
    int64_t generation = 0;  // counts the commits of the run
    std::vector<Block> blocks;
    int64_t shards_that_know = 0;  // of those that answered
};

// The shards that do not answer; what they hold is missing in every answer.
using Missing = std::vector<int64_t>;

struct InForce {
    std::vector<RunInForce> runs;
    Missing missing;
};

// The blocks of these tables, of all runs or of one. Every shard has the list, so it is whole while one
// answers.
Result<InForce> read_in_force(const Cluster& cluster, const std::vector<std::string>& tables,
                              const std::optional<std::string>& run);

// Settings of every statement over all nodes: how long to wait for one, and no copies that lag behind.
Parameters reading_settings(const Cluster& cluster, bool skip_missing);
// The statement over all nodes that answer; `missing` gets those shards of which none does.
Result<duck::Rows> query_all(const Cluster& cluster, const std::string& sql, Missing& missing);

// A sentence for each run, or for many, about what an answer lacks because shards do not answer. Empty:
// nothing.
std::vector<std::string> notes_on_missing(const Cluster& cluster, const InForce& in_force);

}  // namespace opsight::fleet::clickhouse
