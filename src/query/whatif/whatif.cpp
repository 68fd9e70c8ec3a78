#include "query/whatif/whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "query/whatif/load.h"

namespace opsight::query {
namespace {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

using Shares = std::map<std::pair<std::string, std::string>, PathShare>;

constexpr std::string_view kUnexplainedDelay = "of work on the device, unexplained";

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

// A stretch, its graph, and what becomes of both.
class Run {
  public:
    Run(const Stretch& stretch, const Rules& rules)
        : stretch_(stretch), rules_(rules), built_(replay::build(stretch.recording)) {}

    Status add_to(WhatIf& to) {
        const auto base = replay::replay(built_.graph);
        const auto changed = replay::replay(built_.graph, rules_.changes);
        if (!base || !changed)
            return fail("the work of rank " + std::to_string(stretch_.rank) +
                        " cannot be replayed: what waits for what goes in a circle in this recording");
        to.tasks += static_cast<int64_t>(built_.graph.tasks.size());
        to.dependencies += static_cast<int64_t>(built_.graph.edges.size());
        to.waits += built_.waits;
        to.event_waits += built_.event_waits;
        to.hand_offs += built_.hand_offs;
        add_iterations(*base, *changed, to.iterations);
        count_concerned(to.concerned);
        return {};
    }

    void add_path(bool changed, Shares& shares) const {
        const replay::Changes& changes = changed ? rules_.changes : kUnchanged;
        const auto times = replay::replay(built_.graph, changes);
        if (!times) return;
        for (const replay::PathPiece& piece : replay::critical_path(built_.graph, changes, *times)) {
            auto [kind, name] = words_of(piece);
            PathShare& share = shares[{kind, name}];
            share.kind = std::move(kind);
            share.name = std::move(name);
            ++share.pieces;
            share.ns += piece.end - piece.begin;
        }
    }

  private:
    static inline const replay::Changes kUnchanged;

    void add_iterations(const replay::Times& base, const replay::Times& changed,
                        std::vector<ReplayedIteration>& to) const {
        const auto& marks = stretch_.recording.marks;
        const auto& ends = built_.graph.completions;
        for (size_t i = 0; i + 1 < ends.size(); ++i) {
            ReplayedIteration& it = to.emplace_back();
            it.rank = stretch_.rank;
            it.number = stretch_.iterations[i];
            const int64_t end = i < marks.size() ? marks[i] : stretch_.recording.end;
            it.host_ns = end - (i > 0 ? marks[i - 1] : stretch_.recording.begin);
            it.measured_ns = built_.completions[i + 1] - built_.completions[i];
            it.replayed_ns = base.end[ends[i + 1]] - base.end[ends[i]];
            it.predicted_ns = changed.end[ends[i + 1]] - changed.end[ends[i]];
        }
    }

    void count_concerned(std::vector<Concerned>& to) const {
        for (const replay::Task& task : built_.graph.tasks)
            for (replay::RuleSet rules = task.rules; rules; rules &= rules - 1) {
                Concerned& concerned = to[static_cast<size_t>(std::countr_zero(rules))];
                ++concerned.tasks;
                concerned.ns += task.duration;
            }
    }

    std::pair<std::string, std::string> words_of(const replay::PathPiece& piece) const {
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
        const replay::Task& task = built_.graph.tasks[piece.task];
        const auto place = static_cast<size_t>(task.place), span = static_cast<size_t>(task.span);
        if (task.kind == replay::TaskKind::kDevice) return named(stretch_.device[place][span]);
        if (task.span >= 0) return named(stretch_.host[place][span]);
        return {"gap", "host, outside of ops and calls"};
    }

    std::pair<std::string, std::string> named(const SpanLabel& label) const {
        const bool kernel = label.doing == Doing::kKernel || label.doing == Doing::kCollective;
        const auto& list = label.doing == Doing::kOp ? rules_.names.ops
                           : kernel                  ? rules_.names.kernels
                                                     : rules_.names.texts;
        return {std::string(kind_name(label.doing)), Names::at(list, label.name).text};
    }

    const Stretch& stretch_;
    const Rules& rules_;
    replay::Built built_;
};

std::vector<PathShare> by_length(const Shares& shares) {
    std::vector<PathShare> list;
    for (const auto& [key, share] : shares)
        list.push_back(share);
    std::stable_sort(list.begin(), list.end(),
                     [](const PathShare& a, const PathShare& b) { return a.ns > b.ns; });
    return list;
}

double replay_error(const std::vector<ReplayedIteration>& iterations) {
    std::vector<double> errors;
    for (const ReplayedIteration& it : iterations)
        if (it.measured_ns > 0)
            errors.push_back(std::abs(static_cast<double>(it.replayed_ns - it.measured_ns)) /
                             static_cast<double>(it.measured_ns));
    return median(std::move(errors));
}

double unexplained_part(const std::vector<PathShare>& path) {
    int64_t sum = 0, unexplained = 0;
    for (const PathShare& share : path) {
        sum += share.ns;
        if (share.name == kUnexplainedDelay) unexplained += share.ns;
    }
    return sum > 0 ? static_cast<double>(unexplained) / static_cast<double>(sum) : 0;
}

}  // namespace

double median_of(const std::vector<ReplayedIteration>& iterations, int64_t ReplayedIteration::*field) {
    std::vector<double> values;
    for (const ReplayedIteration& it : iterations)
        values.push_back(static_cast<double>(it.*field));
    return median(std::move(values));
}

Result<std::optional<WhatIf>> what_if(Session& session, const Suppositions& suppositions) {
    OPSIGHT_ASSIGN(const Rules rules, make_rules(session, suppositions));
    OPSIGHT_ASSIGN(const std::vector<Stretch> stretches, load_stretches(session, rules));
    WhatIf answer;
    Shares path, predicted;
    for (const std::string& words : rules.words)
        answer.concerned.push_back({words});
    for (const Stretch& stretch : stretches) {
        Run run(stretch, rules);
        OPSIGHT_TRY(run.add_to(answer));
        run.add_path(false, path);
        if (suppositions.any()) run.add_path(true, predicted);
    }
    if (path.empty()) return std::optional<WhatIf>();
    answer.path = by_length(path);
    answer.predicted_path = by_length(predicted);
    answer.error = replay_error(answer.iterations);
    answer.unexplained = unexplained_part(answer.path);
    return std::optional<WhatIf>(std::move(answer));
}

}  // namespace opsight::query
