#include "query/compare/unrolled.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "query/compare/layer_words.h"
#include "query/compare/mixed_hash.h"

namespace opsight::query {
namespace {

constexpr uint64_t kNothing = 0;

// Of a layer with all that is below it.
struct Held {
    uint64_t hash = kNothing;  // of forward ops and of the names of its children; kNothing: it has no such op
    int64_t calls = 0;         // of these ops
};

std::vector<Held> held_by(const WorkTree& tree, bool shapes, bool dtypes) {
    std::vector<Held> all(tree.layers.size());
    for (size_t i = all.size(); i-- > 0;) {
        Held& held = all[i];
        for (const size_t place : tree.layers[i].ops) {
            const TreeOp& op = tree.ops[place];
            if (op.direction == "bprop" || op.direction == "optimizer") continue;
            held.hash = mixed(mixed(held.hash, 1), op.name);
            if (shapes) held.hash = mixed(held.hash, op.shapes);
            if (dtypes) held.hash = mixed(held.hash, op.dtypes);
            held.calls += op.cpu.calls > 0 ? op.cpu.calls : op.gpu.calls;
        }
        for (const size_t child : tree.layers[i].layers) {
            if (all[child].hash == kNothing) continue;
            held.hash =
                mixed(mixed(mixed(held.hash, 2), without_number(tree.layers[child].name)), all[child].hash);
            held.calls += all[child].calls;
        }
    }
    return all;
}

class Search {
  public:
    Search(const UnrolledSearch& base, const UnrolledSearch& next, bool shapes, bool dtypes)
        : base_(base),
          next_(next),
          held_before_(held_by(base.tree, shapes, dtypes)),
          held_after_(held_by(next.tree, shapes, dtypes)) {}

    std::vector<LayerGroup> find() {
        absl::flat_hash_map<uint64_t, LayerGroup> alike;
        std::vector<uint64_t> order;
        collect(base_, held_before_, [&](size_t layer, uint64_t hash) {
            const auto [found, is_new] = alike.try_emplace(hash);
            if (is_new) order.push_back(hash);
            found->second.base.push_back(layer);
        });
        collect(next_, held_after_, [&](size_t layer, uint64_t hash) {
            if (const auto found = alike.find(hash); found != alike.end())
                found->second.next.push_back(layer);
        });
        // Parents come before their children.
        for (const uint64_t hash : order)
            if (const LayerGroup& group = alike.at(hash); is_one(group)) take(group);
        return std::move(out_);
    }

  private:
    template <class Add>
    static void collect(const UnrolledSearch& side, const std::vector<Held>& held, Add&& add) {
        for (size_t i = 1; i < held.size(); ++i)
            if (side.free[i] && held[i].hash != kNothing) add(i, held[i].hash);
    }

    static bool of_one_parent(const UnrolledSearch& side, const std::vector<size_t>& layers) {
        return std::all_of(layers.begin(), layers.end(), [&](size_t each) {
            return side.free[each] && side.tree.layers[each].parent == side.tree.layers[layers[0]].parent;
        });
    }
    static int64_t calls_of(const std::vector<Held>& held, const std::vector<size_t>& layers) {
        int64_t calls = 0;
        for (const size_t each : layers)
            calls += held[each].calls;
        return calls;
    }
    bool is_one(const LayerGroup& group) const {
        if (group.next.empty() || group.base.size() == group.next.size()) return false;
        if (!of_one_parent(base_, group.base) || !of_one_parent(next_, group.next)) return false;
        // As many an iteration, without dividing.
        const auto before = static_cast<long double>(calls_of(held_before_, group.base)) *
                            static_cast<long double>(next_.tree.iterations);
        const auto after = static_cast<long double>(calls_of(held_after_, group.next)) *
                           static_cast<long double>(base_.tree.iterations);
        return before == after && before > 0;
    }

    // Children by their names without numbers, and how many of that name stand before them.
    using Place = std::pair<std::string_view, size_t>;
    static std::map<Place, std::vector<size_t>> children_of(const WorkTree& tree,
                                                            const std::vector<size_t>& layers) {
        std::map<Place, std::vector<size_t>> all;
        for (const size_t layer : layers) {
            absl::flat_hash_map<std::string_view, size_t> seen;
            for (const size_t child : tree.layers[layer].layers) {
                const std::string_view name = without_number(tree.layers[child].name);
                all[{name, seen[name]++}].push_back(child);
            }
        }
        return all;
    }
    void take(const LayerGroup& group) {
        for (const size_t each : group.base)
            base_.free[each] = false;
        for (const size_t each : group.next)
            next_.free[each] = false;
        out_.push_back(group);
        const auto after = children_of(next_.tree, group.next);
        for (auto& [place, children] : children_of(base_.tree, group.base))
            if (const auto found = after.find(place); found != after.end())
                take({std::move(children), found->second});
    }

    UnrolledSearch base_, next_;
    std::vector<Held> held_before_, held_after_;
    std::vector<LayerGroup> out_;
};

}  // namespace

std::vector<LayerGroup> unrolled_layers(const UnrolledSearch& base, const UnrolledSearch& next, bool shapes,
                                        bool dtypes) {
    return Search(base, next, shapes, dtypes).find();
}

}  // namespace opsight::query
