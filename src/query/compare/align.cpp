#include "query/compare/align.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "query/compare/layer_words.h"
#include "query/compare/mixed_hash.h"
#include "query/compare/unrolled.h"

namespace opsight::query {
namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;

constexpr uint64_t kNothing = 0;

// What must be equal beside the name and the direction.
struct Keys {
    bool shapes = false, dtypes = false;
};

// Of a side: what ops do, by name and direction, with the words of their layers where names do not tell.
class Names {
  public:
    Names(const WorkTree& tree, bool layers, bool shapes) : tree_(tree) {
        for (const TreeOp& op : tree.ops) {
            hashes_.push_back(mixed(mixed(1, op.name), op.direction));
            if (layers && op.layer != 0 && known_by_layer(op, shapes))
                hashes_.back() = mixed(mixed(hashes_.back(), 5), layer_words(tree.layers[op.layer]));
        }
    }
    uint64_t of(size_t op) const { return hashes_[op]; }
    uint64_t of(size_t op, Keys keys) const {
        uint64_t hash = hashes_[op];
        if (keys.shapes) hash = mixed(mixed(hash, 3), tree_.ops[op].shapes);
        return keys.dtypes ? mixed(mixed(hash, 4), tree_.ops[op].dtypes) : hash;
    }

  private:
    const WorkTree& tree_;
    std::vector<uint64_t> hashes_;
};

// Ops of one side that count as one.
using Unit = std::vector<size_t>;
using Units = std::vector<Unit>;

// The n-th of equal values with the n-th, wherever they stand.
Pairs in_turn(std::span<const uint64_t> base, std::span<const uint64_t> next) {
    absl::flat_hash_map<std::pair<uint64_t, size_t>, size_t> places;
    absl::flat_hash_map<uint64_t, size_t> seen;
    for (size_t i = 0; i < next.size(); ++i)
        places.emplace(std::pair(next[i], seen[next[i]]++), i);
    seen.clear();
    Pairs pairs;
    for (size_t i = 0; i < base.size(); ++i)
        if (const auto found = places.find(std::pair(base[i], seen[base[i]]++)); found != places.end())
            pairs.emplace_back(i, found->second);
    return pairs;
}

// Of a side: what a layer holds, with shapes and without; its own name does not count.
struct Contents {
    std::vector<uint64_t> exact, form;

    Contents(const WorkTree& tree, const Names& names, Keys keys)
        : exact(tree.layers.size(), kNothing), form(tree.layers.size(), kNothing) {
        for (size_t i = tree.layers.size(); i-- > 0;) {
            for (const size_t op : tree.layers[i].ops) {
                exact[i] = mixed(exact[i], names.of(op, keys));
                form[i] = mixed(form[i], names.of(op));
            }
            for (const size_t child : tree.layers[i].layers) {
                if (exact[child] == kNothing) continue;
                exact[i] = mixed(mixed(exact[i], 2), exact[child]);
                form[i] = mixed(mixed(form[i], 2), form[child]);
            }
        }
    }
};

constexpr size_t kNone = static_cast<size_t>(-1);

// Whether ops of one name that stand in these layers are different ones.
enum class Apart : uint8_t { kIfTold, kNo };

class Aligner {
  public:
    Aligner(const WorkTree& base, const WorkTree& next)
        : base_(base),
          next_(next),
          before_(recorded_in(base)),
          after_(recorded_in(next)),
          keys_{before_.shapes == after_.shapes, before_.dtypes == after_.dtypes},
          names_before_(base, before_.layers && after_.layers, before_.shapes && after_.shapes),
          names_after_(next, before_.layers && after_.layers, before_.shapes && after_.shapes),
          held_before_(base, names_before_, keys_),
          held_after_(next, names_after_, keys_),
          of_base_(base.layers.size(), kNone),
          of_next_(next.layers.size(), kNone),
          op_of_base_(base.ops.size(), kNone),
          op_of_next_(next.ops.size(), kNone) {}

    Alignment align() {
        const bool both = !base_.ops.empty() && !next_.ops.empty();
        out_.without_layers = both && before_.layers != after_.layers;
        pair_layers(0, 0);
        if (out_.without_layers) {
            pair_ops(all_of(base_), all_of(next_));
            replaced(all_of(base_), all_of(next_));
            collect();
            return std::move(out_);
        }
        unrolled();  // before names and contents give one of several to the one
        settle();
        moved_layers();
        for (size_t i = 0; i < of_base_.size(); ++i)
            if (has_one(of_base_[i])) pair_ops(base_.layers[i].ops, next_.layers[of_base_[i]].ops);
        moved_ops();
        for (size_t i = 0; i < of_base_.size(); ++i)
            if (has_one(of_base_[i])) replaced(base_.layers[i].ops, next_.layers[of_base_[i]].ops);
        collect();
        return std::move(out_);
    }

  private:
    // Of matched layers, whose children are still to be matched.
    void pair_layers(size_t base, size_t next) {
        of_base_[base] = next;
        of_next_[next] = base;
        open_.emplace_back(base, next);
    }
    void settle() {
        while (!open_.empty()) {
            const auto [base, next] = open_.back();
            open_.pop_back();
            pair_children(base_.layers[base].layers, next_.layers[next].layers);
        }
    }

    template <class Key>
    std::vector<uint64_t> keys(const std::vector<size_t>& layers, Key&& key) const {
        std::vector<uint64_t> all;
        for (const size_t each : layers)
            all.push_back(key(each));
        return all;
    }

    // One way of matching: `before` and `after` tell the key of a layer, kNothing for none.
    template <class Before, class After>
    void step(std::vector<size_t>& base, std::vector<size_t>& next, bool ordered, Before&& before,
              After&& after) {
        const auto skip = [](std::vector<size_t>& from, const auto& key) {
            std::vector<size_t> with;
            for (const size_t each : from)
                if (key(each) != kNothing) with.push_back(each);
            return with;
        };
        const std::vector<size_t> left = skip(base, before), right = skip(next, after);
        const std::vector<uint64_t> a = keys(left, before), b = keys(right, after);
        for (const auto& [i, j] : ordered ? in_order(a, b) : in_turn(a, b))
            pair_layers(left[i], right[j]);
        std::erase_if(base, [this](size_t each) { return of_base_[each] != kNone; });
        std::erase_if(next, [this](size_t each) { return of_next_[each] != kNone; });
    }

    void pair_children(std::vector<size_t> base, std::vector<size_t> next) {
        const auto free_of = [](std::vector<size_t>& all, const std::vector<size_t>& taken) {
            std::erase_if(all, [&taken](size_t each) { return taken[each] != kNone; });
        };
        free_of(base, of_base_);
        free_of(next, of_next_);
        const auto name = [](const WorkTree& tree) {
            return [&tree](size_t i) { return mixed(1, tree.layers[i].name); };
        };
        const auto exact = [](const Contents& held) { return [&held](size_t i) { return held.exact[i]; }; };
        const auto form = [](const Contents& held) { return [&held](size_t i) { return held.form[i]; }; };
        const auto both = [&](const WorkTree& tree, const Contents& held) {
            return [&](size_t i) { return mixed(mixed(1, tree.layers[i].name), held.exact[i]); };
        };
        const auto kind = [](const WorkTree& tree) {
            return [&tree](size_t i) { return mixed(1, without_number(tree.layers[i].name)); };
        };
        step(base, next, false, both(base_, held_before_), both(next_, held_after_));
        step(base, next, true, exact(held_before_), exact(held_after_));
        step(base, next, false, name(base_), name(next_));
        step(base, next, true, form(held_before_), form(held_after_));
        step(base, next, true, kind(base_), kind(next_));
    }

    // A match that is one layer or op.
    static bool has_one(size_t match) { return match != kNone && match != kTaken; }

    static std::vector<size_t> ops_of(const WorkTree& tree, const std::vector<size_t>& layers) {
        std::vector<size_t> ops;
        for (const size_t each : layers)
            ops.insert(ops.end(), tree.layers[each].ops.begin(), tree.layers[each].ops.end());
        return ops;
    }
    static std::vector<bool> free_layers(const std::vector<size_t>& taken) {
        std::vector<bool> free(taken.size());
        std::transform(taken.begin(), taken.end(), free.begin(), [](size_t each) { return each == kNone; });
        return free;
    }
    void unrolled() {
        for (LayerGroup& group :
             unrolled_layers({base_, free_layers(of_base_)}, {next_, free_layers(of_next_)}, keys_.shapes,
                             keys_.dtypes)) {
            for (const size_t each : group.base)
                of_base_[each] = kTaken;
            for (const size_t each : group.next)
                of_next_[each] = kTaken;
            pair_ops(ops_of(base_, group.base), ops_of(next_, group.next), Apart::kNo);
            const size_t first = group.base[0];
            layer_groups_.emplace(first, std::move(group));
        }
    }

    void moved_layers() {
        std::vector<size_t> base, next;
        for (size_t i = 0; i < of_base_.size(); ++i)
            if (of_base_[i] == kNone && held_before_.exact[i] != kNothing) base.push_back(i);
        for (size_t i = 0; i < of_next_.size(); ++i)
            if (of_next_[i] == kNone && held_after_.exact[i] != kNothing) next.push_back(i);
        const auto a = keys(base, [this](size_t i) { return held_before_.exact[i]; });
        const auto b = keys(next, [this](size_t i) { return held_after_.exact[i]; });
        // Parents come before their children: these find theirs with them.
        for (const auto& [i, j] : in_turn(a, b)) {
            if (of_base_[base[i]] != kNone || of_next_[next[j]] != kNone) continue;
            pair_layers(base[i], next[j]);
            settle();
        }
    }

    static std::vector<size_t> all_of(const WorkTree& tree) {
        std::vector<size_t> all(tree.ops.size());
        std::iota(all.begin(), all.end(), size_t{0});
        return all;
    }

    // Of a list of ops those that are still free. Where one side did not record what tells some apart, these
    // are one op there, and here, too.
    Units units(const Names& names, const std::vector<size_t>& ops, const std::vector<size_t>& taken,
                Apart apart_if_told) const {
        const bool apart = apart_if_told == Apart::kIfTold && keys_.shapes && keys_.dtypes &&
                           !out_.without_layers;  // both sides tell the same
        absl::flat_hash_map<uint64_t, size_t> places;
        Units made;
        for (const size_t op : ops) {
            if (taken[op] != kNone) continue;
            const auto [found, is_new] = places.try_emplace(names.of(op, keys_), made.size());
            if (is_new || apart)
                made.push_back({op});
            else
                made[found->second].push_back(op);
        }
        return made;
    }

    void pair(const Unit& base, const Unit& next) {
        for (const size_t each : base)
            op_of_base_[each] = kTaken;
        for (const size_t each : next)
            op_of_next_[each] = kTaken;
        // The first ones stand for all, also as what other ops lie between.
        op_of_base_[base.front()] = next.front();
        op_of_next_[next.front()] = base.front();
        if (base.size() + next.size() > 2) groups_.emplace(base.front(), OpMatch{base, next, How::kPlace});
    }
    void leave_paired_out(Units& base, Units& next) const {
        std::erase_if(base, [this](const Unit& each) { return op_of_base_[each.front()] != kNone; });
        std::erase_if(next, [this](const Unit& each) { return op_of_next_[each.front()] != kNone; });
    }
    static std::vector<uint64_t> hashes(const Names& names, const Units& units, Keys keys) {
        std::vector<uint64_t> all;
        for (const Unit& each : units)
            all.push_back(names.of(each.front(), keys));
        return all;
    }
    void pair_units(Units& base, Units& next, Keys keys) {
        for (const auto& [i, j] :
             in_turn(hashes(names_before_, base, keys), hashes(names_after_, next, keys)))
            pair(base[i], next[j]);
        leave_paired_out(base, next);
    }

    // Ops of one name that have no shapes on one side: what was recorded of the other's tells none apart.
    void pair_unrecorded(Units& base, Units& next) {
        struct Both {
            Unit base, next;
            bool told_before = false, told_after = false;
        };
        absl::flat_hash_map<uint64_t, size_t> places;
        std::vector<Both> names;
        const auto of = [&](uint64_t name) -> Both& {
            const auto [found, is_new] = places.try_emplace(name, names.size());
            if (is_new) names.emplace_back();
            return names[found->second];
        };
        for (const Unit& unit : base) {
            Both& both = of(names_before_.of(unit.front()));
            both.base.insert(both.base.end(), unit.begin(), unit.end());
            both.told_before |= is_recorded(base_.ops[unit.front()].shapes);
        }
        for (const Unit& unit : next) {
            Both& both = of(names_after_.of(unit.front()));
            both.next.insert(both.next.end(), unit.begin(), unit.end());
            both.told_after |= is_recorded(next_.ops[unit.front()].shapes);
        }
        for (const Both& each : names)
            if (each.told_before != each.told_after && !each.base.empty() && !each.next.empty())
                pair(each.base, each.next);
        leave_paired_out(base, next);
    }

    void pair_ops(const std::vector<size_t>& base, const std::vector<size_t>& next,
                  Apart apart = Apart::kIfTold) {
        Units left = units(names_before_, base, op_of_base_, apart),
              right = units(names_after_, next, op_of_next_, apart);
        pair_units(left, right, keys_);
        pair_units(left, right, {keys_.shapes, false});
        pair_unrecorded(left, right);
        pair_units(left, right, {false, keys_.dtypes});
        pair_units(left, right, {});
    }
    void moved_ops() {
        Units left, right;
        for (const size_t op : all_of(base_))
            if (op_of_base_[op] == kNone) left.push_back({op});
        for (const size_t op : all_of(next_))
            if (op_of_next_[op] == kNone) right.push_back({op});
        pair_units(left, right, keys_);
    }

    How how_of(size_t base, size_t next) const {
        if (base == 0 || next == 0) return How::kPlace;
        if (of_base_[base_.layers[base].parent] != next_.layers[next].parent) return How::kMoved;
        return base_.layers[base].name == next_.layers[next].name ? How::kPlace : How::kRenamed;
    }

    How place_of(size_t base, size_t next) const {
        const bool same = of_base_[base_.ops[base].layer] == next_.ops[next].layer;
        return same || out_.without_layers ? How::kPlace : How::kMoved;
    }

    static LayerMatch match_of(const LayerGroup& group) {
        return {group.base[0],
                group.next[0],
                How::kUnrolled,
                {group.base.begin() + 1, group.base.end()},
                {group.next.begin() + 1, group.next.end()}};
    }

    void collect() {
        for (size_t i = 0; i < of_base_.size(); ++i) {
            const size_t next = of_base_[i];
            if (const auto group = layer_groups_.find(i); group != layer_groups_.end())
                out_.layers.push_back(match_of(group->second));
            else if (next != kTaken)
                out_.layers.push_back(next == kNone ? LayerMatch{i, {}, How::kAlone}
                                                    : LayerMatch{i, next, how_of(i, next)});
        }
        for (size_t i = 0; i < of_next_.size(); ++i)
            if (of_next_[i] == kNone) out_.layers.push_back({{}, i, How::kAlone});
        for (size_t i = 0; i < op_of_base_.size(); ++i) {
            const size_t next = op_of_base_[i];
            if (const auto group = groups_.find(i); group != groups_.end())
                out_.ops.push_back(std::move(group->second));
            else if (next == kNone)
                out_.ops.push_back({{i}, {}, How::kAlone});
            else if (next != kTaken)
                out_.ops.push_back({{i}, {next}, place_of(i, next)});
        }
        for (size_t i = 0; i < op_of_next_.size(); ++i)
            if (op_of_next_[i] == kNone) out_.ops.push_back({{}, {i}, How::kAlone});
    }

    // Between ops that stand in both in the same order: what only one has is replaced by what only the other
    // has, within a direction.
    void replaced(const std::vector<size_t>& base, const std::vector<size_t>& next) {
        absl::flat_hash_map<size_t, size_t> place;
        for (size_t j = 0; j < next.size(); ++j)
            place.emplace(next[j], j);
        std::vector<uint64_t> a, b;  // equal for those that are matched within these layers
        for (const size_t each : base)
            a.push_back(place.contains(op_of_base_[each]) ? 2 * op_of_base_[each] : 2 * each + 1);
        for (const size_t each : next)
            b.push_back(op_of_next_[each] == kNone ? 2 * (each + base_.ops.size()) + 1 : 2 * each);
        Pairs anchors = in_order(a, b);
        anchors.emplace_back(base.size(), next.size());
        size_t i = 0, j = 0;
        for (const auto& [to_i, to_j] : anchors) {
            replace_in(std::span(base).subspan(i, to_i - i), std::span(next).subspan(j, to_j - j));
            i = to_i + 1;
            j = to_j + 1;
        }
    }
    void replace_in(std::span<const size_t> base, std::span<const size_t> next) {
        std::vector<std::string_view> directions;
        for (const size_t each : base)
            if (std::find(directions.begin(), directions.end(), base_.ops[each].direction) ==
                directions.end())
                directions.push_back(base_.ops[each].direction);
        for (const std::string_view direction : directions) {
            OpMatch match{{}, {}, How::kReplaced};
            for (const size_t each : base)
                if (op_of_base_[each] == kNone && base_.ops[each].direction == direction)
                    match.base.push_back(each);
            for (const size_t each : next)
                if (op_of_next_[each] == kNone && next_.ops[each].direction == direction)
                    match.next.push_back(each);
            if (match.base.empty() || match.next.empty()) continue;
            for (const size_t each : match.base)
                op_of_base_[each] = kTaken;
            for (const size_t each : match.next)
                op_of_next_[each] = kTaken;
            out_.ops.push_back(std::move(match));
        }
    }

    static constexpr size_t kTaken = kNone - 1;  // by a match of several ops

    const WorkTree &base_, &next_;
    Recorded before_, after_;
    Keys keys_;  // what both sides recorded, or neither
    Names names_before_, names_after_;
    Contents held_before_, held_after_;
    std::vector<size_t> of_base_, of_next_, op_of_base_, op_of_next_;
    Pairs open_;
    absl::flat_hash_map<size_t, OpMatch> groups_;  // of more than one op on a side, by the base's first
    absl::flat_hash_map<size_t, LayerGroup> layer_groups_;  // by the base's first
    Alignment out_;
};

}  // namespace

std::vector<std::pair<size_t, size_t>> in_order(std::span<const uint64_t> base,
                                                std::span<const uint64_t> next) {
    const Pairs pairs = in_turn(base, next);
    // The longest run of pairs whose second places rise: `ends` has, for each length, the pair with the
    // least.
    std::vector<size_t> ends, before(pairs.size(), kNone);
    for (size_t i = 0; i < pairs.size(); ++i) {
        const auto at =
            std::lower_bound(ends.begin(), ends.end(), pairs[i].second,
                             [&pairs](size_t end, size_t place) { return pairs[end].second < place; });
        if (at != ends.begin()) before[i] = *(at - 1);
        if (at == ends.end())
            ends.push_back(i);
        else
            *at = i;
    }
    Pairs chosen;
    for (size_t i = ends.empty() ? kNone : ends.back(); i != kNone; i = before[i])
        chosen.push_back(pairs[i]);
    std::reverse(chosen.begin(), chosen.end());
    return chosen;
}

Alignment align(const WorkTree& base, const WorkTree& next) {
    return Aligner(base, next).align();
}

}  // namespace opsight::query
