// A stretch of iterations, its graph, and what becomes of both.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "query/whatif/load.h"
#include "query/whatif/whatif.h"

namespace opsight::query {

// A delay of the device that nothing recorded explains, as the critical path names it.
inline constexpr std::string_view kUnexplainedDelay = "of work on the device, unexplained";

std::string_view kind_name(Doing doing);

class StretchReplay {
  public:
    // Both must outlive it.
    StretchReplay(const Stretch& stretch, const Rules& rules);

    // Replays the stretch as it was recorded, and with the changes of the rules where there are any.
    Status replay();
    void add_to(WhatIf& to) const;

    using Take = std::function<void(const replay::PathPiece&)>;
    void take_path(bool changed, const Take& take) const;  // the last piece first
    std::pair<std::string, std::string> words_of(const replay::PathPiece& piece) const;
    const replay::Task& task_of(const replay::PathPiece& piece) const {
        return built_.graph.tasks[piece.task];
    }
    const SpanLabel* label_of(const replay::Task& task) const;  // null: between spans
    const std::string& name_of(const SpanLabel& label) const;

  private:
    void add_iterations(std::vector<ReplayedIteration>& to) const;
    void count_concerned(std::vector<Concerned>& to) const;

    const Stretch& stretch_;
    const Rules& rules_;
    replay::Built built_;
    replay::Times base_, changed_;  // changed_: empty where nothing is supposed
};

// The median over iterations of |replayed - measured| / measured.
double replay_error(const std::vector<ReplayedIteration>& iterations);

}  // namespace opsight::query
