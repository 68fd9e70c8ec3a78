// The best mapping of a problem onto an architecture under constraints.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "map/analysis.h"
#include "map/constraints.h"

namespace opsight::map {

// kLastLevel: words that the outermost level takes and gives.
enum class Objective : uint8_t { kEnergy, kDelay, kEdp, kLastLevel };

// Less is better: pJ, cycles, J * cycles, words.
double cost_of(const Evaluation& evaluation, Objective objective);
std::string_view name_of(Objective objective);  // "last-level"
std::string_view unit_of(Objective objective);
std::optional<Objective> parse_objective(std::string_view name);

// How the space is gone through. But for two of them each proves its answer when it comes to an end.
enum class Method : uint8_t {
    kBranchAndBound,  // leaves away what bounds say is no better
    kExhaustive,      // every mapping, one by one
    kLinearPruned,    // the same without tiles that cannot fit and orders that cannot make a difference
    kRandom,          // factors, orders and bypass at random
    kHybrid,          // factors at random; of each all bypass and orders
};
std::string_view name_of(Method method);  // "linear-pruned"
std::optional<Method> parse_method(std::string_view name);

struct SearchSettings {
    Objective objective = Objective::kEnergy;
    std::vector<Objective> then = {};  // decide, in this order, between equals; the first three of them
    Method method = Method::kBranchAndBound;
    int64_t budget = 4'000'000;  // choices looked at before the proof is given up
    int64_t samples = 200'000;   // mappings tried at random then
    uint64_t seed = 1;
    int threads = 1;
    const std::atomic<bool>* stop = nullptr;                  // once true, the best so far is the result
    std::function<void(double share, double best)> progress;  // of the choices; from the calling thread
};

struct SearchResult {
    Mapping mapping;
    Evaluation evaluation;
    int64_t tried = 0;    // mappings whose cost was asked for
    int64_t valid = 0;    // those of them that fit
    int64_t cut = 0;      // choices left away with all that they lead to, as none of it can be better
    bool proven = false;  // no mapping of the space is better
    bool stopped = false;
    double bound = 0;  // no mapping of the space costs less
};

// By branch and bound a dimension's factors are chosen after the other's, and left away where a bound says
// that nothing better follows. What the budget does not reach is tried at random, with neighbours of the
// best. The same settings find the same mapping, whatever the number of threads, if it is not stopped. Fails
// where no mapping fits.
Result<SearchResult> search(const Problem& problem, const Architecture& architecture,
                            const Constraints& constraints, const SearchSettings& settings);

// What no mapping of the space costs less than, before anything is chosen: energy, cycles and words of the
// last level; nothing else is set.
Result<Evaluation> least_of_any_mapping(const Problem& problem, const Architecture& architecture,
                                        const Constraints& constraints);

}  // namespace opsight::map
