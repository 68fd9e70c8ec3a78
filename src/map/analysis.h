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

#include <array>
#include <cstdint>
#include <vector>

#include "map/mapping.h"
#include "map/traffic.h"

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

// Costs of mappings that differ in nothing but the orders of their loops in time, one after the other: what
// an order leaves as it was is not counted again. What is given must have passed its own check() and live as
// long; a level has no two loops in time over one dimension.
class OrderCosts {
  public:
    using Extents = std::array<int64_t, kMaxDimensions>;
    // A level's loops with their strides, and the tiles around them.
    struct LevelLoops {
        std::vector<Stride> across, in_time;
        Extents spread{};  // of the tile that all instances below hold together
        Extents tile{};
        int64_t fanout = 1;
        int64_t instances = 1;  // of the level, in use
    };

    // Fails where the mapping is wrong or does not fit, whatever the orders are.
    static Result<OrderCosts> make(const Problem& problem, const Architecture& architecture,
                                   const Mapping& mapping);
    // The same loops of a level in another order.
    void reorder(size_t level, const LevelMapping& loops);
    // Of these orders; with `open`, at least of any order of the levels inside of level `open`.
    Status work_out(size_t open = 0);
    const Evaluation& result() const& { return result_; }
    Evaluation result() && { return std::move(result_); }

  private:
    static constexpr int64_t kUnknown = -1;
    // Of one data space at one level.
    struct Counts {
        int64_t places = 1;  // of the tile among the instances below; kUnknown: too many
        int64_t filled = kUnknown, least_filled = kUnknown;
    };

    OrderCosts(const Problem& problem, const Architecture& architecture, const Mapping& mapping);
    void place(size_t space, const Mapping& mapping);
    Status check_room() const;
    int64_t filled_into(size_t level, size_t space, size_t open);
    void flow(size_t space, size_t open);

    const Problem* problem_;
    const Architecture* architecture_;
    std::vector<LevelLoops> levels_;
    std::vector<size_t> outermost_;  // of each data space, the last level that keeps it
    std::vector<Counts> counts_;
    std::vector<Stride> above_;
    Evaluation result_;
};

// Fails where the mapping is wrong or does not fit; what is given must have passed its own check().
Result<Evaluation> evaluate(const Problem& problem, const Architecture& architecture, const Mapping& mapping);

// No order of the loops in time of the levels inside of level `open` costs less than this, on any count; the
// others have their order. For searches.
Result<Evaluation> least_of_any_order(const Problem& problem, const Architecture& architecture,
                                      const Mapping& mapping, size_t open);

}  // namespace opsight::map
