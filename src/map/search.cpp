#include "map/search.h"

#include <algorithm>
#include <numeric>

#include "base/task_group.h"
#include "map/explorer.h"

namespace opsight::map {
namespace {

// Parts of a search that start with the same best mapping, and may run beside each other.
constexpr size_t kBatch = 32;
constexpr int64_t kWarmUp = 4096;  // samples before the first bound is of use

struct ObjectiveWords {
    std::string_view name, unit;
};
// As the enumerations have them.
constexpr ObjectiveWords kObjectives[] = {
    {"energy", "pJ"}, {"delay", "cycles"}, {"edp", "J*cycles"}, {"last-level", "words"}};
constexpr std::string_view kMethods[] = {"branch-and-bound", "exhaustive", "linear-pruned", "random",
                                         "hybrid"};

class Searcher {
  public:
    explicit Searcher(SearchInput& input) : input_(input), settings_(input.settings) {}

    Result<SearchResult> run() {
        sort_dimensions();
        result_.bound = input_.least(input_.empty(), 0);
        const double left = look();
        result_.stopped = input_.stopped();
        if (!best_) return fail_without();
        const double least = best_->cost.front();
        result_.mapping = best_->mapping;
        result_.evaluation = best_->evaluation;
        result_.proven = left >= least;
        result_.bound = result_.proven ? least : std::max(result_.bound, std::min(left, least));
        return std::move(result_);
    }

  private:
    // Nothing that was not looked at costs less than this; infinite where all was.
    double look() {
        switch (settings_.method) {
            case Method::kBranchAndBound:
                return bounded();
            case Method::kExhaustive:
            case Method::kLinearPruned:
                return branch();
            case Method::kRandom:
                wander(settings_.seed, settings_.samples);
                return 0;
            case Method::kHybrid:
                roam();
                return 0;
        }
        return 0;
    }

    double bounded() {
        wander(settings_.seed, std::min(settings_.samples, kWarmUp));
        const double left = branch();
        if (!best_ || left < best_->cost.front()) wander(settings_.seed + kBatch, settings_.samples);
        return left;
    }

    // Those with most choices first: there are most parts then, and bounds cut most.
    void sort_dimensions() {
        input_.order.resize(input_.problem.dimensions.size());
        std::iota(input_.order.begin(), input_.order.end(), 0);
        std::stable_sort(input_.order.begin(), input_.order.end(), [this](size_t a, size_t b) {
            return input_.space.dimensions()[a].factors.size() > input_.space.dimensions()[b].factors.size();
        });
    }

    Result<SearchResult> fail_without() const {
        if (result_.stopped) return fail("stopped before a mapping was found that fits");
        if (complete_)
            return fail("no mapping fits this architecture under these constraints", {}, {},
                        "give its levels more room, or loosen the constraints");
        return fail(
            "no mapping was found that fits this architecture under these constraints", {}, {},
            "give its levels more room, loosen the constraints, or look longer (--budget, --samples)");
    }

    // Runs `work` for each of the parts of a batch, each with its own explorer, and takes the best of them in
    // their order.
    template <class Work>
    double batch(size_t count, int64_t budget, const Work& work) {
        std::vector<Explorer> explorers(count, Explorer(input_, best_, budget));
        std::atomic<size_t> next{0};
        TaskGroup threads;
        const auto take = [&] {
            for (size_t i = next++; i < count; i = next++)
                work(explorers[i], i);
        };
        for (int i = 1; i < settings_.threads; ++i)
            threads.start_beside(take);
        take();
        threads.join();
        double left = std::numeric_limits<double>::infinity();
        for (const Explorer& explorer : explorers) {
            if (explorer.best() && (!best_ || explorer.best()->cost < best_->cost)) best_ = explorer.best();
            result_.tried += explorer.tried();
            result_.valid += explorer.valid();
            result_.cut += explorer.cut();
            budget_ -= budget - explorer.budget();
            left = std::min(left, explorer.left());
        }
        return left;
    }

    // Nothing that was not looked at costs less than this; infinite where all was.
    double branch() {
        const size_t choices = input_.space.dimensions()[input_.order[0]].factors.size();
        double left = std::numeric_limits<double>::infinity();
        for (size_t first = 0; first < choices; first += kBatch) {
            const size_t count = std::min(kBatch, choices - first);
            const auto rest = static_cast<int64_t>(choices - first);
            left =
                std::min(left, batch(count, std::max<int64_t>(budget_ / rest, 1),
                                     [first](Explorer& explorer, size_t i) { explorer.follow(first + i); }));
            if (settings_.progress)
                settings_.progress(static_cast<double>(first + count) / static_cast<double>(choices),
                                   best_ ? best_->cost.front() : 0);
        }
        complete_ = left == std::numeric_limits<double>::infinity();
        return left;
    }

    void wander(uint64_t seed, int64_t samples) {
        batch(kBatch, 0, [seed, samples](Explorer& explorer, size_t i) {
            explorer.wander(seed * kBatch + i, (samples + kBatch - 1) / kBatch);
        });
    }

    void roam() {
        batch(kBatch, std::max<int64_t>(budget_ / static_cast<int64_t>(kBatch), 1),
              [this](Explorer& explorer, size_t i) {
                  explorer.roam(
                      settings_.seed * kBatch + i,
                      (settings_.samples + static_cast<int64_t>(kBatch) - 1) / static_cast<int64_t>(kBatch));
              });
    }

    SearchInput& input_;
    const SearchSettings& settings_;
    int64_t budget_ = settings_.budget;
    SearchResult result_;
    std::optional<Found> best_;
    bool complete_ = false;
};

}  // namespace

double cost_of(const Evaluation& evaluation, Objective objective) {
    switch (objective) {
        case Objective::kEnergy:
            return evaluation.energy_pj;
        case Objective::kDelay:
            return static_cast<double>(evaluation.cycles);
        case Objective::kEdp:
            return evaluation.edp();
        case Objective::kLastLevel:
            return static_cast<double>(evaluation.last_level_words);
    }
    return 0;
}

std::string_view name_of(Objective objective) {
    return kObjectives[static_cast<size_t>(objective)].name;
}

std::string_view unit_of(Objective objective) {
    return kObjectives[static_cast<size_t>(objective)].unit;
}

std::optional<Objective> parse_objective(std::string_view name) {
    for (size_t i = 0; i < std::size(kObjectives); ++i)
        if (kObjectives[i].name == name) return static_cast<Objective>(i);
    return std::nullopt;
}

std::string_view name_of(Method method) {
    return kMethods[static_cast<size_t>(method)];
}

std::optional<Method> parse_method(std::string_view name) {
    for (size_t i = 0; i < std::size(kMethods); ++i)
        if (kMethods[i] == name) return static_cast<Method>(i);
    return std::nullopt;
}

Result<SearchResult> search(const Problem& problem, const Architecture& architecture,
                            const Constraints& constraints, const SearchSettings& settings) {
    OPSIGHT_ASSIGN(const MapSpace space, MapSpace::make(problem, architecture, constraints));
    const Bounds bounds(problem, architecture, space);
    SearchInput input{problem, architecture, space, bounds, settings, {}};
    return Searcher(input).run();
}

Result<Evaluation> least_of_any_mapping(const Problem& problem, const Architecture& architecture,
                                        const Constraints& constraints) {
    OPSIGHT_ASSIGN(const MapSpace space, MapSpace::make(problem, architecture, constraints));
    uint32_t open = 0;
    for (size_t i = 0; i < problem.dimensions.size(); ++i)
        if (problem.dimensions[i].bound > 1) open |= 1U << i;
    Mapping nothing;
    nothing.levels.resize(architecture.levels.size());
    Evaluation least = Bounds(problem, architecture, space).least(nothing, open);
    least.energy_pj *= kRounding;
    return least;
}

}  // namespace opsight::map
