#include "exports/stacks/stacks.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>

#include "db/reader.h"
#include "exports/sql.h"
#include "exports/timeline/tracks.h"
#include "query/session/cells.h"

namespace opsight::exports {
namespace {

constexpr int64_t kMemory = int64_t{400} << 20;  // of DuckDB, which keeps what it has read

struct OpName {
    std::string name, layer;
};

class Reader {
  public:
    explicit Reader(duck::Connection& connection, const Scope& scope)
        : connection_(connection), scope_(scope) {}

    Result<Stacks> run() {
        OPSIGHT_TRY(connection_.execute(scoped(sql::chosen_tracks, scope_)));
        OPSIGHT_TRY(read_names());
        OPSIGHT_TRY(read_ops());
        OPSIGHT_TRY(read_device());
        return std::move(stacks_);
    }

  private:
    Status read_names() {
        OPSIGHT_ASSIGN(const duck::Rows ops, connection_.query(sql::facts_op));
        for (const auto& row : ops.rows)
            ops_[query::integer(row[0])] = {query::text(row[1]), query::text(row[2])};
        OPSIGHT_ASSIGN(const duck::Rows kernels, connection_.query(sql::facts_kernel));
        for (const auto& row : kernels.rows)
            kernels_[query::integer(row[0])] = query::text(row[1]);
        OPSIGHT_ASSIGN(const duck::Rows texts, connection_.query(sql::facts_string));
        for (const auto& row : texts.rows)
            texts_[query::integer(row[0])] = query::text(row[1]);
        OPSIGHT_ASSIGN(const duck::Rows ranks, connection_.query("SELECT count(*) FROM raw.ranks"));
        several_ranks_ = query::integer(ranks.rows.at(0)[0]) > 1;
        return {};
    }

    Status read_ops() {
        return connection_.scan(scoped(sql::stack_ops, scope_), [this](const duck::Batch& batch) {
            const auto *id = batch.column<int64_t>(0), *parent = batch.column<int64_t>(1),
                       *op = batch.column<int64_t>(2), *self = batch.column<int64_t>(3),
                       *rank = batch.column<int64_t>(4);
            for (size_t i = 0; i < batch.size(); ++i) {
                const OpName& names = ops_[op[i]];
                const auto above = node_of_op_.find(parent[i]);
                const int32_t around =
                    above != node_of_op_.end() ? above->second : layer_node(rank[i], names.layer);
                const int32_t node = child(around, names.name);
                node_of_op_[id[i]] = node;
                StackNode& entry = stacks_.nodes[static_cast<size_t>(node)];
                ++entry.calls;
                entry.cpu_ns += std::max<int64_t>(self[i], 0);
                stacks_.cpu_ns += std::max<int64_t>(self[i], 0);
            }
        });
    }

    Status read_device() {
        return connection_.scan(scoped(sql::stack_device, scope_), [this](const duck::Batch& batch) {
            const auto *op = batch.column<int64_t>(0), *kernel = batch.column<int64_t>(1),
                       *name = batch.column<int64_t>(2), *rank = batch.column<int64_t>(3),
                       *ns = batch.column<int64_t>(4), *spans = batch.column<int64_t>(5);
            for (size_t i = 0; i < batch.size(); ++i) {
                const auto above = node_of_op_.find(op[i]);
                const int32_t around =
                    above != node_of_op_.end() ? above->second : child(rank_node(rank[i]), "(no op known)");
                const int32_t node = child(around, kernel[i] ? kernels_[name[i]] : texts_[name[i]]);
                StackNode& entry = stacks_.nodes[static_cast<size_t>(node)];
                entry.device_spans += spans[i];
                entry.device_ns += ns[i];
                stacks_.device_ns += ns[i];
            }
        });
    }

    int32_t rank_node(int64_t rank) { return several_ranks_ ? child(-1, fmt::format("rank {}", rank)) : -1; }

    int32_t layer_node(int64_t rank, std::string_view path) {
        const auto [found, is_new] = node_of_layer_.try_emplace({rank, std::string(path)}, -1);
        if (!is_new) return found->second;
        int32_t at = rank_node(rank);
        while (!path.empty()) {
            const size_t end = std::min(path.find('/'), path.size());
            if (end > 0) at = child(at, path.substr(0, end));
            path.remove_prefix(std::min(end + 1, path.size()));
        }
        return found->second = at;
    }

    int32_t child(int32_t parent, std::string_view name) {
        if (name.empty()) name = "(no name)";
        const auto [frame, new_frame] =
            frames_.try_emplace(std::string(name), static_cast<int32_t>(stacks_.frames.size()));
        if (new_frame) stacks_.frames.emplace_back(name);
        const auto [node, is_new] =
            children_.try_emplace({parent, frame->second}, static_cast<int32_t>(stacks_.nodes.size()));
        if (is_new) stacks_.nodes.push_back({parent, frame->second});
        return node->second;
    }

    duck::Connection& connection_;
    const Scope& scope_;
    Stacks stacks_;
    bool several_ranks_ = false;
    absl::flat_hash_map<int64_t, OpName> ops_;
    absl::flat_hash_map<int64_t, std::string> kernels_, texts_;
    absl::flat_hash_map<int64_t, int32_t> node_of_op_;
    absl::flat_hash_map<std::pair<int64_t, std::string>, int32_t> node_of_layer_;
    absl::flat_hash_map<std::string, int32_t> frames_;
    absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> children_;
};

}  // namespace

std::vector<int32_t> Stacks::path_of(size_t node) const {
    std::vector<int32_t> path;
    for (auto at = static_cast<int32_t>(node); at >= 0; at = nodes[static_cast<size_t>(at)].parent)
        path.push_back(nodes[static_cast<size_t>(at)].frame);
    std::reverse(path.begin(), path.end());
    return path;
}

Result<Stacks> read_stacks(const Job& job) {
    db::ReadOptions options;
    options.threads = 2;
    options.memory_limit_bytes = kMemory;
    OPSIGHT_ASSIGN(const db::OpenProfile profile, db::open_profile(job.profile, options));
    OPSIGHT_ASSIGN(duck::Connection connection, db::connect(profile.database));
    OPSIGHT_TRY(check_scope(connection, job));
    return Reader(connection, job.scope).run();
}

}  // namespace opsight::exports
