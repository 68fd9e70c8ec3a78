#include "fleet/clickhouse/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "fleet/clickhouse/layout.h"
#include "fleet/clickhouse/tsv.h"

namespace opsight::fleet::clickhouse {

uint64_t random_number() {
    std::random_device device;
    uint64_t number = 0;
    constexpr int kHalf = 32;
    // 63 bits: they are read back as signed numbers.
    while (number == 0)
        number = ((uint64_t{device()} << kHalf) | device()) & INT64_MAX;
    return number;
}

std::vector<const Node*> Writer::in_order(int64_t shard) const {
    std::vector<const Node*> nodes = cluster_->nodes_of(shard);
    std::stable_partition(nodes.begin(), nodes.end(),
                          [this](const Node* node) { return node->host.text() == last_.text(); });
    return nodes;
}

Result<uint64_t> Writer::put(std::string_view table, int64_t shard, const NativeBlock& block, size_t rows) {
    const std::string sql = fmt::format("INSERT INTO {} FORMAT Native", rows_name(*cluster_, table));
    Outcome last;
    Backoff backoff(cluster_->address().timeout_s);
    do {
        cluster_->look_again();
        for (const Node* node : in_order(shard)) {
            const uint64_t number = random_number();
            last = cluster_->run(*node, sql, {}, block.body(rows, number));
            if (!last.ok && !last.passing()) return fail(cluster_->error(last, node->host.text()));
            if (!last.ok) continue;
            last_ = node->host;
            const Copies copies = wait_for_copies(table, shard, number, rows);
            if (copies == Copies::kThere) return number;
            if (copies == Copies::kMissing)
                return fail(fmt::format("a node of shard {} answers, but does not get the rows that another one of it "
                                        "took",
                                        shard),
                            cluster_->address().text(), {}, "does it reach ZooKeeper and the other node?");
        }
    } while (backoff.wait());
    Error error = cluster_->error(last);
    error.what = cluster_->nodes_of(shard).empty()
                     ? fmt::format("no node of shard {} that the address names answers", shard)
                     : fmt::format("no node of shard {} took rows of {} within {} s: {}", shard, table,
                                   cluster_->address().timeout_s, error.what);
    error.remedy = "push again when it is back: it goes on with what is missing";
    return fail(std::move(error));
}

bool Writer::is_there(std::string_view table, int64_t shard, uint64_t number, size_t rows) const {
    return are_there(table, shard, std::to_string(number), static_cast<int64_t>(rows));
}

bool Writer::are_there(std::string_view table, int64_t shard, const std::string& numbers, int64_t rows) const {
    const std::string sql =
        fmt::format("SELECT count() FROM {} WHERE block IN ({})", rows_name(*cluster_, table), numbers);
    bool one = false;
    for (const Node* node : in_order(shard)) {
        const Outcome outcome = cluster_->run(*node, sql);
        if (!outcome.arrived) continue;
        if (!outcome.ok || outcome.body != fmt::format("{}\n", rows)) return false;
        one = true;
    }
    return one;
}

// The node that took them may die before another one has a copy: then they are lost until it is back.
Writer::Copies Writer::wait_for_copies(std::string_view table, int64_t shard, uint64_t number, size_t rows) const {
    if (cluster_->nodes_of(shard).size() == 1) return Copies::kThere;
    Backoff backoff(cluster_->address().timeout_s);
    do {
        if (is_there(table, shard, number, rows)) return Copies::kThere;
        const std::vector<const Node*> nodes = cluster_->nodes_of(shard);
        const bool taker_answers = std::any_of(nodes.begin(), nodes.end(), [this](const Node* node) {
            return node->host.text() == last_.text() && cluster_->answers(*node);
        });
        if (!taker_answers && !is_there(table, shard, number, rows)) return Copies::kLost;
    } while (backoff.wait());
    return Copies::kMissing;
}

}  // namespace opsight::fleet::clickhouse
