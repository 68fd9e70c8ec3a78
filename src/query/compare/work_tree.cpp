#include "query/compare/work_tree.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "base/one_line_json.h"
#include "query/compare/sql.h"
#include "query/compare/statistics.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

namespace sql = compare::sql;

// Into which sample an iteration falls, and how many share it.
class Batches {
  public:
    Batches(const std::vector<IterationShares>& samples, int64_t items)
        : whole_(samples.front().iteration == -1), items_(items) {
        const size_t count = samples.size();
        const size_t each = (count + kMostBatches - 1) / kMostBatches;
        sizes_.assign((count + each - 1) / each, 0);
        for (size_t i = 0; i < count; ++i) {
            if (!whole_) of_.emplace(samples[i].iteration, i / each);
            ++sizes_[i / each];
        }
    }
    size_t count() const { return sizes_.size(); }
    // count() where it is none of the samples.
    size_t of(int64_t iteration) const {
        if (whole_) return 0;
        const auto found = of_.find(iteration);
        return found == of_.end() ? count() : found->second;
    }
    // Sums become means.
    void level(Amount& amount) const {
        for (size_t i = 0; i < amount.samples.size(); ++i)
            amount.samples[i] /= sizes_[i] * items_;
    }

  private:
    bool whole_;
    int64_t items_;  // of an iteration
    absl::flat_hash_map<int64_t, size_t> of_;
    std::vector<int64_t> sizes_;
};

struct WorkKey {
    int32_t op, name;
    bool kernel;
    bool operator==(const WorkKey&) const = default;
    template <class H>
    friend H AbslHashValue(H h, const WorkKey& key) {
        return H::combine(std::move(h), key.op, key.name, key.kernel);
    }
};

struct Entry {
    WorkKey key;
    Amount amount;
};

struct Name {
    std::string name, label, uses_tc;
    bool communication = false;
};

class Reader {
  public:
    Reader(Session& session, const std::vector<IterationShares>& samples, const WorkOptions& options)
        : session_(session),
          rank_(samples.front().rank),
          options_(options),
          batches_(samples, options.batch) {
        tree_.iterations = std::ssize(samples);
        tree_.batch = options.batch;
    }

    Result<WorkTree> read() {
        OPSIGHT_TRY(layers());
        OPSIGHT_TRY(op_times());
        OPSIGHT_TRY(device_times());
        OPSIGHT_TRY(ops());
        OPSIGHT_TRY(device_work());
        if (options_.launches) OPSIGHT_TRY(launches());
        add_up();
        return std::move(tree_);
    }

  private:
    Status layers() {
        OPSIGHT_ASSIGN(const duck::Rows rows, session_.query(sql::tree_layers));
        tree_.layers.push_back({"/", "/", 0, {}, {}});
        for (const auto& row : rows.rows) {
            const size_t parent = layer(integer(row[1], -1)), place = tree_.layers.size();
            tree_.layers.push_back({text(row[2]), "/" + text(row[3]), parent, {}, {}});
            tree_.layers[parent].layers.push_back(place);
            places_.emplace(integer(row[0]), place);
        }
        return {};
    }
    size_t layer(int64_t id) const {
        const auto found = places_.find(id);
        return found == places_.end() ? 0 : found->second;
    }

    void take(const WorkKey& key, std::vector<Entry>& into, int32_t iteration, int64_t calls, int64_t ns) {
        const size_t batch = batches_.of(iteration);
        if (batch == batches_.count()) return;
        // Rows come in the order of the keys.
        if (into.empty() || !(into.back().key == key)) {
            into.push_back({key, {}});
            into.back().amount.samples.assign(batches_.count(), 0);
        }
        Amount& amount = into.back().amount;
        amount.ns += ns;
        amount.calls += calls;
        amount.samples[batch] += ns;
    }

    Status op_times() {
        return session_.scan(
            duck::Statement(sql::tree_op_times).set("rank", rank_), [this](const duck::Batch& batch) {
                const auto *op = batch.column<int32_t>(0), *iteration = batch.column<int32_t>(1);
                const auto *calls = batch.column<int64_t>(2), *ns = batch.column<int64_t>(3);
                for (size_t i = 0; i < batch.size(); ++i)
                    take({op[i], 0, false}, host_, iteration[i], calls[i], ns[i]);
            });
    }
    Status device_times() {
        return session_.scan(
            duck::Statement(sql::tree_device_times).set("rank", rank_), [this](const duck::Batch& batch) {
                const auto *op = batch.column<int32_t>(0), *name = batch.column<int32_t>(2),
                           *iteration = batch.column<int32_t>(3);
                const auto* kernel = batch.column<bool>(1);
                const auto *calls = batch.column<int64_t>(4), *ns = batch.column<int64_t>(5);
                for (size_t i = 0; i < batch.size(); ++i)
                    take({op[i], name[i], kernel[i]}, device_, iteration[i], calls[i], ns[i]);
            });
    }

    // Ops that have anything, in the order of their numbers; those with device work only too.
    Status ops() {
        absl::flat_hash_map<int32_t, const Amount*> times;
        for (const Entry& each : host_)
            times.emplace(each.key.op, &each.amount);
        for (const Entry& each : device_)
            times.try_emplace(each.key.op, nullptr);
        OPSIGHT_ASSIGN(const duck::Rows rows, session_.query(sql::tree_ops));
        for (const auto& row : rows.rows) {
            const auto id = static_cast<int32_t>(integer(row[0]));
            const auto found = times.find(id);
            if (found == times.end()) continue;
            add_op(id,
                   {text(row[1]),
                    text(row[2]),
                    one_line_json(text(row[4])),
                    one_line_json(text(row[5])),
                    layer(integer(row[3], -1)),
                    {},
                    {},
                    {},
                    id},
                   found->second);
            times.erase(found);
        }
        // Work that no identity was given.
        for (const Entry& each : device_)
            if (times.erase(each.key.op) > 0)
                add_op(each.key.op, {"outside of ops", "other", {}, {}, 0, {}, {}, {}}, nullptr);
        return {};
    }
    void add_op(int32_t id, TreeOp op, const Amount* host) {
        if (host) op.cpu = *host;
        op.cpu.samples.resize(batches_.count(), 0);
        op.gpu.samples.assign(batches_.count(), 0);
        tree_.layers[op.layer].ops.push_back(tree_.ops.size());
        op_places_.emplace(id, tree_.ops.size());
        tree_.ops.push_back(std::move(op));
    }

    Status device_work() {
        if (device_.empty()) return {};
        absl::flat_hash_map<std::pair<bool, int32_t>, Name> names;
        OPSIGHT_ASSIGN(const duck::Rows rows, session_.query(sql::tree_device_names));
        for (const auto& row : rows.rows)
            names[{flag(row[0]), static_cast<int32_t>(integer(row[1]))}] = {text(row[2]), text(row[3]),
                                                                            text(row[4]), flag(row[5])};
        for (Entry& each : device_) {
            const Name& name = names[{each.key.kernel, each.key.name}];
            std::vector<DeviceWork>& work = tree_.ops[op_places_.at(each.key.op)].work;
            if (each.key.kernel) kernel_places_[{each.key.op, each.key.name}] = work.size();
            work.push_back({name.name, name.label, name.uses_tc, std::move(each.amount), name.communication});
        }
        return {};
    }

    Status launches() {
        OPSIGHT_ASSIGN(const duck::Rows rows,
                       session_.query(duck::Statement(sql::tree_launches).set("rank", rank_)));
        for (const auto& row : rows.rows) {
            const auto op = static_cast<int32_t>(integer(row[0]));
            const auto found = kernel_places_.find({op, static_cast<int32_t>(integer(row[1]))});
            if (found == kernel_places_.end()) continue;
            const auto at = [&row](size_t column) { return integer(row[column], -1); };
            tree_.ops[op_places_.at(op)].work[found->second].launch =
                LaunchShape{{at(3), at(4), at(5)}, {at(6), at(7), at(8)}, at(9),          at(10),
                            real(row[11], -1),     real(row[12], -1),     integer(row[2])};
        }
        return {};
    }

    // Means of the smallest parts, and from them all sums.
    void add_up() {
        std::vector<Amount*> host, device;
        for (TreeOp& op : tree_.ops) {
            host.push_back(&op.cpu);
            for (DeviceWork& each : op.work)
                device.push_back(&each.gpu);
        }
        share(host);
        share(device);
        tree_.cpu.samples.assign(batches_.count(), 0);
        tree_.gpu.samples.assign(batches_.count(), 0);
        for (TreeOp& op : tree_.ops) {
            for (const DeviceWork& each : op.work)
                op.gpu.add(each.gpu);
            tree_.cpu.add(op.cpu);
            tree_.gpu.add(op.gpu);
        }
    }
    void share(const std::vector<Amount*>& parts) const {
        std::vector<int64_t> totals;
        for (const Amount* each : parts)
            totals.push_back(each->ns);
        const std::vector<int64_t> means = shared_out(totals, tree_.iterations * tree_.batch);
        for (size_t i = 0; i < parts.size(); ++i) {
            parts[i]->mean_ns = means[i];
            batches_.level(*parts[i]);
        }
    }

    Session& session_;
    int64_t rank_;
    WorkOptions options_;
    Batches batches_;
    WorkTree tree_;
    absl::flat_hash_map<int64_t, size_t> places_;                             // of layers, by their number
    absl::flat_hash_map<int32_t, size_t> op_places_;                          // of ops
    absl::flat_hash_map<std::pair<int32_t, int32_t>, size_t> kernel_places_;  // in the work of their op
    std::vector<Entry> host_, device_;
};

}  // namespace

void Amount::add(const Amount& other) {
    ns += other.ns;
    calls += other.calls;
    mean_ns += other.mean_ns;
    samples.resize(std::max(samples.size(), other.samples.size()), 0);
    for (size_t i = 0; i < other.samples.size(); ++i)
        samples[i] += other.samples[i];
}

bool is_recorded(const std::string& list) {
    return !list.empty() && list != "[]" && list != "null";
}

Recorded recorded_in(const WorkTree& tree) {
    Recorded out;
    for (const TreeOp& op : tree.ops) {
        out.layers |= op.layer != 0;
        out.shapes |= is_recorded(op.shapes);
        out.dtypes |= is_recorded(op.dtypes);
    }
    return out;
}

Result<WorkTree> read_work_tree(Session& session, const std::vector<IterationShares>& samples,
                                const WorkOptions& options) {
    return Reader(session, samples, options).read();
}

}  // namespace opsight::query
