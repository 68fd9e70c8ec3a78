#include "query/mapping/network_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace opsight::query {
namespace {

class Collector {
  public:
    explicit Collector(const ModelGraph& graph) : graph_(graph) {
        out_.name = graph.name;
        out_.format = graph.format;
        out_.notes = graph.notes;
    }

    NetworkLayers collect() {
        for (const ModelNode& node : graph_.nodes) {
            if (node.folded) continue;
            const cost::OpWork work = cost::op_work(graph_, node);
            if (work.kind == cost::WorkKind::kMatrix)
                add_products(node, work);
            else if (work.kind != cost::WorkKind::kFree)
                leave(node, work, reason_of(work));
        }
        if (causal_) out_.notes.emplace_back("Causal attention is mapped with what its mask hides.");
        return std::move(out_);
    }

  private:
    static const char* reason_of(const cost::OpWork& work) {
        if (work.kind == cost::WorkKind::kUncounted) return "its work is not known";
        return work.kind == cost::WorkKind::kMove ? "it moves data only" : "it has no multiply-adds to map";
    }

    void add_products(const ModelNode& node, const cost::OpWork& work) {
        const cost::OpLoopNests nests = cost::loop_nests(graph_, node);
        if (nests.nests.empty()) return leave(node, work, nests.reason);
        causal_ = causal_ || node.integer("is_causal", node.integer("unidirectional", 0)) != 0;
        for (const cost::LoopNest& nest : nests.nests)
            add(node, nest);
    }

    void add(const ModelNode& node, cost::LoopNest nest) {
        const int64_t runs = nest.repeat * std::max<int64_t>(node.repeat, 1);
        const std::string part = std::exchange(nest.part, {});
        nest.repeat = 1;
        const auto same = std::find_if(out_.layers.begin(), out_.layers.end(),
                                       [&](const NetworkLayer& layer) { return layer.nest == nest; });
        auto at = static_cast<size_t>(same - out_.layers.begin());
        if (same == out_.layers.end()) {
            std::string name =
                node.name.empty() ? node.outputs.empty() ? node.op_type : output_of(node) : node.name;
            if (!part.empty()) name += ": " + part;
            out_.layers.push_back({name, node.shown_type(), nest, problem_of(nest, name), 0});
        }
        out_.layers[at].count += runs;
    }

    std::string output_of(const ModelNode& node) const {
        const ModelTensor* tensor = graph_.tensor(node.outputs[0]);
        return tensor && !tensor->name.empty() ? tensor->name : node.op_type;
    }

    void leave(const ModelNode& node, const cost::OpWork& work, const std::string& reason) {
        const auto [place, first] = places_.try_emplace({node.shown_type(), reason}, out_.unmapped.size());
        if (first) out_.unmapped.push_back({node.name, node.shown_type(), reason});
        UnmappedOps& ops = out_.unmapped[place->second];
        const auto runs = std::max<int64_t>(node.repeat, 1);
        ops.count += runs;
        ops.macs += work.macs * static_cast<double>(runs);
        ops.flops += work.flops * static_cast<double>(runs);
        ops.known = ops.known && work.kind != cost::WorkKind::kUncounted;
    }

    const ModelGraph& graph_;
    NetworkLayers out_;
    std::map<std::pair<std::string, std::string>, size_t> places_;
    bool causal_ = false;
};

}  // namespace

bool NetworkLayers::keep_only(const std::string& layer) {
    const double all = macs() + unmapped_macs();
    std::erase_if(layers, [&](const NetworkLayer& each) { return each.name != layer; });
    if (layers.empty()) return false;
    only = layer;
    left_out_macs = all - macs();
    unmapped.clear();
    notes.push_back(
        fmt::format("All numbers are of the layer {} alone: the other layers are left out.", only));
    return true;
}

std::string NetworkLayers::title() const {
    return only.empty() ? name : fmt::format("layer {} alone of {}", only, name);
}

double NetworkLayers::macs() const {
    return std::accumulate(layers.begin(), layers.end(), 0.0,
                           [](double sum, const NetworkLayer& layer) { return sum + layer.macs(); });
}

double NetworkLayers::unmapped_macs() const {
    return std::accumulate(unmapped.begin(), unmapped.end(), 0.0,
                           [](double sum, const UnmappedOps& ops) { return sum + ops.macs; });
}

std::string NetworkLayer::shape() const {
    std::string text;
    for (const map::Dimension& dimension : problem.dimensions)
        if (dimension.bound > 1)
            text += fmt::format("{}{}{}", text.empty() ? "" : " ", dimension.name, dimension.bound);
    const auto steps = [&text](const char* sign, int64_t along_p, int64_t along_q) {
        if (along_p == along_q && along_p > 1) text += fmt::format(" {}{}", sign, along_p);
        if (along_p != along_q) text += fmt::format(" {}{}x{}", sign, along_p, along_q);
    };
    steps("/", nest.stride_p, nest.stride_q);
    steps("dilated ", nest.dilation_r, nest.dilation_s);
    return text.empty() ? "1" : text;
}

NetworkLayers network_layers(const ModelGraph& graph) {
    return Collector(graph).collect();
}

map::Problem problem_of(const cost::LoopNest& nest, std::string name) {
    enum : int { kG, kN, kC, kK, kP, kQ, kR, kS };
    return {std::move(name),
            {{"G", nest.g},
             {"N", nest.n},
             {"C", nest.c},
             {"K", nest.k},
             {"P", nest.p},
             {"Q", nest.q},
             {"R", nest.r},
             {"S", nest.s}},
            {{"Weights", {{{kG}}, {{kC}}, {{kK}}, {{kR}}, {{kS}}}},
             {"Inputs",
              {{{kN}},
               {{kG}},
               {{kC}},
               {{kR, nest.dilation_r}, {kP, nest.stride_p}},
               {{kS, nest.dilation_s}, {kQ, nest.stride_q}}}},
             {"Outputs", {{{kN}}, {{kG}}, {{kK}}, {{kQ}}, {{kP}}}, true}}};
}

}  // namespace opsight::query
