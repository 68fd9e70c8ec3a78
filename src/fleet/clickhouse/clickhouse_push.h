// A push into a ClickHouse cluster. Rows are gathered into blocks of some hundred thousands, each put on one
// shard as a whole; a commit names the blocks that count. layout.h says what lies where.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fleet/clickhouse/staging.h"

namespace opsight::fleet::clickhouse {

class ClickHousePush : public Push {
  public:
    static Result<std::unique_ptr<Push>> begin(Cluster& cluster, const PushId& id);
    bool has(const Part& part) const override { return done_.count(name_of(part)) > 0; }
    Status stage(const Part& part, RowSource& source, const duck::Statement& rows) override;
    Status commit(const std::vector<Part>& parts) override;

  private:
    // Rows of a table that wait for their INSERT into a shard.
    struct Waiting {
        NativeBlock rows;
        size_t whole = 0;               // rows of the parts that are whole
        std::set<int64_t> ranks;        // of all rows
        std::set<int64_t> whole_ranks;  // of those
    };
    struct TableState {
        const Table* table = nullptr;
        std::map<int64_t, Waiting> by_shard;
        Staged unnoted;  // whole parts and their blocks, of which no note is taken
    };

    ClickHousePush(Cluster& cluster, PushId id);
    TableState& state_of(const Table& table);
    Status add(TableState& state, const std::vector<duck::Cell>& row);
    static Insert insert_of(const TableState& state, int64_t shard, const Waiting& waiting, size_t rows);
    Status make_room(TableState& state, int64_t shard, Waiting& waiting);
    // At the end of a part only: puts all rows that wait, which are of whole parts, and takes note of them.
    Status flush(const std::vector<TableState*>& states);
    Status flush_what_is_large();
    Status check_blocks() const;
    Status write_commit();

    Cluster* cluster_;
    Writer writer_;
    PushId id_;
    int64_t home_;
    uint64_t attempt_;
    std::map<std::string, TableState> tables_;
    std::set<PartName> done_;
    std::vector<Block> blocks_;  // that are there and noted
};

}  // namespace opsight::fleet::clickhouse
