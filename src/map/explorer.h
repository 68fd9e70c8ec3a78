// One part of a search: all mappings that follow from some choices, or some at random.
#pragma once

#include <array>
#include <limits>
#include <optional>

#include "map/bounds.h"
#include "map/search.h"

namespace opsight::map {

// Bounds are sums in another order than the costs.
constexpr double kRounding = 1 - 1e-9;

// What decides first, and what decides between equals.
using Cost = std::array<double, 4>;
Cost full_cost(const Evaluation& evaluation, const SearchSettings& settings);

struct Found {
    Mapping mapping;
    Evaluation evaluation;
    Cost cost;
};

// What all parts of a search read.
struct SearchInput {
    const Problem& problem;
    const Architecture& architecture;
    const MapSpace& space;
    const Bounds& bounds;
    const SearchSettings& settings;
    std::vector<size_t> order;  // dimensions, as they are chosen

    bool stopped() const {
        return settings.stop != nullptr && settings.stop->load(std::memory_order_relaxed);
    }
    Mapping empty() const;
    // What every mapping costs at least whose first dimensions have these loops.
    double least(const Mapping& mapping, size_t chosen) const;
};

class Explorer {
  public:
    // Looks for less than `known` costs.
    Explorer(const SearchInput& input, const std::optional<Found>& known, int64_t budget)
        : input_(input), best_(known), budget_(budget) {}

    // All that follows from one choice of the factors of the first dimension.
    void follow(size_t choice);
    // Factors at random, and of each the best bypass and orders.
    void roam(uint64_t seed, int64_t samples);
    // Mappings at random, and in turn neighbours of the best so far: other factors of one or two dimensions,
    // another order, another bypass.
    void wander(uint64_t seed, int64_t samples);

    const std::optional<Found>& best() const { return best_; }
    int64_t tried() const { return tried_; }
    int64_t valid() const { return valid_; }
    int64_t cut() const { return cut_; }
    // Nothing that was not looked at costs less; infinite where all was.
    double left() const { return left_; }
    int64_t budget() const { return budget_; }

  private:
    void choose(size_t depth, size_t choice, Mapping& mapping);
    void all_factors(size_t depth, double least, Mapping& mapping);
    void all_kept(size_t level, double least, Mapping& mapping);
    void all_orders(double least, const Mapping& given);
    void order(size_t level, double least, const std::vector<size_t>& fixed, OrderCosts* costs,
               Mapping& mapping);
    void take(const Evaluation& evaluation, const Mapping& mapping);
    void try_one(const Mapping& mapping);
    bool cuts() const {
        return input_.settings.method == Method::kBranchAndBound || input_.settings.method == Method::kHybrid;
    }
    bool fits_so_far(const Mapping& mapping) const;
    bool ended() const;
    // What costs `least` at least is not looked at.
    void leave(double least);
    // Whether there is budget for one more look; else what it would have led to stays open.
    bool may_go_on(double least);

    const SearchInput& input_;
    std::optional<Found> best_;
    int64_t budget_, tried_ = 0, valid_ = 0, cut_ = 0;
    double left_ = std::numeric_limits<double>::infinity();
};

}  // namespace opsight::map
