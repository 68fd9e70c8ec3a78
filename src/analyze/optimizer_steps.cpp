#include "analyze/optimizer_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace opsight::analyze {
namespace {

constexpr size_t kLongestCycle = 512;
constexpr double kRegular = 0.9;   // of the updates come again one cycle later
constexpr double kCompared = 0.5;  // of the updates a cycle has to speak of
constexpr size_t kFewCycles = 4;
// Of optimizers that look alike so many may step for a batch.
constexpr size_t kMostTwins = 4;
constexpr double kDisagreement = 0.6, kGuess = 0.5, kWithoutBatches = 0.9;

// Steps without new gradients in between.
struct Update {
    IterationCandidate last;
    uint32_t who = 0;        // equal ones have equal optimizers
    bool new_batch = false;  // one was loaded since the update before
};

// What tells one optimizer from another.
enum class By { kNumber, kNameAndOps, kName };

std::vector<Update> updates_of(const OptimizerStep* begin, const OptimizerStep* end, By by) {
    const bool gradients_seen =
        std::any_of(begin, end, [](const OptimizerStep& step) { return step.after_gradients; });
    using Optimizer = std::pair<uint64_t, uint32_t>;
    const auto optimizer_of = [&](const OptimizerStep& step) {
        return Optimizer{step.optimizer, by == By::kNameAndOps ? step.ops : 0};
    };
    std::map<std::vector<Optimizer>, uint32_t> known;
    std::vector<Update> result;
    for (const OptimizerStep* at = begin; at != end;) {
        std::vector<Optimizer> optimizers;
        const OptimizerStep* last = at;
        do {
            optimizers.push_back(optimizer_of(*at));
            last = at++;
        } while (at != end && gradients_seen && !at->after_gradients &&
                 !(by == By::kNumber &&
                   std::find(optimizers.begin(), optimizers.end(), optimizer_of(*at)) != optimizers.end()));
        const auto who =
            known.try_emplace(std::move(optimizers), static_cast<uint32_t>(known.size())).first->second;
        result.push_back({last->span, who, false});
    }
    return result;
}

void mark_batches(std::vector<Update>& updates, const std::vector<IterationCandidate>& loads) {
    const auto before = [](const IterationCandidate& load, const IterationCandidate& step) {
        return load.rank != step.rank ? load.rank < step.rank : load.begin < step.end;
    };
    for (size_t i = 1; i < updates.size(); ++i) {
        const IterationCandidate& step = updates[i - 1].last;
        const auto load = std::lower_bound(loads.begin(), loads.end(), step, before);
        updates[i].new_batch =
            load != loads.end() && load->rank == step.rank && load->begin <= updates[i].last.begin;
    }
}

struct Seen {
    size_t count = 0, first = 0;
};

// After how many updates the same ones come again, and what share of those does that come more than once.
std::pair<size_t, double> cycle_length(const std::vector<Update>& updates,
                                       const std::map<uint32_t, Seen>& seen) {
    std::vector<bool> again;
    for (const Update& update : updates)
        again.push_back(seen.at(update.who).count > 1);
    constexpr double kBetter = 0.005;
    size_t best = 1;
    double most = -1;
    for (size_t length = 1; length <= std::min(kLongestCycle, updates.size() / 2); ++length) {
        size_t same = 0, pairs = 0;
        for (size_t i = length; i < updates.size(); ++i) {
            pairs += again[i] && again[i - length];
            same += updates[i].who == updates[i - length].who;
        }
        if (static_cast<double>(pairs) < kCompared * static_cast<double>(updates.size() - length)) continue;
        const double share = pairs ? static_cast<double>(same) / static_cast<double>(pairs) : 0;
        if (share <= most + kBetter) continue;
        most = share;
        best = length;
    }
    return {best, most};
}

// Where the same ones come again, by position: true for each update that ends an iteration.
struct Cycles {
    std::vector<bool> ends;
    size_t length = 1;
    bool regular = true;
};

// Each update that is not the last before one that came already in the same iteration goes on with it.
std::vector<bool> until_seen_again(const std::vector<Update>& updates) {
    std::vector<bool> ends(updates.size(), false);
    std::map<uint32_t, bool> seen;
    for (size_t i = 0; i < updates.size(); ++i) {
        if (!seen.emplace(updates[i].who, true).second) {
            ends[i - 1] = true;
            seen = {{updates[i].who, true}};
        }
    }
    if (!ends.empty()) ends.back() = true;
    return ends;
}

// Whether all but a few of the iterations begin with the same update and have equally many.
bool are_even(const std::vector<Update>& updates, const std::vector<bool>& ends) {
    std::map<std::pair<uint32_t, size_t>, size_t> counts;  // by the first one and the number of updates
    size_t cycles = 0, first = 0, most = 0;
    for (size_t i = 0; i < updates.size(); ++i) {
        if (!ends[i]) continue;
        ++cycles;
        if (i > first) most = std::max(most, ++counts[{updates[first].who, i - first}]);
        first = i + 1;
    }
    return most >= kFewCycles && static_cast<double>(most) >= kRegular * static_cast<double>(cycles);
}

// How often one that is not the same follows, and one.
size_t runs(const std::vector<Update>& updates) {
    size_t count = 1;
    for (size_t i = 1; i < updates.size(); ++i)
        count += updates[i].who != updates[i - 1].who;
    return count;
}

Cycles find_cycles(const std::vector<Update>& updates) {
    std::map<uint32_t, Seen> seen;
    for (size_t i = 0; i < updates.size(); ++i)
        ++seen.try_emplace(updates[i].who, Seen{0, i}).first->second.count;
    Cycles result;
    if (seen.size() == 1) {
        result.ends.assign(updates.size(), true);
        return result;
    }
    // Each has its time and never comes again: no turns, but phases.
    const bool phases = updates.size() > seen.size() && runs(updates) == seen.size();
    if (phases) {
        result.ends.assign(updates.size(), true);
        return result;
    }
    const auto [length, share] = cycle_length(updates, seen);
    result.length = length;
    result.regular = share >= kRegular;
    if (length == 1 && result.regular) {  // one after the other, as in phases
        result.ends.assign(updates.size(), true);
        return result;
    }
    // What comes in a few cycles only, as the first steps of some optimizers do, closes none.
    const double cycles = static_cast<double>(updates.size()) / static_cast<double>(length);
    const Seen* closing = nullptr;
    uint32_t who = 0;
    for (const auto& [update, found] : seen) {
        if (static_cast<double>(found.count) < 0.6 * cycles) continue;
        if (closing &&
            (found.count != closing->count ? found.count > closing->count : found.first < closing->first))
            continue;
        closing = &found;
        who = update;
    }
    const bool once = closing && static_cast<double>(closing->count) < 1.5 * cycles;
    if (!result.regular || !once) {
        result.ends = until_seen_again(updates);
        result.regular = are_even(updates, result.ends);
        return result;
    }
    for (size_t i = 0; i < updates.size(); ++i)
        result.ends.push_back(updates[i].who == who);
    // The first of all may look different: optimizers make their state then.
    for (size_t i = 0; i < length && i + length < updates.size() && !result.ends[i]; ++i)
        if (result.ends[i + length] && updates[i].who != updates[i + length].who) result.ends[i] = true;
    return result;
}

// Each update before a new batch, and the last.
std::vector<bool> before_batches(const std::vector<Update>& updates) {
    std::vector<bool> ends(updates.size(), true);
    for (size_t i = 0; i + 1 < updates.size(); ++i)
        ends[i] = updates[i + 1].new_batch;
    return ends;
}

size_t count(const std::vector<bool>& ends) {
    return static_cast<size_t>(std::count(ends.begin(), ends.end(), true));
}

// The most usual number of updates for a batch.
size_t updates_per_batch(const std::vector<bool>& ends) {
    std::map<size_t, size_t> counts;
    size_t since = 0;
    for (const bool ended : ends) {
        ++since;
        if (ended) {
            ++counts[since];
            since = 0;
        }
    }
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

struct Choice {
    std::vector<bool> ends;
    double confidence = 1;
    std::string doubt;
};

bool about_equal(size_t a, size_t b) {
    return std::max(a, b) - std::min(a, b) <= 1 + std::max(a, b) / 20;
}

Choice choose(const std::vector<Update>& updates, const Cycles& cycles, bool told_apart) {
    const std::vector<bool> batches = before_batches(updates);
    const size_t by_cycle = count(cycles.ends), by_batch = count(batches);
    if (by_batch < 2) {  // no batches, or all at once
        if (!cycles.regular) return {cycles.ends, kGuess, "the optimizers take turns without an order"};
        return {cycles.ends, cycles.length > 1 ? kWithoutBatches : 1, {}};
    }
    const size_t longest = cycles.length == 1 && !told_apart ? kMostTwins : cycles.length;
    const bool by_batches = !cycles.regular || updates_per_batch(batches) <= longest;
    Choice choice{by_batches ? batches : cycles.ends, 1, {}};
    // Where nothing tells the optimizers apart, several steps for a batch are not disagreement.
    const bool twins = by_batches && cycles.length == 1 && !told_apart && updates.size() % by_batch == 0;
    if (about_equal(by_cycle, by_batch) || twins) return choice;
    choice.confidence = kDisagreement;
    choice.doubt = fmt::format("{} by the optimizers' turns, {} by the batches", by_cycle, by_batch);
    return choice;
}

bool earlier(const IterationCandidate& a, const IterationCandidate& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.begin < b.begin;
}

}  // namespace

std::vector<OptimizerStep> outermost_steps(std::vector<OptimizerStep> steps) {
    std::stable_sort(steps.begin(), steps.end(),
                     [](const OptimizerStep& a, const OptimizerStep& b) { return earlier(a.span, b.span); });
    std::vector<OptimizerStep> result;
    for (OptimizerStep& step : steps)
        if (result.empty() || result.back().span.rank != step.span.rank ||
            step.span.begin >= result.back().span.end)
            result.push_back(step);
    return result;
}

bool threads_train_beside(const std::vector<OptimizerStep>& steps) {
    struct OfThread {
        int64_t second = std::numeric_limits<int64_t>::max(), first = second, last = 0;
        void take(int64_t time) {
            last = std::max(last, time);
            if (time < first) std::swap(time, first);
            second = std::min(second, time);
        }
    };
    std::map<std::pair<RankId, TrackId>, OfThread> threads;
    for (const OptimizerStep& step : steps)
        threads[{step.span.rank, step.thread}].take(step.span.begin);
    // From its first step to its last, each with two at least: where two such times of a rank meet.
    std::map<RankId, std::vector<std::pair<int64_t, int64_t>>> times;
    for (const auto& [key, thread] : threads)
        if (thread.second < std::numeric_limits<int64_t>::max())
            times[key.first].emplace_back(thread.first, thread.last);
    return std::any_of(times.begin(), times.end(), [](auto& of_rank) {
        auto& spans = of_rank.second;
        std::sort(spans.begin(), spans.end());
        return std::adjacent_find(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
                   return b.first < a.second;
               }) != spans.end();
    });
}

void note_gradients(std::vector<OptimizerStep>& steps, RankId rank, int64_t time) {
    const IterationCandidate at{rank, time, time, {}};
    const auto next = std::upper_bound(
        steps.begin(), steps.end(), at,
        [](const IterationCandidate& a, const OptimizerStep& b) { return earlier(a, b.span); });
    if (next != steps.end() && next->span.rank == rank) next->after_gradients = true;
}

StepCycles cycles_of_steps(const std::vector<OptimizerStep>& steps, std::vector<IterationCandidate> loads,
                           bool told_apart) {
    std::stable_sort(loads.begin(), loads.end(), earlier);
    StepCycles result;
    for (size_t first = 0; first < steps.size();) {
        size_t last = first;
        while (last < steps.size() && steps[last].span.rank == steps[first].span.rank &&
               steps[last].process == steps[first].process)
            ++last;
        const OptimizerStep *begin = &steps[first], *end = steps.data() + last;
        std::vector<Update> updates = updates_of(begin, end, told_apart ? By::kNumber : By::kNameAndOps);
        Cycles cycles = find_cycles(updates);
        // One optimizer may do more or less from step to step: experts without gradients.
        const bool by_name = !told_apart && !cycles.regular;
        if (by_name) {
            updates = updates_of(begin, end, By::kName);
            cycles = find_cycles(updates);
        }
        mark_batches(updates, loads);
        Choice choice = choose(updates, cycles, told_apart);
        if (by_name) choice.confidence = std::min(choice.confidence, kWithoutBatches);
        for (size_t i = 0; i < updates.size(); ++i)
            if (choice.ends[i]) result.ends.push_back(updates[i].last);
        if (choice.confidence < result.confidence) {
            result.confidence = choice.confidence;
            result.doubt = choice.doubt;
        }
        first = last;
    }
    return result;
}

}  // namespace opsight::analyze
