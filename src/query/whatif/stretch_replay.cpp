#include "query/whatif/stretch_replay.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace opsight::query {
namespace {

const replay::Changes kUnchanged;

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

std::string_view kind_name(Doing doing) {
    switch (doing) {
        case Doing::kDataLoading:
            return "data loading";
        case Doing::kOp:
            return "op";
        case Doing::kCall:
            return "call";
        case Doing::kKernel:
            return "kernel";
        case Doing::kCollective:
            return "collective";
        case Doing::kHostCollective:
            return "communication";
        case Doing::kCopy:
            return "copy";
        case Doing::kSet:
            return "set";
        case Doing::kGraph:
            return "graph";
        case Doing::kNothing:
            break;
    }
    return "gap";
}

StretchReplay::StretchReplay(const Stretch& stretch, const Rules& rules)
    : stretch_(stretch), rules_(rules), built_(replay::build(stretch.recording)) {}

Status StretchReplay::replay() {
    auto base = replay::replay(built_.graph);
    auto changed = rules_.changes.any() ? replay::replay(built_.graph, rules_.changes) : replay::Times();
    if (!base || !changed)
        return fail("the work of rank " + std::to_string(stretch_.rank_number) +
                    " cannot be replayed: what waits for what goes in a circle in this recording");
    base_ = std::move(*base);
    changed_ = std::move(*changed);
    return {};
}

void StretchReplay::add_to(WhatIf& to) const {
    to.tasks += static_cast<int64_t>(built_.graph.tasks.size());
    to.dependencies += static_cast<int64_t>(built_.graph.edges.size());
    to.waits += built_.waits;
    to.event_waits += built_.event_waits;
    to.hand_offs += built_.hand_offs;
    add_iterations(to.iterations);
    count_concerned(to.concerned);
}

void StretchReplay::take_path(bool changed, const Take& take) const {
    const replay::Changes& changes = changed ? rules_.changes : kUnchanged;
    replay::critical_path(built_.graph, changes, changed ? changed_ : base_, take);
}

void StretchReplay::add_iterations(std::vector<ReplayedIteration>& to) const {
    const auto& marks = stretch_.recording.marks;
    const auto& ends = built_.graph.completions;
    const replay::Times& changed = changed_.end.empty() ? base_ : changed_;
    for (size_t i = 0; i + 1 < ends.size(); ++i) {
        ReplayedIteration& it = to.emplace_back();
        it.rank = stretch_.rank_number;
        it.number = stretch_.iterations[i];
        const int64_t end = i < marks.size() ? marks[i] : stretch_.recording.end;
        it.host_ns = end - (i > 0 ? marks[i - 1] : stretch_.recording.begin);
        it.measured_ns = built_.completions[i + 1] - built_.completions[i];
        it.replayed_ns = base_.end[ends[i + 1]] - base_.end[ends[i]];
        it.predicted_ns = changed.end[ends[i + 1]] - changed.end[ends[i]];
    }
}

void StretchReplay::count_concerned(std::vector<Concerned>& to) const {
    for (const replay::Task& task : built_.graph.tasks)
        for (replay::RuleSet rules = task.rules; rules; rules &= rules - 1) {
            Concerned& concerned = to[static_cast<size_t>(std::countr_zero(rules))];
            ++concerned.tasks;
            concerned.ns += task.duration;
        }
}

std::pair<std::string, std::string> StretchReplay::words_of(const replay::PathPiece& piece) const {
    switch (piece.piece) {
        case replay::Piece::kLaunchDelay:
            return {"delay", "from the launching call to the work"};
        case replay::Piece::kStreamDelay:
            return {"delay", "between pieces of work of a stream"};
        case replay::Piece::kOtherDelay:
        case replay::Piece::kUnexplained:
            return {"delay", std::string(kUnexplainedDelay)};
        case replay::Piece::kTask:
            break;
    }
    const SpanLabel* label = label_of(task_of(piece));
    if (!label) return {"gap", "host, outside of ops and calls"};
    return {std::string(kind_name(label->doing)), name_of(*label)};
}

const SpanLabel* StretchReplay::label_of(const replay::Task& task) const {
    if (task.span < 0) return nullptr;
    const auto& labels = task.kind == replay::TaskKind::kDevice ? stretch_.device : stretch_.host;
    return &labels[static_cast<size_t>(task.place)][static_cast<size_t>(task.span)];
}

const std::string& StretchReplay::name_of(const SpanLabel& label) const {
    const bool kernel = label.doing == Doing::kKernel || label.doing == Doing::kCollective;
    const auto& list = label.doing == Doing::kOp ? rules_.names.ops
                       : kernel                  ? rules_.names.kernels
                                                 : rules_.names.texts;
    return Names::at(list, label.name).text;
}

double replay_error(const std::vector<ReplayedIteration>& iterations) {
    std::vector<double> errors;
    for (const ReplayedIteration& it : iterations)
        if (it.measured_ns > 0)
            errors.push_back(std::abs(static_cast<double>(it.replayed_ns - it.measured_ns)) /
                             static_cast<double>(it.measured_ns));
    return median(std::move(errors));
}

double median_of(const std::vector<ReplayedIteration>& iterations, int64_t ReplayedIteration::*field) {
    std::vector<double> values;
    for (const ReplayedIteration& it : iterations)
        values.push_back(static_cast<double>(it.*field));
    return median(std::move(values));
}

}  // namespace opsight::query
