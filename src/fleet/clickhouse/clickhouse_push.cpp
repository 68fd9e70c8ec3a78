#include "fleet/clickhouse/clickhouse_push.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "fleet/clickhouse/layout.h"

namespace opsight::fleet::clickhouse {
namespace {

constexpr size_t kGoodRows = 262144;  // ClickHouse wants INSERTs of some hundred thousands
// A server makes one part, whole or not there, of what is below its max_insert_block_size (1,048,576 by
// default).
constexpr size_t kMostRows = 1000000;
constexpr size_t kMostBytes = size_t{32} * 1024 * 1024;     // of one block
constexpr size_t kMostWaiting = size_t{128} * 1024 * 1024;  // of all

int64_t seconds_since_1970() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// Where `rank` stands among the columns of a table; -1: nowhere.
int64_t place_of_rank(const Table& table) {
    for (size_t column = 0; column < table.columns.size(); ++column)
        if (table.columns[column].name == "rank") return static_cast<int64_t>(column);
    return -1;
}

Error missing_part(const Part& part) {
    Error error;
    error.what = fmt::format("the push lacks {}", part.table->name);
    if (part.rank) error.what += fmt::format(" of rank {}", *part.rank);
    error.code = ErrorCode::kNotFound;
    return error;
}

}  // namespace

ClickHousePush::ClickHousePush(Cluster& cluster, PushId id)
    : cluster_(&cluster),
      writer_(cluster),
      id_(std::move(id)),
      home_(home_of(id_.run, cluster.shards())),
      attempt_(random_number()) {}

Result<std::unique_ptr<Push>> ClickHousePush::begin(Cluster& cluster, const PushId& id) {
    if (!is_id(id.run) || !is_id(id.push)) return fail("an id of a push is not of 32 hexadecimal digits");
    OPSIGHT_TRY(make_tables(cluster));
    std::unique_ptr<ClickHousePush> push(new ClickHousePush(cluster, id));
    OPSIGHT_ASSIGN(const Staged there, find_staged(cluster, push->writer_, id.push));
    push->done_ = {there.parts.begin(), there.parts.end()};
    push->blocks_ = there.blocks;
    OPSIGHT_TRY(note_staged(push->writer_, push->home_, id.push, push->attempt_, there));
    return std::unique_ptr<Push>(std::move(push));
}

ClickHousePush::TableState& ClickHousePush::state_of(const Table& table) {
    TableState& state = tables_[std::string(table.name)];
    state.table = &table;
    return state;
}

Status ClickHousePush::stage(const Part& part, RowSource& source, const duck::Statement& rows) {
    if (has(part)) return {};
    TableState& state = state_of(*part.table);
    OPSIGHT_ASSIGN(duck::Cursor cursor, source.open_cursor(rows));
    if (cursor.columns().size() != part.table->columns.size())
        return fail(fmt::format("the rows of {} have {} columns, and the table {}", part.table->name,
                                cursor.columns().size(), part.table->columns.size()));
    std::vector<std::vector<duck::Cell>> some;
    for (bool more = true; more; some.clear()) {
        OPSIGHT_ASSIGN(more, cursor.read(some));
        for (const std::vector<duck::Cell>& row : some)
            OPSIGHT_TRY(add(state, row));
    }
    state.unnoted.parts.push_back(name_of(part));
    bool large = false;
    for (auto& [shard, waiting] : state.by_shard) {
        waiting.whole = waiting.rows.rows();
        waiting.whole_ranks = waiting.ranks;
        large |= waiting.whole >= kGoodRows || waiting.rows.bytes() >= kMostBytes;
    }
    if (large) OPSIGHT_TRY(flush({&state}));
    return flush_what_is_large();
}

Status ClickHousePush::add(TableState& state, const std::vector<duck::Cell>& row) {
    const int64_t place = place_of_rank(*state.table);
    int64_t rank = -1;
    if (place >= 0) {
        const auto* number = std::get_if<int64_t>(&row.at(static_cast<size_t>(place)));
        if (!number || *number < 0) return fail(fmt::format("a row of {} has no rank", state.table->name));
        rank = *number;
    }
    const int64_t shard = place < 0 ? home_ : shard_of(id_.run, rank, cluster_->shards());
    auto found = state.by_shard.find(shard);
    if (found == state.by_shard.end())
        found =
            state.by_shard.emplace(shard, Waiting{NativeBlock(columns_of(*state.table)), 0, {}, {}}).first;
    Waiting& waiting = found->second;
    if (waiting.rows.rows() >= kMostRows || waiting.rows.bytes() >= 2 * kMostBytes)
        OPSIGHT_TRY(make_room(state, shard, waiting));
    waiting.rows.add_text(1, id_.run);
    constexpr size_t kFirst = 2;  // before it: block, run
    for (size_t column = 0; column < row.size(); ++column)
        if (!waiting.rows.add(kFirst + column, row[column]))
            return fail(fmt::format("column {} of {} has a value that it cannot hold",
                                    state.table->columns[column].name, state.table->name));
    waiting.rows.end_row();
    if (rank >= 0) waiting.ranks.insert(rank);
    return {};
}

Insert ClickHousePush::insert_of(const TableState& state, int64_t shard, const Waiting& waiting,
                                 size_t rows) {
    const auto& ranks = rows == waiting.whole ? waiting.whole_ranks : waiting.ranks;
    return {&waiting.rows,
            {std::string(state.table->name), 0, shard, static_cast<int64_t>(rows),
             static_cast<int64_t>(ranks.size())}};
}

// In the middle of a part: what is whole goes first, so that no block has rows of a whole part and of a
// broken one.
Status ClickHousePush::make_room(TableState& state, int64_t shard, Waiting& waiting) {
    const size_t rows = waiting.whole > 0 ? waiting.whole : waiting.rows.rows();
    std::vector<Insert> inserts = {insert_of(state, shard, waiting, rows)};
    if (waiting.whole == 0)
        inserts.front().block.ranks = 0;  // the rank of the part is counted with its last rows
    OPSIGHT_TRY(writer_.put(inserts));
    state.unnoted.blocks.push_back(inserts.front().block);
    for (const int64_t rank : waiting.whole > 0 ? waiting.whole_ranks : std::set<int64_t>(waiting.ranks))
        waiting.ranks.erase(rank);
    waiting.whole_ranks.clear();
    waiting.whole = 0;
    waiting.rows.drop_front(rows);
    return {};
}

Status ClickHousePush::flush(const std::vector<TableState*>& states) {
    std::vector<Insert> inserts;
    Staged noted;
    for (TableState* state : states)
        for (auto& [shard, waiting] : state->by_shard)
            if (waiting.rows.rows() > 0)
                inserts.push_back(insert_of(*state, shard, waiting, waiting.rows.rows()));
    OPSIGHT_TRY(writer_.put(inserts));
    for (const Insert& insert : inserts)
        noted.blocks.push_back(insert.block);
    for (TableState* state : states) {
        state->by_shard.clear();
        noted.parts.insert(noted.parts.end(), state->unnoted.parts.begin(), state->unnoted.parts.end());
        noted.blocks.insert(noted.blocks.end(), state->unnoted.blocks.begin(), state->unnoted.blocks.end());
        state->unnoted = {};
    }
    OPSIGHT_TRY(note_staged(writer_, home_, id_.push, attempt_, noted));
    done_.insert(noted.parts.begin(), noted.parts.end());
    blocks_.insert(blocks_.end(), noted.blocks.begin(), noted.blocks.end());
    return {};
}

Status ClickHousePush::flush_what_is_large() {
    size_t all = 0, most = 0;
    TableState* largest = nullptr;
    for (auto& [name, state] : tables_) {
        size_t bytes = 0;
        for (const auto& [shard, waiting] : state.by_shard)
            bytes += waiting.rows.bytes();
        all += bytes;
        if (bytes > most) {
            most = bytes;
            largest = &state;
        }
    }
    return all > kMostWaiting ? flush({largest}) : Status{};
}

Status ClickHousePush::commit(const std::vector<Part>& parts) {
    std::vector<TableState*> all;
    for (auto& [name, state] : tables_)
        all.push_back(&state);
    OPSIGHT_TRY(flush(all));
    for (const Part& part : parts)
        if (!has(part)) return fail(missing_part(part));
    if (done_.size() != parts.size())
        return fail(
            fmt::format("the push has {} parts, and its commit names {}", done_.size(), parts.size()));
    OPSIGHT_TRY(check_blocks());
    return write_commit();
}

// Once more before anybody sees it: nothing is missing on any node that answers, and nothing is there twice.
Status ClickHousePush::check_blocks() const {
    std::map<int64_t, std::vector<Block>> by_shard;
    for (const Block& block : blocks_)
        by_shard[block.shard].push_back(block);
    for (const auto& [shard, blocks] : by_shard)
        if (!writer_.are_there(shard, blocks))
            return fail(fmt::format("shard {} does not have all rows that it took", shard),
                        cluster_->address().text(), {},
                        "push again when all its nodes answer: it puts there what is missing");
    return {};
}

Status ClickHousePush::write_commit() {
    OPSIGHT_ASSIGN(const InForce before, read_in_force(*cluster_, {}, id_.run));
    const int64_t generation = before.runs.empty() ? 1 : before.runs.front().generation + 1;
    NativeBlock rows(commit_columns());
    for (const Block& block : blocks_) {
        enum : size_t {
            kRun = 1,
            kPush,
            kCommit,
            kGeneration,
            kTime,
            kVersion,
            kTable,
            kNumber,
            kShard,
            kRows,
            kRanks
        };
        rows.add_text(kRun, id_.run);
        rows.add_text(kPush, id_.push);
        rows.add_number(kCommit, attempt_);
        rows.add(kGeneration, generation);
        rows.add(kTime, seconds_since_1970());
        rows.add(kVersion, int64_t{kFactsVersion});
        rows.add_text(kTable, block.table);
        rows.add_number(kNumber, block.number);
        rows.add(kShard, block.shard);
        rows.add(kRows, block.rows);
        rows.add(kRanks, block.ranks);
        rows.end_row();
    }
    // With the first of them it is seen, whole: the others are for when that shard does not answer.
    for (int64_t shard = 1; shard <= cluster_->shards(); ++shard) {
        std::vector<Insert> inserts = {
            {&rows, {std::string(kCommits), 0, shard, static_cast<int64_t>(rows.rows()), 0}}};
        OPSIGHT_TRY(writer_.put(inserts));
    }
    return {};
}

}  // namespace opsight::fleet::clickhouse
