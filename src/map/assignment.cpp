#include "map/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

namespace opsight::map {
namespace {

// How a state came about: the state before it, and where the last task runs.
struct Step {
    uint32_t before = 0;
    uint8_t engine = 0;
};

// Two bytes for each open value: the engine that made it, and a bit for each engine that has it.
struct OpenState {
    std::string places;
    double cost = 0;
};

class Assigner {
  public:
    Assigner(const TaskGraph& graph, size_t most_states) : graph_(graph), most_(most_states) {}

    Result<Assignment> run() {
        find_ends();
        states_.emplace_back();
        for (size_t task = 0; task < graph_.tasks.size(); ++task) {
            advance(task);
            if (states_.empty())
                return fail(fmt::format("no engine can run task {}", task), {}, {},
                            "give the machine an engine that can");
        }
        return best();
    }

  private:
    void find_ends() {
        last_.assign(graph_.values.size(), 0);
        made_.resize(graph_.tasks.size());
        std::vector<bool> read(graph_.values.size());
        for (size_t task = 0; task < graph_.tasks.size(); ++task)
            for (const size_t value : graph_.tasks[task].reads) {
                last_[value] = task;
                read[value] = true;
            }
        for (size_t value = 0; value < graph_.values.size(); ++value)
            if (read[value]) made_[graph_.values[value].task].push_back(value);
    }

    // The state after `task` ran on `engine`, without what nobody reads any more.
    OpenState after(const OpenState& state, size_t task, size_t engine) const {
        OpenState next{{}, state.cost + graph_.tasks[task].cost[engine]};
        const std::vector<size_t>& reads = graph_.tasks[task].reads;
        for (size_t i = 0; i < open_.size(); ++i) {
            const auto from = static_cast<uint8_t>(state.places[2 * i]);
            auto has = static_cast<uint8_t>(state.places[2 * i + 1]);
            if (std::find(reads.begin(), reads.end(), open_[i]) != reads.end() &&
                ((has >> engine) & 1) == 0) {
                next.cost += transfer_cost(graph_, open_[i], from, engine);
                has = static_cast<uint8_t>(has | (1U << engine));
            }
            if (last_[open_[i]] <= task) continue;
            next.places += static_cast<char>(from);
            next.places += static_cast<char>(has);
        }
        for (size_t i = 0; i < made_[task].size(); ++i) {
            next.places += static_cast<char>(engine);
            next.places += static_cast<char>(1U << engine);
        }
        return next;
    }

    void advance(size_t task) {
        std::unordered_map<std::string, size_t> known;
        std::vector<OpenState> next;
        std::vector<Step> steps;
        for (size_t before = 0; before < states_.size(); ++before)
            for (size_t engine = 0; engine < graph_.engines; ++engine) {
                if (graph_.tasks[task].cost[engine] == kCannotRun) continue;
                OpenState state = after(states_[before], task, engine);
                const Step step{static_cast<uint32_t>(before), static_cast<uint8_t>(engine)};
                const auto [place, first] = known.try_emplace(state.places, next.size());
                if (first) {
                    next.push_back(std::move(state));
                    steps.push_back(step);
                } else if (state.cost < next[place->second].cost) {
                    next[place->second].cost = state.cost;
                    steps[place->second] = step;
                }
            }
        keep_cheapest(next, steps);
        states_ = std::move(next);
        steps_.push_back(std::move(steps));
        std::erase_if(open_, [&](size_t value) { return last_[value] <= task; });
        open_.insert(open_.end(), made_[task].begin(), made_[task].end());
    }

    // So many that time and memory stay linear in the tasks, whatever lies open and however many there are.
    size_t most_now(const std::vector<OpenState>& states) const {
        constexpr size_t kMostSteps = size_t{1} << 25, kUsualOpen = 32;
        const size_t open = states.empty() ? 0 : states.front().places.size() / 2;
        const size_t by_memory = std::max<size_t>(64, kMostSteps / graph_.tasks.size());
        return std::clamp<size_t>(most_ * kUsualOpen / std::max<size_t>(1, open), 1,
                                  std::min(most_, by_memory));
    }

    void keep_cheapest(std::vector<OpenState>& states, std::vector<Step>& steps) {
        const size_t most = most_now(states);
        if (states.size() <= most) return;
        exact_ = false;
        std::vector<size_t> order(states.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](size_t a, size_t b) { return states[a].cost < states[b].cost; });
        std::vector<OpenState> kept;
        std::vector<Step> kept_steps;
        for (size_t i = 0; i < most; ++i) {
            kept.push_back(std::move(states[order[i]]));
            kept_steps.push_back(steps[order[i]]);
        }
        states = std::move(kept);
        steps = std::move(kept_steps);
    }

    Assignment best() const {
        size_t at = 0;
        for (size_t i = 1; i < states_.size(); ++i)
            if (states_[i].cost < states_[at].cost) at = i;
        Assignment out{std::vector<size_t>(graph_.tasks.size()), states_[at].cost, exact_};
        for (size_t task = graph_.tasks.size(); task-- > 0;) {
            out.engine[task] = steps_[task][at].engine;
            at = steps_[task][at].before;
        }
        return out;
    }

    const TaskGraph& graph_;
    size_t most_;
    bool exact_ = true;
    std::vector<size_t> last_, open_;        // the task that reads a value last; values that are open
    std::vector<std::vector<size_t>> made_;  // of each task, what others read
    std::vector<OpenState> states_;
    std::vector<std::vector<Step>> steps_;
};

Status check_graph(const TaskGraph& graph) {
    if (graph.engines == 0 || graph.engines > kMostEngines)
        return fail(fmt::format("{} engines are not 1 to {}", graph.engines, kMostEngines));
    if (graph.links.size() != graph.engines * graph.engines) return fail("a link is missing");
    for (size_t task = 0; task < graph.tasks.size(); ++task) {
        if (graph.tasks[task].cost.size() != graph.engines) return fail("a task has no cost on an engine");
        for (const size_t value : graph.tasks[task].reads)
            if (value >= graph.values.size() || graph.values[value].task >= task)
                return fail(fmt::format("task {} reads what no earlier one made", task));
    }
    return {};
}

}  // namespace

std::vector<Transfer> transfers_of(const TaskGraph& graph, const std::vector<size_t>& engine) {
    std::vector<Transfer> out;
    std::vector<uint32_t> has(graph.values.size());
    for (size_t value = 0; value < has.size(); ++value)
        has[value] = 1U << engine[graph.values[value].task];
    for (size_t task = 0; task < graph.tasks.size(); ++task)
        for (const size_t value : graph.tasks[task].reads) {
            if (((has[value] >> engine[task]) & 1U) != 0) continue;
            has[value] |= 1U << engine[task];
            out.push_back({value, engine[task], task});
        }
    return out;
}

double transfer_cost(const TaskGraph& graph, size_t value, size_t from, size_t to) {
    const TransferCost& link = graph.links[from * graph.engines + to];
    return graph.values[value].times * (link.each + link.per_byte * graph.values[value].bytes);
}

double cost_of(const TaskGraph& graph, const std::vector<size_t>& engine) {
    double cost = 0;
    for (size_t task = 0; task < graph.tasks.size(); ++task)
        cost += graph.tasks[task].cost[engine[task]];
    for (const Transfer& each : transfers_of(graph, engine))
        cost += transfer_cost(graph, each.value, engine[graph.values[each.value].task], each.to);
    return cost;
}

Result<Assignment> assign(const TaskGraph& graph, size_t most_states) {
    OPSIGHT_TRY(check_graph(graph));
    return Assigner(graph, std::max<size_t>(most_states, 1)).run();
}

}  // namespace opsight::map
