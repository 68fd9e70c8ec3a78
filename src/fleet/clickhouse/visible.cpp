#include "fleet/clickhouse/visible.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "fleet/clickhouse/layout.h"
#include "fleet/clickhouse/tsv.h"

namespace opsight::fleet::clickhouse {
namespace {

bool among(const Missing& missing, int64_t shard) {
    return std::find(missing.begin(), missing.end(), shard) != missing.end();
}

Missing find_missing(const Cluster& cluster) {
    Missing out;
    for (int64_t shard = 1; shard <= cluster.shards(); ++shard) {
        const std::vector<const Node*> nodes = cluster.nodes_of(shard);
        if (std::none_of(nodes.begin(), nodes.end(),
                         [&](const Node* node) { return cluster.answers(*node); }))
            out.push_back(shard);
    }
    return out;
}

std::string text_of(const std::vector<duck::Cell>& row, size_t column) {
    const auto* text = std::get_if<std::string>(&row.at(column));
    return text ? *text : "";
}

int64_t number_of(const std::vector<duck::Cell>& row, size_t column) {
    const auto* number = std::get_if<int64_t>(&row.at(column));
    return number ? *number : 0;
}

std::string names_of_nodes(const Cluster& cluster, int64_t shard) {
    std::string out;
    for (const Node* node : cluster.nodes_of(shard))
        out += (out.empty() ? "" : ", ") + node->host.text();
    return out.empty() ? "no node of the address says it is of it" : out;
}

// "31 of 64 ranks", or the tables where it is not ranks that are missing; empty: nothing is.
std::string lacking(const RunInForce& run, const Missing& missing) {
    std::map<std::string, std::pair<int64_t, int64_t>> ranks;  // by table: missing, of all
    std::set<std::string> whole;
    for (const Block& block : run.blocks) {
        const bool gone = among(missing, block.shard);
        const Table* table = find_table(block.table);
        if (!table || !has_rank(*table)) {
            if (gone) whole.insert(block.table);
            continue;
        }
        auto& [without, all] = ranks[block.table];
        without += gone ? block.ranks : 0;
        all += block.ranks;
    }
    int64_t most = 0, of = 0;
    for (const auto& [table, counts] : ranks)
        if (counts.first > most) std::tie(most, of) = counts;
    std::string out = most > 0 ? fmt::format("{} of {} ranks", most, of) : "";
    for (const std::string& table : whole)
        out += (out.empty() ? "all " : " and all ") + table;
    return out;
}

}  // namespace

Parameters reading_settings(const Cluster& cluster, bool skip_missing) {
    const std::string seconds = std::to_string(cluster.address().timeout_s);
    Parameters out = {{"skip_unavailable_shards", skip_missing ? "1" : "0"},
                      {"join_use_nulls", "1"},
                      {"distributed_product_mode", "global"},
                      {"max_query_size", "67108864"},
                      {"max_ast_elements", "4000000"},
                      {"max_expanded_ast_elements", "4000000"},
                      {"receive_timeout", seconds},
                      {"send_timeout", seconds},
                      {"connect_timeout_with_failover_ms", "3000"}};
    if (cluster.replicated()) {
        out.emplace_back("max_replica_delay_for_distributed_queries", "1");
        out.emplace_back("fallback_to_stale_replicas_for_distributed_queries", "0");
    }
    return out;
}

Result<duck::Rows> query_all(const Cluster& cluster, const std::string& sql, Missing& missing) {
    const std::string text = fmt::format("{} FORMAT {}", sql, kAnswerFormat);
    Outcome outcome;
    Backoff backoff(cluster.address().timeout_s);
    do {
        outcome = cluster.run_anywhere(text, reading_settings(cluster, !missing.empty()));
        if (outcome.ok) {
            // Shards were skipped, and maybe more of them than did not answer before.
            if (!missing.empty())
                for (const int64_t shard : find_missing(cluster))
                    if (!among(missing, shard)) missing.push_back(shard);
            std::sort(missing.begin(), missing.end());
            return read_tsv(outcome.body);
        }
        if (!outcome.passing()) break;
        missing = find_missing(cluster);
    } while (backoff.wait());
    return fail(cluster.error(outcome));
}

Result<InForce> read_in_force(const Cluster& cluster, const std::vector<std::string>& tables,
                              const std::optional<std::string>& run) {
    std::string names = "'runs'";
    for (const std::string& table : tables)
        names += ", '" + table + "'";
    const std::string sql = fmt::format(
        "SELECT run, push, commit, fact_table, fact_block, max(generation), max(facts_version), "
        "max(fact_shard), "
        "max(fact_rows), max(fact_ranks), count() FROM {} WHERE fact_table IN ({}){} "
        "GROUP BY run, push, commit, fact_table, fact_block",
        all_name(cluster, kCommits), names, run ? fmt::format(" AND run = '{}'", *run) : "");
    InForce out;
    OPSIGHT_ASSIGN(const duck::Rows rows, query_all(cluster, sql, out.missing));
    std::map<std::string, std::map<uint64_t, RunInForce>> runs;
    enum : size_t {
        kRun,
        kPush,
        kCommit,
        kTable,
        kNumber,
        kGeneration,
        kVersion,
        kShard,
        kRows,
        kRanks,
        kCount
    };
    for (const auto& row : rows.rows) {
        const auto commit = static_cast<uint64_t>(number_of(row, kCommit));
        RunInForce& entry = runs[text_of(row, kRun)][commit];
        entry.run = text_of(row, kRun);
        entry.push = text_of(row, kPush);
        entry.commit = commit;
        entry.generation = number_of(row, kGeneration);
        if (number_of(row, kVersion) > kFactsVersion)
            return fail(
                fmt::format("has run {} of a newer Opsight, whose facts this one does not know", entry.run),
                cluster.address().text(), {}, "ask with that one");
        entry.blocks.push_back({text_of(row, kTable), static_cast<uint64_t>(number_of(row, kNumber)),
                                number_of(row, kShard), number_of(row, kRows), number_of(row, kRanks)});
        if (entry.blocks.back().table == "runs") entry.shards_that_know = number_of(row, kCount);
    }
    for (auto& [id, commits] : runs)
        out.runs.push_back(std::move(
            std::max_element(commits.begin(), commits.end(), [](const auto& a, const auto& b) {
                return std::tie(a.second.generation, a.first) < std::tie(b.second.generation, b.first);
            })->second));
    return out;
}

std::vector<std::string> notes_on_missing(const Cluster& cluster, const InForce& in_force) {
    constexpr size_t kNamed = 8;
    std::vector<std::string> notes;
    std::string runs;
    size_t count = 0;
    for (const RunInForce& run : in_force.runs) {
        const std::string lacks = lacking(run, in_force.missing);
        if (lacks.empty()) continue;
        if (++count <= kNamed) runs += fmt::format("{}run {}: {}", runs.empty() ? "" : "; ", run.run, lacks);
    }
    if (count == 0) return notes;
    for (const int64_t shard : in_force.missing)
        notes.push_back(fmt::format("Shard {} of {} of the store does not answer ({}).", shard,
                                    cluster.shards(), names_of_nodes(cluster, shard)));
    notes.push_back(
        fmt::format("This answer is not whole. It lacks: {}{}.", runs,
                    count > kNamed ? fmt::format("; and parts of {} more runs", count - kNamed) : ""));
    return notes;
}

}  // namespace opsight::fleet::clickhouse
