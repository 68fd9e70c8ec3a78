// The relations of a Session for iterations that were cut anew: which stored instances fall into the chosen
// ones. Host spans go by their begin, device spans by the begin of the call that launched them, as in the
// analysis. Cost: one pass over the instances, with a binary search for each; for the sums of ops only over
// instances outside of stored iterations that the range covers whole.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "query/session/cut_iterations.h"

namespace opsight::query {

using Stretches = std::vector<std::pair<int64_t, int64_t>>;  // first and last number, both taken

struct Interval {
    int64_t begin_ns = 0, end_ns = 0, number = 0;
};

// The iterations of `list` whose number lies in one of `stretches`, by rank (ranks.id) in the order of time.
class ChosenIterations {
  public:
    ChosenIterations(const std::vector<CutIteration>& list, const Stretches& stretches);
    // The iteration that holds `time`; null where none does.
    const Interval* at(int64_t rank, int64_t time) const;
    // The same with neighbours without a gap made one.
    ChosenIterations joined() const;
    // From the first begin to the last end of all ranks.
    Interval bounds() const;
    // By rank and begin: visit(rank, iteration).
    template <class Visit>
    void each(Visit visit) const {
        for (size_t rank = 0; rank < by_rank_.size(); ++rank)
            for (const Interval& iteration : by_rank_[rank])
                visit(rank, iteration);
    }
    void clear() { by_rank_.clear(); }

  private:
    ChosenIterations() = default;
    std::vector<std::vector<Interval>> by_rank_;
};

// The SQL function of a range stays with its database for as long as that is open; what it holds goes when
// this does.
using CutFunction = std::shared_ptr<void>;

// Creates the views sel_ops, sel_device, sel_api, sel_annotations, sel_modules, sel_stats (its iterations are
// NULL, see sel_iteration_ops) for the chosen iterations.
Result<CutFunction> select_cut_range(duck::Connection& connection, const ChosenIterations& chosen);

}  // namespace opsight::query
