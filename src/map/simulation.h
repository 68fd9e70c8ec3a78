// A machine run step by step, with real sets of words, as plainly as can be: what the closed form of
// analysis.h must count. For tests of tiny machines.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "map/mapping.h"

namespace opsight::map::simulation {

using Word = std::vector<int64_t>;
using Words = std::set<Word>;

struct Counted {
    int64_t given = 0;   // words that one instance gave to those below it, or took from them
    int64_t filled = 0;  // words that came into one instance
    int64_t held = 0;    // different words that were ever in one instance
};

class Machine {
  public:
    Machine(const Problem& problem, const Mapping& mapping) : problem_(problem), mapping_(mapping) {}

    // Runs all steps for one data space and one level that keeps it.
    Counted run(int level, int space) {
        int below = level - 1;
        while (below >= 0 && !mapping_.levels[below].keeps(space))
            --below;
        Counted counted;
        last_.clear();
        held_.clear();
        walk_time(below,
                  [&](const Indices& at) { counted.given += words_in(asked(level, below, space, at)); });
        last_.clear();
        held_.clear();
        walk_time(level,
                  [&](const Indices& at) { counted.filled += words_in(asked(level, level, space, at)); });
        counted.held = static_cast<int64_t>(held_.size());
        return counted;
    }

  private:
    // Where each loop of each level stands.
    using Indices = std::vector<std::vector<int64_t>>;
    struct Last {
        Words words;
        Word corner;
        std::vector<int64_t> move;  // empty: none yet
    };

    Indices begin() const {
        Indices at;
        for (const LevelMapping& level : mapping_.levels)
            at.emplace_back(level.loops.size(), 0);
        return at;
    }

    // Every step of the loops in time above a level (of all, where it is -1), outermost first; one instance
    // of what is above is enough, the others do the same elsewhere.
    template <class Do>
    void walk_time(int above, const Do& what) {
        Indices at = begin();
        walk_time(static_cast<int>(mapping_.levels.size()) - 1, above, 0, at, what);
    }
    template <class Do>
    void walk_time(int level, int above, size_t done, Indices& at, const Do& what) {
        if (level <= above) return what(at);
        const std::vector<Loop>& loops = mapping_.levels[level].loops;
        if (done == loops.size()) return walk_time(level - 1, above, 0, at, what);
        const size_t loop = loops.size() - 1 - done;
        if (loops[loop].across != Across::kTime) return walk_time(level, above, done + 1, at, what);
        for (int64_t i = 0; i < loops[loop].count; ++i) {
            at[level][loop] = i;
            walk_time(level, above, done + 1, at, what);
        }
        at[level][loop] = 0;
    }

    // What instances at `below` ask of `level` in one step. At each level on the way the same wish of several
    // is passed on once.
    std::vector<Words> asked(int level, int below, int space, Indices at) {
        if (level == below) return {fresh(below, space, at)};
        std::set<std::vector<Words>> wishes;
        spread(level, 0, at,
               [&](const Indices& place) { wishes.insert(asked(level - 1, below, space, place)); });
        std::vector<Words> all;
        for (const std::vector<Words>& wish : wishes)
            all.insert(all.end(), wish.begin(), wish.end());
        return all;
    }
    template <class Do>
    void spread(int level, size_t loop, Indices& at, const Do& what) {
        const std::vector<Loop>& loops = mapping_.levels[level].loops;
        if (loop == loops.size() || loops[loop].across == Across::kTime) return what(at);
        for (int64_t i = 0; i < loops[loop].count; ++i) {
            at[level][loop] = i;
            spread(level, loop + 1, at, what);
        }
        at[level][loop] = 0;
    }

    static int64_t words_in(const std::vector<Words>& sets) {
        int64_t words = 0;
        for (const Words& set : sets)
            words += static_cast<int64_t>(set.size());
        return words;
    }

    // All words that the loops up to a level touch, with the loops above where they stand.
    Words tile(int level, int space, const Indices& at) const {
        Words words;
        std::vector<std::pair<int64_t, int64_t>> ranges(problem_.dimensions.size(), {0, 1});  // begin, extent
        std::vector<int64_t> extents(problem_.dimensions.size(), 1);
        for (size_t i = 0; i < mapping_.levels.size(); ++i)
            for (size_t j = 0; j < mapping_.levels[i].loops.size(); ++j) {
                const Loop& loop = mapping_.levels[i].loops[j];
                if (static_cast<int>(i) <= level)
                    ranges[loop.dimension].second *= loop.count;
                else
                    ranges[loop.dimension].first += at[i][j] * extents[loop.dimension];
                extents[loop.dimension] *= loop.count;
            }
        for (size_t axis = 0; axis < problem_.spaces[space].axes.size(); ++axis) {
            int64_t first = 0, last = 0;
            for (const Term& term : problem_.spaces[space].axes[axis]) {
                first += term.coefficient * ranges[term.dimension].first;
                last += term.coefficient * (ranges[term.dimension].first + ranges[term.dimension].second - 1);
            }
            Words longer;
            for (int64_t i = first; i <= last; ++i) {
                if (axis == 0) longer.insert({i});
                for (Word word : words) {
                    word.push_back(i);
                    longer.insert(std::move(word));
                }
            }
            words = std::move(longer);
        }
        return words;
    }

    // What an instance does not have already. Compute units (-1) keep nothing.
    Words fresh(int level, int space, const Indices& at) {
        Words now = tile(level, space, at);
        if (level < 0) return now;
        held_.insert(now.begin(), now.end());
        Last& last = last_[instance(level, at)];
        const Word corner = *now.begin();
        Words missing = now;
        std::vector<int64_t> move;
        if (!last.words.empty()) {
            for (size_t i = 0; i < corner.size(); ++i)
                move.push_back(corner[i] - last.corner[i]);
            if (last.move.empty() || last.move == move) {
                if (std::count_if(move.begin(), move.end(), [](int64_t by) { return by != 0; }) <= 1)
                    for (const Word& word : last.words)
                        missing.erase(word);
            } else {
                move.clear();
            }
        }
        last = {std::move(now), corner, move};
        return missing;
    }

    std::vector<int64_t> instance(int level, const Indices& at) const {
        std::vector<int64_t> id;
        for (size_t i = static_cast<size_t>(level) + 1; i < at.size(); ++i)
            for (size_t j = 0; j < at[i].size(); ++j)
                if (mapping_.levels[i].loops[j].across != Across::kTime) id.push_back(at[i][j]);
        return id;
    }

    const Problem& problem_;
    const Mapping& mapping_;
    std::map<std::vector<int64_t>, Last> last_;
    Words held_;
};

}  // namespace opsight::map::simulation
