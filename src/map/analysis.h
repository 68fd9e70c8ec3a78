// What a mapping costs: words moved at every level, cycles and energy. The model is Timeloop's (Parashar et
// al., ISPASS 2019), worked out in closed form:
//
// - A level holds one tile of each data space that it keeps, and walks with it through the loops above. What
//   a step needs and the last step had stays; the rest is filled. A tile that slides along one axis by less
//   than its length keeps the overlap if the step goes on as the step before it (the innermost loop above);
//   after any other move that is not the same again it is filled as a whole, as the address generators of
//   such buffers do it.
// - What several instances below need at the same time is read once and sent to all (multicast); what they
//   sum up is reduced on the way. Instances do not send to their neighbours.
// - A data space that bypasses a level is read from the next one that keeps it.
// - The first value of a sum is written without reading what was there.
//
// docs/MAPPING.md tells more.
#pragma once

#include <cstdint>
#include <vector>

#include "map/mapping.h"

namespace opsight::map {

// Of one data space at one level; counts of words are those of one instance.
struct SpaceStats {
    bool kept = false;
    int64_t tile = 0;
    int64_t partition = 0;  // of all the data, what one instance ever holds
    int64_t reads = 0, fills = 0, updates = 0, temporal_reductions = 0;
    double read_bandwidth = 0, write_bandwidth = 0;  // words per cycle of one instance
    double energy_pj = 0;                            // of all instances

    int64_t accesses() const { return reads + fills + updates; }
};

struct LevelStats {
    int64_t instances = 0;  // in use
    int64_t utilized = 0;   // words of one instance that tiles take
    double throttle = 1;    // 0.5: bandwidth makes the work take twice as long
    int64_t cycles = 0;
    double leak_pj = 0;  // of the instances in use, over the time that this level takes
    std::vector<SpaceStats> spaces;

    double energy_pj() const;
};

// What goes from one instance of a level to those below it, for one data space.
struct NetworkStats {
    int64_t words = 0;     // sent; those that arrive are `multicast` times as many
    int64_t fanout = 1;    // instances below that are in use
    double multicast = 1;  // how many of them get the same word, on average
    int64_t spatial_reductions = 0;
};

struct Evaluation {
    int64_t computes = 0, compute_instances = 0;  // steps in all, and units in use
    int64_t compute_cycles = 0;                   // steps of one unit
    int64_t cycles = 0;                           // as many as the slowest level needs
    double utilization = 0;                       // of the units over these cycles
    double compute_pj = 0, compute_area_um2 = 0;
    double energy_pj = 0, area_um2 = 0;
    int64_t last_level_words = 0;  // that the outermost level gives, and is filled and updated with
    std::vector<LevelStats> levels;
    std::vector<std::vector<NetworkStats>> networks;  // of each level and data space

    double edp() const { return energy_pj * 1e-12 * static_cast<double>(cycles); }  // J * cycle
};

// Fails where the mapping is wrong or does not fit; what is given must have passed its own check().
Result<Evaluation> evaluate(const Problem& problem, const Architecture& architecture, const Mapping& mapping);

// No order of the loops in time of the levels inside of level `open` costs less than this, on any count; the
// others have their order. For searches.
Result<Evaluation> least_of_any_order(const Problem& problem, const Architecture& architecture,
                                      const Mapping& mapping, size_t open);

}  // namespace opsight::map
