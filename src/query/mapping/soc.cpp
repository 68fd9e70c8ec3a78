#include "query/mapping/soc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "query/mapping/network_tables.h"

namespace opsight::query {
namespace {

constexpr size_t kMostTasks = 20'000;
constexpr double kNsPerS = 1e9;

class SocGraph {
  public:
    SocGraph(const ModelGraph& graph, SocMapping& soc) : graph_(graph), soc_(soc) {}

    Status build() {
        const size_t engines = soc_.machine.engines.size();
        for (map::TaskGraph* each : {&soc_.time, &soc_.energy})
            each->engines = engines;
        for (const LinkOfSoc& link : soc_.machine.links) {
            soc_.time.links.push_back({link.latency_s, link.bytes_per_s > 0 ? 1 / link.bytes_per_s : 0});
            soc_.energy.links.push_back({0, link.pj_per_byte});
        }
        add_on_host("inputs", {});
        for (const TensorId input : graph_.inputs)
            make(input, 0, 1);
        for (const ModelNode& node : graph_.nodes)
            if (!node.folded) OPSIGHT_TRY(add(node));
        std::vector<size_t> outputs;
        for (const TensorId output : graph_.outputs)
            read(output, outputs);
        add_on_host("outputs", outputs);
        if (unknown_ > 0)
            soc_.notes.push_back(fmt::format(
                "The sizes of {} tensors are not known; their transfers are not counted.", unknown_));
        return {};
    }

  private:
    void add_task(SocTask task, std::vector<double> seconds, std::vector<double> pj,
                  const std::vector<size_t>& reads) {
        soc_.tasks.push_back(std::move(task));
        soc_.time.tasks.push_back({std::move(seconds), reads});
        soc_.energy.tasks.push_back({std::move(pj), reads});
    }

    void add_on_host(const char* name, const std::vector<size_t>& reads) {
        std::vector<double> cost(soc_.machine.engines.size(), map::kCannotRun);
        cost[soc_.machine.host] = 0;
        add_task({name, "", false}, cost, cost, reads);
    }

    // Weights lie where they are needed.
    void read(TensorId id, std::vector<size_t>& reads) const {
        const auto found = values_.find(id);
        if (found == values_.end()) return;
        if (std::find(reads.begin(), reads.end(), found->second) == reads.end())
            reads.push_back(found->second);
    }

    void make(TensorId id, size_t task, int64_t times) {
        const ModelTensor* tensor = graph_.tensor(id);
        if (tensor == nullptr || tensor->constant || values_.contains(id)) return;
        if (!tensor->shape_known) ++unknown_;
        values_[id] = soc_.time.values.size();
        for (map::TaskGraph* each : {&soc_.time, &soc_.energy})
            each->values.push_back({task, tensor->shape_known ? static_cast<double>(tensor->bytes()) : 0,
                                    static_cast<double>(times)});
    }

    Status add(const ModelNode& node) {
        if (soc_.tasks.size() >= kMostTasks)
            return fail(fmt::format("the model has more than {} ops", kMostTasks), {}, {},
                        "export it without what is unrolled");
        const size_t engines = soc_.machine.engines.size();
        std::vector<double> seconds(engines), pj(engines);
        const auto runs = std::max<int64_t>(node.repeat, 1);
        SocTask task{node.name.empty() ? node.op_type : node.name, node.shown_type(), false};
        if (cost::op_work(graph_, node).kind == cost::WorkKind::kMatrix)
            for (const cost::LoopNest& nest : cost::loop_nests(graph_, node).nests)
                add_nest(nest, runs, task, seconds, pj);
        if (std::all_of(seconds.begin(), seconds.end(), [](double s) { return s == map::kCannotRun; }))
            return fail(fmt::format("no engine has a mapping for {}: {}", task.name, failure_), {}, {},
                        "give a larger --budget or --samples, or an engine with more room");
        std::vector<size_t> reads;
        for (const TensorId input : node.inputs)
            read(input, reads);
        const size_t number = soc_.tasks.size();
        add_task(std::move(task), std::move(seconds), std::move(pj), reads);
        for (const TensorId output : node.outputs)
            make(output, number, runs);
        return {};
    }

    void add_nest(cost::LoopNest nest, int64_t runs, SocTask& task, std::vector<double>& seconds,
                  std::vector<double>& pj) {
        const auto times = static_cast<double>(runs * nest.repeat);
        nest.part.clear();
        nest.repeat = 1;
        for (size_t i = 0; i < seconds.size(); ++i) {
            const EngineOfSoc& engine = soc_.machine.engines[i];
            const std::vector<NetworkLayer>& layers = engine.mapping.layers.layers;
            const auto layer = std::find_if(layers.begin(), layers.end(),
                                            [&](const auto& each) { return each.nest == nest; });
            if (layer == layers.end()) continue;
            task.has_layers = true;
            const LayerMapping& mapping =
                engine.mapping.mappings[static_cast<size_t>(layer - layers.begin())];
            if (!mapping.found) failure_ = engine.name + ": " + mapping.failure;
            seconds[i] += mapping.found ? times * static_cast<double>(mapping.found->evaluation.cycles) /
                                              engine.clock_hz
                                        : map::kCannotRun;
            pj[i] += mapping.found ? times * mapping.found->evaluation.energy_pj : map::kCannotRun;
        }
    }

    const ModelGraph& graph_;
    SocMapping& soc_;
    std::map<TensorId, size_t> values_;
    std::string failure_;
    int64_t unknown_ = 0;
};

// Empty where it is more than a cell can hold.
Cell soc_cell(double value) {
    constexpr double kMost = 9e18;
    return std::abs(value) < kMost ? Cell(static_cast<int64_t>(std::llround(value))) : Cell();
}

Cell ns_cell(double seconds) {
    return soc_cell(seconds * kNsPerS);
}

Cell pj_cell(double pj) {
    return std::isfinite(pj) ? Cell(pj) : Cell();
}

double transfers_cost(const map::TaskGraph& graph, const std::vector<size_t>& engine) {
    double cost = 0;
    for (const map::Transfer& each : map::transfers_of(graph, engine))
        cost += map::transfer_cost(graph, each.value, engine[graph.values[each.value].task], each.to);
    return cost;
}

}  // namespace

std::vector<size_t> SocMapping::all_on(size_t engine) const {
    std::vector<size_t> out(tasks.size(), engine);
    out.front() = out.back() = machine.host;
    return out;
}

namespace {

// What an engine cannot run, and why.
std::vector<std::string> failures_of(const EngineOfSoc& engine) {
    int64_t count = 0;
    std::string first;
    for (size_t i = 0; i < engine.mapping.mappings.size(); ++i)
        if (const LayerMapping& each = engine.mapping.mappings[i]; !each.found && count++ == 0)
            first = engine.mapping.layers.layers[i].name + ": " + each.failure;
    if (count == 0) return {};
    return {fmt::format("{} has no mapping for {} of {} unique layers; of {}.", engine.name, count,
                        engine.mapping.mappings.size(), first)};
}

}  // namespace

Result<SocMapping> map_soc(const ModelGraph& graph, MachineOfSoc machine, map::Objective objective) {
    SocMapping soc;
    soc.network = graph.name;
    soc.machine = std::move(machine);
    soc.objective = objective;
    OPSIGHT_TRY(SocGraph(graph, soc).build());
    OPSIGHT_ASSIGN(soc.assignment, map::assign(soc.goal()));
    int64_t proven = 0, found = 0;
    for (const EngineOfSoc& engine : soc.machine.engines)
        for (const LayerMapping& each : engine.mapping.mappings) {
            found += each.found ? 1 : 0;
            proven += each.found && each.found->proven ? 1 : 0;
        }
    soc.notes.push_back(fmt::format(
        "The assignment {}. {} of {} mappings are proven to be the least of their layer and engine.",
        soc.assignment.exact ? "is the least of all for these mappings"
                             : "is a heuristic: too many branches were open at once for a proof",
        proven, found));
    const bool weights_told = std::any_of(graph.tensors.begin(), graph.tensors.end(),
                                          [](const ModelTensor& each) { return each.parameter; });
    soc.notes.push_back(fmt::format(
        "Ops run one after another; {}; words within an engine are as wide as its own, transfers have the "
        "model's types.",
        weights_told
            ? "weights lie where they are needed"
            : "the model does not tell its weights from its inputs: all of them come from the host, which "
              "may cost more than it would"));
    for (const EngineOfSoc& engine : soc.machine.engines)
        for (std::string& each : failures_of(engine))
            soc.notes.push_back(std::move(each));
    if (!soc.machine.engines.front().mapping.layers.unmapped.empty())
        soc.notes.emplace_back(
            "Ops without a mapping cost nothing here, wherever they run: the totals are lower bounds of a "
            "run.");
    return soc;
}

ResultTable soc_layer_table(const SocMapping& soc) {
    ResultTable out{"map_soc_layers", "Layers"};
    out.columns = {{"layer", "Layer"},
                   {"op_type", "Op", Unit::kNone, 3},
                   {"engine", "Engine"},
                   {"time_ns", "Time (ns)", Unit::kNs},
                   {"energy_pj", "Energy (pJ)", Unit::kNone, 0, Role::kNumber},
                   {"transfer_bytes", "Comes From Others (bytes)", Unit::kBytes, 1},
                   {"transfer_ns", "Transfer (ns)", Unit::kNs, 1},
                   {"transfer_pj", "Transfer (pJ)", Unit::kNone, 2, Role::kNumber}};
    const bool delay = soc.objective == map::Objective::kDelay;
    for (const EngineOfSoc& engine : soc.machine.engines)
        out.columns.push_back({fmt::format("on_{}_{}", engine.name, delay ? "ns" : "pj"),
                               fmt::format("On {} ({})", engine.name, delay ? "ns" : "pJ"),
                               delay ? Unit::kNs : Unit::kNone, 0, delay ? Role::kValue : Role::kNumber});
    const std::vector<size_t>& at = soc.assignment.engine;
    std::vector<double> bytes(soc.tasks.size()), seconds(soc.tasks.size()), pj(soc.tasks.size());
    for (const map::Transfer& each : map::transfers_of(soc.time, at)) {
        const map::TaskValue& value = soc.time.values[each.value];
        bytes[each.task] += value.bytes * value.times;
        seconds[each.task] += map::transfer_cost(soc.time, each.value, at[value.task], each.to);
        pj[each.task] += map::transfer_cost(soc.energy, each.value, at[value.task], each.to);
    }
    for (size_t i = 0; i < soc.tasks.size(); ++i) {
        if (!soc.tasks[i].has_layers && seconds[i] == 0 && pj[i] == 0) continue;
        std::vector<Cell> row = {soc.tasks[i].name,
                                 soc.tasks[i].op_type,
                                 soc.machine.engines[at[i]].name,
                                 ns_cell(soc.time.tasks[i].cost[at[i]]),
                                 pj_cell(soc.energy.tasks[i].cost[at[i]]),
                                 soc_cell(bytes[i]),
                                 ns_cell(seconds[i]),
                                 pj_cell(pj[i])};
        for (const double cost : soc.goal().tasks[i].cost)
            row.push_back(!soc.tasks[i].has_layers ? Cell() : delay ? ns_cell(cost) : pj_cell(cost));
        out.rows.push_back(std::move(row));
    }
    return out;
}

ResultTable soc_total_table(const SocMapping& soc) {
    ResultTable out{"map_soc_totals", soc.network + " on " + soc.machine.name};
    out.columns = {{"assignment", "Assignment"},
                   {"time_ns", "Time (ns)", Unit::kNs},
                   {"transfer_ns", "Of It Transfers (ns)", Unit::kNs},
                   {"energy_pj", "Energy (pJ)", Unit::kNone, 0, Role::kNumber},
                   {"transfer_pj", "Of It Transfers (pJ)", Unit::kNone, 0, Role::kNumber}};
    const auto add = [&](const std::string& name, const std::vector<size_t>& engine) {
        const double seconds = map::cost_of(soc.time, engine), pj = map::cost_of(soc.energy, engine);
        const bool runs = std::isfinite(seconds);
        out.rows.push_back({name, ns_cell(seconds), runs ? ns_cell(transfers_cost(soc.time, engine)) : Cell(),
                            pj_cell(pj), runs ? pj_cell(transfers_cost(soc.energy, engine)) : Cell()});
    };
    add(fmt::format("least {}", name_of(soc.objective)), soc.assignment.engine);
    for (size_t i = 0; i < soc.machine.engines.size(); ++i)
        add("all on " + soc.machine.engines[i].name, soc.all_on(i));
    return out;
}

ResultTable soc_unmapped_table(const SocMapping& soc) {
    // Those of one engine alone are shown by their empty cells.
    NetworkMapping none;
    none.layers = soc.machine.engines.front().mapping.layers;
    none.layers.layers.clear();
    return network_unmapped_table(none);
}

}  // namespace opsight::query
