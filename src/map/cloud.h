// The cloud of mappings: what many mappings of a problem cost, drawn at random from all that the constraints
// leave, and how far those differ that move as little as any of them from the outermost memory (Parashar et
// al., ISPASS 2019, figure 1).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "map/analysis.h"
#include "map/constraints.h"

namespace opsight::map {

struct CloudSettings {
    int64_t tries = 1'000'000;  // mappings that are drawn from the whole space
    // Mappings that are drawn then with the loops and the data of the outermost level as the one with the
    // fewest outer accesses has them: these are few of all, and what differs among them is the question.
    int64_t near_least = 0;
    uint64_t seed = 1;
    int threads = 1;
    const std::atomic<bool>* stop = nullptr;     // once true, what was drawn so far is the result
    std::function<void(double share)> progress;  // of all tries; from the calling thread
};

struct CloudPoint {
    double energy_pj = 0;
    int64_t cycles = 0;
    int64_t outer_accesses = 0;  // words read, filled and updated at the outermost level, of all data spaces
    bool pareto = false;  // no other point has less of both energy and cycles, or less of one and as much of
                          // the other
    uint64_t draw = 0;    // which one it was: mapping_of() gives its mapping
    bool near_least = false;
};

struct Cloud {
    int64_t tried = 0;       // drawn, of the whole space and near the least
    int64_t tried_near = 0;  // of these, near the least
    int64_t again = 0;       // had been drawn before
    int64_t unfit = 0;       // do not fit the architecture
    bool stopped = false;
    double space = 0;  // mappings of the whole space, as if each order of loops were another one
    std::vector<CloudPoint> points;  // different mappings that fit, in the order in which they were drawn

    // Of the points with the fewest outer accesses: how many, and their least and most energy.
    struct Least {
        int64_t accesses = 0, mappings = 0;
        double least_pj = 0, most_pj = 0;
        uint64_t least_draw = 0, most_draw = 0;
    };
    Least least_accesses() const;
    // The point with the least energy; there is at least one.
    const CloudPoint& best() const;
    double most_pj() const;
};

// The same settings draw the same cloud, whatever the number of threads, if it is not stopped. Fails where no
// mapping that was drawn fits.
Result<Cloud> draw_cloud(const Problem& problem, const Architecture& architecture,
                         const Constraints& constraints, const CloudSettings& settings);

// The mapping of a point of the cloud with these settings.
Result<Mapping> mapping_of(const Problem& problem, const Architecture& architecture,
                           const Constraints& constraints, uint64_t seed, uint64_t draw);

}  // namespace opsight::map
