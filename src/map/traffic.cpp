#include "map/traffic.h"

#include <algorithm>
#include <iterator>

namespace opsight::map {
namespace {

// New words after a tile of that size on each axis has moved: what it did not hold before. A tile that moves
// along two axes at once would leave a corner; such a shape is fetched as a whole.
int64_t fresh(const Move& move, const Move& sizes, size_t axes, int64_t whole) {
    int64_t words = 0;
    for (size_t axis = 0; axis < axes; ++axis) {
        const int64_t by = std::abs(move[axis]);
        if (by == 0) continue;
        if (words > 0 || by >= sizes[axis]) return whole;
        words = whole / sizes[axis] * by;
    }
    return words;
}

// Different words, at least, that a tile holds while its dimensions go from `extents` to `points`. Sums of
// two sets of numbers are at least as many as both sets have together, less one.
int64_t distinct(const DataSpace& space, const int64_t* extents, const int64_t* points) {
    uint32_t seen = 0;
    int64_t words = 1;
    for (const std::vector<Term>& axis : space.axes) {
        int64_t sums = 1;
        for (const Term& term : axis) {
            sums += points[term.dimension] - 1;
            if ((seen >> term.dimension & 1U) != 0) return tile_size(space, extents);  // axes move together
            seen |= 1U << term.dimension;
        }
        words *= std::max(sums, axis_size(axis, extents));
    }
    return words;
}

bool stays(const Move& move) {
    return std::all_of(move.begin(), move.end(), [](int64_t by) { return by == 0; });
}

constexpr size_t kMostPlaces = 1 << 20;

// To places in their order, those so many moves further.
void add_moved(const Move& move, int64_t times, std::vector<Move>& places) {
    std::vector<Move> moved = places, both;
    for (Move& place : moved)
        for (size_t axis = 0; axis < place.size(); ++axis)
            place[axis] += move[axis] * times;
    std::set_union(places.begin(), places.end(), moved.begin(), moved.end(), std::back_inserter(both));
    places = std::move(both);
}

}  // namespace

Move move_of(const DataSpace& space, const Stride& loop) {
    Move move{};
    for (size_t axis = 0; axis < space.axes.size(); ++axis)
        for (const Term& term : space.axes[axis])
            if (term.dimension == loop.dimension) move[axis] += term.coefficient * loop.step;
    return move;
}

int64_t filled(const DataSpace& space, const int64_t* extents, const std::vector<Stride>& loops) {
    const size_t axes = space.axes.size();
    Move sizes{};
    int64_t whole = 1;
    for (size_t axis = 0; axis < axes; ++axis)
        whole *= sizes[axis] = axis_size(space.axes[axis], extents);
    // A step of a loop takes all loops inside of it back to their begins.
    Move back{}, usual{};
    bool first = true;
    int64_t words = 0;  // in one round of the loops up to here, without what starts it
    for (const Stride& loop : loops) {
        if (loop.count == 1) continue;
        Move move = move_of(space, loop);
        const Move forward = move;
        for (size_t axis = 0; axis < axes; ++axis)
            move[axis] -= back[axis];
        if (first) usual = move;
        // What starts each round of the inner loops but the first.
        const int64_t joint = first || move == usual ? fresh(move, sizes, axes, whole) : whole;
        words = words * loop.count + joint * (loop.count - 1);
        first = false;
        for (size_t axis = 0; axis < axes; ++axis)
            back[axis] += forward[axis] * (loop.count - 1);
    }
    return words + whole;
}

int64_t least_filled(const DataSpace& space, const int64_t* extents,
                     const std::vector<const std::vector<Stride>*>& levels) {
    uint32_t touched = 0, apart = 0;  // dimensions of the space; those whose every step is to other words
    for (const std::vector<Term>& axis : space.axes)
        for (const Term& term : axis) {
            touched |= 1U << term.dimension;
            if (axis.size() == 1) apart |= 1U << term.dimension;
        }
    std::array<int64_t, kMaxDimensions> points{};
    std::copy(extents, extents + kMaxDimensions, points.begin());
    const int64_t whole = tile_size(space, extents);
    int64_t words = whole;  // with all rounds of the loops up to here
    bool moved = false;
    for (const std::vector<Stride>* level : levels) {
        // Loops whose every step is to other words, or goes back to the same, and those that may slide.
        int64_t fetched = 1, sliding = 1;
        bool moves = false;
        for (const Stride& loop : *level) {
            const bool still = (touched >> loop.dimension & 1U) == 0;
            moves = moves || (!still && loop.count > 1);
            (still || (apart >> loop.dimension & 1U) != 0 ? fetched : sliding) *= loop.count;
            points[loop.dimension] *= loop.count;
        }
        if (moved) {
            // Those that slide are innermost where that is least.
            words = (words * sliding - whole * (sliding - 1)) * fetched;
        } else if (moves) {
            // In the first level that moves the tile, loops that do not may be inside of those that do.
            words = distinct(space, extents, points.data());
            moved = true;
        }
    }
    return std::max(words, distinct(space, extents, points.data()));
}

std::optional<int64_t> distinct_places(const DataSpace& space, const std::vector<Stride>& loops) {
    std::vector<Move> moves;
    std::vector<int64_t> counts;
    int64_t places = 1;
    for (const Stride& loop : loops) {
        const Move move = move_of(space, loop);
        if (loop.count == 1 || stays(move)) continue;
        moves.push_back(move);
        counts.push_back(loop.count);
        places *= loop.count;
    }
    // Loops that share no axis, or walk it in steps longer than all that the shorter ones cover, never meet.
    bool apart = true;
    for (size_t axis = 0; axis < space.axes.size(); ++axis) {
        std::vector<std::pair<int64_t, int64_t>> steps;
        for (size_t i = 0; i < moves.size(); ++i)
            if (moves[i][axis] > 0) steps.emplace_back(moves[i][axis], counts[i]);
        std::sort(steps.begin(), steps.end());
        int64_t covered = 0;
        for (const auto& [step, count] : steps) {
            apart = apart && step > covered;
            covered += step * (count - 1);
        }
    }
    if (apart) return places;
    std::vector<Move> all{Move{}};
    for (size_t i = 0; i < moves.size(); ++i)
        // Twice as many steps each time, so that there never are many more places than differ.
        for (int64_t steps = 1; steps < counts[i];) {
            const int64_t more = std::min(steps, counts[i] - steps);
            add_moved(moves[i], more, all);
            if (all.size() > kMostPlaces) return std::nullopt;
            steps += more;
        }
    return static_cast<int64_t>(all.size());
}

}  // namespace opsight::map
