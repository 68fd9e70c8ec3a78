// INSERTs that are there for sure once they are said to be.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/clickhouse/cluster.h"
#include "fleet/clickhouse/native.h"

namespace opsight::fleet::clickhouse {

uint64_t random_number();  // never 0, of 63 bits

// Rows of a table that one INSERT brought.
struct Block {
    std::string table;
    uint64_t number = 0;
    int64_t shard = 0, rows = 0;
    int64_t ranks = 0;  // different ones in it; 0 where the table has none
};

// Rows for an INSERT; the fields of `block` but its number are given.
struct Insert {
    const NativeBlock* rows = nullptr;
    Block block;
};

class Writer {
  public:
    explicit Writer(Cluster& cluster) : cluster_(&cluster) {}
    // Puts the first `block.rows` rows of each into TABLE_rows of its shard, and waits until every node of
    // the shard that answers has them. The numbers that stand in `block` of these rows are then in
    // `block.number`. What becomes of a try that failed is not known, so each has a number of its own: rows
    // of numbers that are not given back are rows of nobody.
    Status put(std::vector<Insert>& inserts);
    // Whether each node of the shard that answers, one at least, has all rows of these blocks, and none
    // twice.
    bool are_there(int64_t shard, const std::vector<Block>& blocks) const;

  private:
    enum class Copies : uint8_t { kThere, kLost, kMissing };
    // To the first node that takes it.
    Status send(Insert& insert);
    Status send_again_what_is_lost(int64_t shard, std::vector<Insert*>& inserts);
    Status put_on_shard(int64_t shard, std::vector<Insert*>& inserts);
    Copies wait_for_copies(int64_t shard, const std::vector<Block>& blocks) const;
    std::vector<const Node*> in_order(int64_t shard) const;
    Cluster* cluster_;
    std::string last_;  // the node that took the last block: asked first
};

}  // namespace opsight::fleet::clickhouse
