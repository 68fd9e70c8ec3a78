#include "fleet/clickhouse/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

#include "fleet/clickhouse/layout.h"
#include "fleet/clickhouse/tsv.h"

namespace opsight::fleet::clickhouse {
namespace {

// Rows of the blocks at a node by table, in one statement.
std::string counting_statement(const Cluster& cluster, const std::map<std::string, std::string>& numbers) {
    std::string sql;
    for (const auto& [table, list] : numbers)
        sql +=
            fmt::format("{}SELECT '{}' AS fact_table, toInt64(count()) AS found FROM {} WHERE block IN ({})",
                        sql.empty() ? "" : " UNION ALL ", table, rows_name(cluster, table), list);
    return sql;
}

std::vector<Block> blocks_of(const std::vector<Insert*>& inserts) {
    std::vector<Block> out;
    for (const Insert* insert : inserts)
        out.push_back(insert->block);
    return out;
}

}  // namespace

uint64_t random_number() {
    std::random_device device;
    uint64_t number = 0;
    constexpr int kHalf = 32;
    // They are read back as signed numbers.
    while (number == 0)
        number = ((uint64_t{device()} << kHalf) | device()) & INT64_MAX;
    return number;
}

// The one that took the last block first, those that were silent just now last.
std::vector<const Node*> Writer::in_order(int64_t shard) const {
    std::vector<const Node*> nodes = cluster_->nodes_of(shard);
    std::stable_sort(nodes.begin(), nodes.end(), [this](const Node* a, const Node* b) {
        const auto place = [this](const Node* node) {
            return std::pair(cluster_->was_silent(*node), node->host.text() != last_);
        };
        return place(a) < place(b);
    });
    return nodes;
}

Status Writer::put(std::vector<Insert>& inserts) {
    std::map<int64_t, std::vector<Insert*>> by_shard;
    for (Insert& insert : inserts)
        by_shard[insert.block.shard].push_back(&insert);
    for (auto& [shard, some] : by_shard)
        OPSIGHT_TRY(put_on_shard(shard, some));
    return {};
}

Status Writer::put_on_shard(int64_t shard, std::vector<Insert*>& inserts) {
    for (Insert* insert : inserts)
        OPSIGHT_TRY(send(*insert));
    constexpr int kTries = 5;  // so many nodes would have to die one after the other
    for (int left = kTries; left > 0; --left) {
        const Copies copies = wait_for_copies(shard, blocks_of(inserts));
        if (copies == Copies::kThere) return {};
        if (copies == Copies::kMissing)
            return fail(
                fmt::format("a node of shard {} answers, but does not get the rows that another one took",
                            shard),
                cluster_->address().text(), {}, "does it reach ZooKeeper and the other node?");
        OPSIGHT_TRY(send_again_what_is_lost(shard, inserts));
    }
    return fail(fmt::format("nodes of shard {} die before others have copies of what they took", shard),
                cluster_->address().text());
}

Status Writer::send_again_what_is_lost(int64_t shard, std::vector<Insert*>& inserts) {
    for (Insert* insert : inserts)
        if (!are_there(shard, {insert->block})) OPSIGHT_TRY(send(*insert));
    return {};
}

Status Writer::send(Insert& insert) {
    const Block& block = insert.block;
    const std::string sql = fmt::format("INSERT INTO {} FORMAT Native", rows_name(*cluster_, block.table));
    Outcome last;
    Backoff backoff(cluster_->address().timeout_s);
    do {
        cluster_->look_again();
        for (const Node* node : in_order(block.shard)) {
            const uint64_t number = random_number();
            last = cluster_->run(*node, sql, {}, insert.rows->body(static_cast<size_t>(block.rows), number));
            if (!last.ok && !last.passing()) return fail(cluster_->error(last, node->host.text()));
            if (!last.ok) continue;
            last_ = node->host.text();
            insert.block.number = number;
            return {};
        }
    } while (backoff.wait());
    Error error = cluster_->error(last);
    error.what = cluster_->nodes_of(block.shard).empty()
                     ? fmt::format("no node of shard {} that the address names answers", block.shard)
                     : fmt::format("no node of shard {} took rows of {} within {} s: {}", block.shard,
                                   block.table, cluster_->address().timeout_s, error.what);
    error.remedy = "push again when it is back: it goes on with what is missing";
    return fail(std::move(error));
}

bool Writer::are_there(int64_t shard, const std::vector<Block>& blocks) const {
    std::map<std::string, std::string> numbers;
    std::map<std::string, int64_t> rows;
    for (const Block& block : blocks) {
        std::string& list = numbers[block.table];
        list += fmt::format("{}{}", list.empty() ? "" : ", ", block.number);
        rows[block.table] += block.rows;
    }
    bool one = false;
    for (const Node* node : in_order(shard)) {
        if (one && cluster_->was_silent(*node)) continue;
        const Outcome outcome = cluster_->run(
            *node, fmt::format("{} FORMAT {}", counting_statement(*cluster_, numbers), kAnswerFormat));
        if (!outcome.arrived) continue;
        const auto found = outcome.ok ? read_tsv(outcome.body) : Result<duck::Rows>(fail(""));
        if (!found || found->rows.size() != rows.size()) return false;
        for (const auto& row : found->rows)
            if (std::get<int64_t>(row.at(1)) != rows[std::get<std::string>(row.at(0))]) return false;
        one = true;
    }
    return one;
}

// The node that took them may die before another one has a copy: then they are lost until it is back.
Writer::Copies Writer::wait_for_copies(int64_t shard, const std::vector<Block>& blocks) const {
    const std::vector<const Node*> nodes = cluster_->nodes_of(shard);
    if (nodes.size() == 1) return Copies::kThere;
    Backoff backoff(cluster_->address().timeout_s);
    do {
        const bool all_answered = std::none_of(
            nodes.begin(), nodes.end(), [this](const Node* node) { return cluster_->was_silent(*node); });
        if (are_there(shard, blocks)) return Copies::kThere;
        if (!all_answered && !are_there(shard, blocks)) return Copies::kLost;
    } while (backoff.wait());
    return Copies::kMissing;
}

}  // namespace opsight::fleet::clickhouse
