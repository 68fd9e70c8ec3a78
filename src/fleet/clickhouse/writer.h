// INSERTs that are there for sure once they are said to be.
#pragma once

#include "fleet/clickhouse/cluster.h"
#include "fleet/clickhouse/native.h"

namespace opsight::fleet::clickhouse {

uint64_t random_number();  // never 0

class Writer {
  public:
    explicit Writer(Cluster& cluster) : cluster_(&cluster) {}
    // Puts the first `rows` rows of a block into TABLE_rows of a shard, and waits until every node of it that answers
    // has them. Gives the number that stands in `block` of these rows. What becomes of a try that failed is not
    // known, so each has a number of its own: rows of numbers that are not given are rows of nobody.
    Result<uint64_t> put(std::string_view table, int64_t shard, const NativeBlock& block, size_t rows);
    // Rows of a number, on each node of the shard that answers: whether all have `rows`, one at least.
    bool is_there(std::string_view table, int64_t shard, uint64_t number, size_t rows) const;
    // The same of several numbers ("1, 2") together.
    bool are_there(std::string_view table, int64_t shard, const std::string& numbers, int64_t rows) const;

  private:
    enum class Copies : uint8_t { kThere, kLost, kMissing };
    Copies wait_for_copies(std::string_view table, int64_t shard, uint64_t number, size_t rows) const;
    std::vector<const Node*> in_order(int64_t shard) const;
    Cluster* cluster_;
    Host last_;  // the node that took the last block: asked first
};

}  // namespace opsight::fleet::clickhouse
