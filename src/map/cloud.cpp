#include "map/cloud.h"

#include <algorithm>
#include <limits>
#include <random>
#include <unordered_set>

#include "base/task_group.h"
#include "map/map_space.h"

namespace opsight::map {
namespace {

// Mappings that one thread draws before it takes the next share; also between two reports of progress.
constexpr int64_t kShare = 4096;

// A draw near another one: that one's number plus 1 above this bit, its own below.
constexpr int kNearBits = 27;
constexpr uint64_t kNearMask = (uint64_t{1} << kNearBits) - 1;

// The factors of a dimension, of those whose loops at the outermost level are as in `near` (null: of all).
class FactorChoices {
  public:
    FactorChoices(const MapSpace& space, const Mapping* near) : space_(space) {
        if (near == nullptr) return;
        const size_t outer = near->levels.size() - 1;
        for (size_t dimension = 0; dimension < space.dimensions().size(); ++dimension) {
            const DimensionChoices& choices = space.dimensions()[dimension];
            std::vector<int64_t> wanted(choices.slots.size(), 1);
            for (const Loop& loop : near->levels[outer].loops)
                for (size_t slot = 0; slot < choices.slots.size(); ++slot)
                    if (loop.dimension == static_cast<int>(dimension) && choices.slots[slot].level == outer &&
                        choices.slots[slot].across == loop.across)
                        wanted[slot] = loop.count;
            std::vector<size_t>& allowed = allowed_.emplace_back();
            for (size_t i = 0; i < choices.factors.size(); ++i) {
                bool same = true;
                for (size_t slot = 0; slot < choices.slots.size(); ++slot)
                    same = same &&
                           (choices.slots[slot].level != outer || choices.factors[i][slot] == wanted[slot]);
                if (same) allowed.push_back(i);
            }
        }
    }

    size_t count(size_t dimension) const {
        return allowed_.empty() ? space_.dimensions()[dimension].factors.size() : allowed_[dimension].size();
    }
    size_t at(size_t dimension, size_t place) const {
        return allowed_.empty() ? place : allowed_[dimension][place];
    }

  private:
    const MapSpace& space_;
    std::vector<std::vector<size_t>> allowed_;
};

// Each draw has a generator of its own, so that any of them can be drawn again alone.
Mapping draw_one(const MapSpace& space, const Architecture& architecture, uint64_t seed, uint64_t draw,
                 const Mapping* near, const FactorChoices& choices) {
    std::seed_seq sequence{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32),
                           static_cast<uint32_t>(draw), static_cast<uint32_t>(draw >> 32)};
    std::minstd_rand quick(sequence);
    Mapping mapping;
    mapping.levels.resize(architecture.levels.size());
    const auto below = [&quick](size_t count) {
        return static_cast<size_t>((static_cast<double>(quick() - 1) / 2147483646.0) *
                                   static_cast<double>(count));
    };
    for (size_t dimension = 0; dimension < space.dimensions().size(); ++dimension) {
        const size_t count = choices.count(dimension);
        space.put(dimension, choices.at(dimension, std::min(below(count), count - 1)), mapping);
    }
    const std::vector<size_t> fixed = space.sort_loops(mapping);
    for (size_t level = 0; level < fixed.size(); ++level) {
        std::vector<Loop>& loops = mapping.levels[level].loops;
        for (size_t i = loops.size(); i > fixed[level] + 1; --i)
            std::swap(loops[i - 1],
                      loops[fixed[level] + std::min(below(i - fixed[level]), i - fixed[level] - 1)]);
        const std::vector<uint32_t>& masks = space.kept()[level];
        mapping.levels[level].kept = masks[std::min(below(masks.size()), masks.size() - 1)];
    }
    if (near != nullptr) mapping.levels.back() = near->levels.back();
    return mapping;
}

// Of loops and data spaces; two mappings are taken for the same where it is.
uint64_t fingerprint(const Mapping& mapping) {
    uint64_t hash = 1469598103934665603ULL;
    const auto add = [&hash](uint64_t value) {
        hash = (hash ^ value) * 1099511628211ULL;
        hash ^= hash >> 29;
    };
    for (const LevelMapping& level : mapping.levels) {
        add(level.kept + 1);
        for (const Loop& loop : level.loops) {
            add(static_cast<uint64_t>(loop.dimension) * 3 + static_cast<uint64_t>(loop.across) + 17);
            add(static_cast<uint64_t>(loop.count));
        }
        add(99);
    }
    return hash;
}

struct Drawn {
    CloudPoint point;
    uint64_t fingerprint = 0;
    bool fits = false;
};

// Draws and evaluates, some at a time, on several threads.
class Drawer {
  public:
    Drawer(const Problem& problem, const Architecture& architecture, const MapSpace& space,
           const CloudSettings& settings, Cloud& cloud)
        : problem_(problem), architecture_(architecture), space_(space), settings_(settings), cloud_(cloud) {}

    // `first`: the number of the first one; `near`: null, or the mapping that they are near.
    void draw(int64_t tries, uint64_t first, const Mapping* near) {
        const FactorChoices choices(space_, near);
        const int64_t at_once = kShare * std::max(settings_.threads, 1);
        for (int64_t begin = 0; begin < tries && !stopped(); begin += at_once) {
            std::vector<Drawn> drawn(static_cast<size_t>(std::min(at_once, tries - begin)));
            draw_all(first + static_cast<uint64_t>(begin), near, choices, drawn);
            for (const Drawn& each : drawn)
                take(each, near != nullptr);
            if (settings_.progress)
                settings_.progress(static_cast<double>(cloud_.tried) /
                                   static_cast<double>(settings_.tries + settings_.near_least));
        }
    }

    bool stopped() const {
        return settings_.stop != nullptr && settings_.stop->load(std::memory_order_relaxed);
    }

  private:
    void draw_all(uint64_t first, const Mapping* near, const FactorChoices& choices,
                  std::vector<Drawn>& drawn) const {
        std::atomic<size_t> next{0};
        const auto work = [&] {
            constexpr size_t kStep = 256;
            for (size_t from = next.fetch_add(kStep); from < drawn.size(); from = next.fetch_add(kStep))
                for (size_t i = from; i < std::min(from + kStep, drawn.size()); ++i)
                    drawn[i] = try_one(first + i, near, choices);
        };
        TaskGroup threads;
        for (int i = 1; i < settings_.threads; ++i)
            threads.start_beside(work);
        work();
        threads.join();
    }

    Drawn try_one(uint64_t draw, const Mapping* near, const FactorChoices& choices) const {
        const Mapping mapping = draw_one(space_, architecture_, settings_.seed, draw, near, choices);
        Drawn drawn{{}, fingerprint(mapping), false};
        const Result<Evaluation> evaluation = evaluate(problem_, architecture_, mapping);
        if (!evaluation) return drawn;
        drawn.fits = true;
        drawn.point = {evaluation->energy_pj, evaluation->cycles, evaluation->last_level_words, false, draw,
                       near != nullptr};
        return drawn;
    }

    void take(const Drawn& drawn, bool near) {
        ++cloud_.tried;
        if (near) ++cloud_.tried_near;
        if (!seen_.insert(drawn.fingerprint).second)
            ++cloud_.again;
        else if (!drawn.fits)
            ++cloud_.unfit;
        else
            cloud_.points.push_back(drawn.point);
    }

    const Problem& problem_;
    const Architecture& architecture_;
    const MapSpace& space_;
    const CloudSettings& settings_;
    Cloud& cloud_;
    std::unordered_set<uint64_t> seen_;
};

Mapping mapping_in(const MapSpace& space, const Architecture& architecture, uint64_t seed, uint64_t draw) {
    const uint64_t parent = draw >> kNearBits;
    if (parent == 0) return draw_one(space, architecture, seed, draw, nullptr, FactorChoices(space, nullptr));
    const Mapping near = mapping_in(space, architecture, seed, (parent - 1) & kNearMask);
    return draw_one(space, architecture, seed, draw, &near, FactorChoices(space, &near));
}

// Of two equal points the first one counts.
void mark_pareto(std::vector<CloudPoint>& points) {
    std::vector<size_t> order(points.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&points](size_t a, size_t b) {
        return std::pair(points[a].cycles, points[a].energy_pj) <
               std::pair(points[b].cycles, points[b].energy_pj);
    });
    double least = std::numeric_limits<double>::infinity();
    for (const size_t i : order)
        if (points[i].energy_pj < least) {
            points[i].pareto = true;
            least = points[i].energy_pj;
        }
}

}  // namespace

Cloud::Least Cloud::least_accesses() const {
    Least least;
    for (const CloudPoint& point : points) {
        if (least.mappings == 0 || point.outer_accesses < least.accesses)
            least = {point.outer_accesses, 0, point.energy_pj, point.energy_pj, point.draw, point.draw};
        if (point.outer_accesses > least.accesses) continue;
        ++least.mappings;
        if (point.energy_pj < least.least_pj) {
            least.least_pj = point.energy_pj;
            least.least_draw = point.draw;
        }
        if (point.energy_pj > least.most_pj) {
            least.most_pj = point.energy_pj;
            least.most_draw = point.draw;
        }
    }
    return least;
}

const CloudPoint& Cloud::best() const {
    return *std::min_element(points.begin(), points.end(), [](const CloudPoint& a, const CloudPoint& b) {
        return a.energy_pj < b.energy_pj;
    });
}

double Cloud::most_pj() const {
    double most = 0;
    for (const CloudPoint& point : points)
        most = std::max(most, point.energy_pj);
    return most;
}

Result<Cloud> draw_cloud(const Problem& problem, const Architecture& architecture,
                         const Constraints& constraints, const CloudSettings& settings) {
    OPSIGHT_ASSIGN(const MapSpace space, MapSpace::make(problem, architecture, constraints));
    Cloud cloud;
    cloud.space = space.size();
    Drawer drawer(problem, architecture, space, settings, cloud);
    drawer.draw(settings.tries, 0, nullptr);
    if (settings.near_least > 0 && !cloud.points.empty()) {
        const uint64_t least = cloud.least_accesses().least_draw;
        const Mapping near = mapping_in(space, architecture, settings.seed, least);
        drawer.draw(settings.near_least, (least + 1) << kNearBits, &near);
    }
    cloud.stopped = drawer.stopped();
    if (cloud.points.empty())
        return fail("no mapping that was drawn fits this architecture under these constraints", {}, {},
                    "give its levels more room, loosen the constraints, or draw more of them");
    mark_pareto(cloud.points);
    return cloud;
}

Result<Mapping> mapping_of(const Problem& problem, const Architecture& architecture,
                           const Constraints& constraints, uint64_t seed, uint64_t draw) {
    OPSIGHT_ASSIGN(const MapSpace space, MapSpace::make(problem, architecture, constraints));
    return mapping_in(space, architecture, seed, draw);
}

}  // namespace opsight::map
