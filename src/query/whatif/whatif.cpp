#include "query/whatif/whatif.h"

#include <algorithm>
#include <map>

#include "query/whatif/stretch_replay.h"

namespace opsight::query {
namespace {

using Shares = std::map<std::pair<std::string, std::string>, PathShare>;

void add_path(const StretchReplay& run, bool changed, Shares& shares) {
    run.take_path(changed, [&](const replay::PathPiece& piece) {
        auto [kind, name] = run.words_of(piece);
        PathShare& share = shares[{kind, name}];
        share.kind = std::move(kind);
        share.name = std::move(name);
        ++share.pieces;
        share.ns += piece.end - piece.begin;
    });
}

std::vector<PathShare> by_length(const Shares& shares) {
    std::vector<PathShare> list;
    for (const auto& [key, share] : shares)
        list.push_back(share);
    std::stable_sort(list.begin(), list.end(),
                     [](const PathShare& a, const PathShare& b) { return a.ns > b.ns; });
    return list;
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

Result<std::optional<WhatIf>> what_if(Session& session, const Suppositions& suppositions) {
    OPSIGHT_ASSIGN(const Rules rules, make_rules(session, suppositions));
    OPSIGHT_ASSIGN(const Grounds grounds, grounds_of_replay(session));
    if (!grounds.lacks.empty()) return std::optional<WhatIf>();
    WhatIf answer;
    answer.unlaunched_pct = grounds.unlaunched_pct;
    answer.ranks_wait = grounds.ranks_wait;
    Shares path, predicted;
    for (const std::string& words : rules.words)
        answer.concerned.push_back({words});
    const auto add = [&](const Stretch& stretch) -> Status {
        StretchReplay run(stretch, rules);
        OPSIGHT_TRY(run.replay());
        run.add_to(answer);
        add_path(run, false, path);
        if (suppositions.any()) add_path(run, true, predicted);
        return {};
    };
    OPSIGHT_TRY(each_stretch(session, rules, add));
    if (path.empty()) return std::optional<WhatIf>();
    std::stable_sort(answer.iterations.begin(), answer.iterations.end(),
                     [](const ReplayedIteration& a, const ReplayedIteration& b) { return a.rank < b.rank; });
    answer.path = by_length(path);
    answer.predicted_path = by_length(predicted);
    answer.error = replay_error(answer.iterations);
    answer.unexplained = unexplained_part(answer.path);
    return std::optional<WhatIf>(std::move(answer));
}

}  // namespace opsight::query
