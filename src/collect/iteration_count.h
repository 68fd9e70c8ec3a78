// Counts iterations while a program runs, by the optimizers that step and the batches that are loaded. The
// analysis knows the whole run and looks at more (analyze/optimizer_steps.h); this has to tell at once when
// one has ended.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opsight::collect {

class IterationCount {
  public:
    // A batch is being loaded: what stepped since the last one was an iteration.
    void batch() {
        if (steps_ == 0) by_batches_ = true;
        if (!by_batches_ || stepped_ == 0) return;
        stepped_ = 0;
        ++ended_;
    }

    // An optimizer is about to step. One that comes again shows how long the optimizers' turns are.
    void step_begins(uint64_t optimizer) {
        for (size_t i = 0; i < known_; ++i)
            if (optimizers_[i].id == optimizer) came_again_ = true;
    }

    void step(uint64_t optimizer) {
        ++steps_;
        bool is_new = false;
        const size_t at = place_of(optimizer, is_new);
        Optimizer& own = optimizers_[at];
        own.turn = is_new ? kNever : steps_ - own.last;
        own.last = steps_;
        if (by_batches_) {
            const uint64_t bit = uint64_t{1} << at;
            const bool again = stepped_ & bit;
            stepped_ |= bit;
            if (!again) return;
            by_batches_ = false;  // one batch for many steps tells nothing
            ++ended_;
        }
        if (at != closing()) return;
        // Optimizers come in one by one in the first turn of all: what went before was part of it.
        ended_ = is_new && steps_ <= kFirstTurn ? 1 : ended_ + 1;
    }

    uint64_t ended() const { return ended_; }
    // Whether ended() would be the same if the next step were known.
    bool is_sure() const { return by_batches_ || came_again_; }

  private:
    static constexpr size_t kMost = 32;
    static constexpr uint64_t kNever = UINT64_MAX / 4, kFirstTurn = 16;

    struct Optimizer {
        uint64_t id, last, turn;  // turn: steps of any optimizer from its last but one to its last
    };

    size_t place_of(uint64_t optimizer, bool& is_new) {
        size_t oldest = 0;
        for (size_t i = 0; i < known_; ++i) {
            if (optimizers_[i].id == optimizer) return i;
            if (optimizers_[i].last < optimizers_[oldest].last) oldest = i;
        }
        is_new = true;
        const size_t at = known_ < kMost ? known_++ : oldest;
        optimizers_[at].id = optimizer;
        return at;
    }

    // The one that comes least often of those that still come; of equal ones that which came in last.
    size_t closing() const {
        size_t found = 0;
        uint64_t longest = 0;
        for (size_t i = 0; i < known_; ++i) {
            const Optimizer& optimizer = optimizers_[i];
            const bool still_comes = steps_ - optimizer.last <= 2 * optimizer.turn + 1;
            if (!still_comes || optimizer.turn < longest) continue;
            longest = optimizer.turn;
            found = i;
        }
        return found;
    }

    Optimizer optimizers_[kMost] = {};
    size_t known_ = 0;
    uint64_t steps_ = 0, ended_ = 0;
    uint64_t stepped_ = 0;  // one bit for each optimizer that stepped since the last batch
    bool by_batches_ = false, came_again_ = false;
};

}  // namespace opsight::collect
