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

class Searcher {
  public:
    explicit Searcher(SearchInput& input) : input_(input), settings_(input.settings) {}

    Result<SearchResult> run() {
        sort_dimensions();
        result_.bound = input_.least(input_.empty(), 0);
        wander(settings_.seed, std::min(settings_.samples, kWarmUp));
        double left = branch();
        if (best_) left = std::min(left, best_->cost.first);
        const bool whole = best_ && left >= best_->cost.first;
        if (!whole) wander(settings_.seed + kBatch, settings_.samples);
        result_.stopped = input_.stopped();
        if (!best_) return fail_without();
        result_.mapping = best_->mapping;
        result_.evaluation = best_->evaluation;
        result_.proven = whole;
        result_.bound =
            whole ? best_->cost.first : std::max(result_.bound, std::min(left, best_->cost.first));
        return std::move(result_);
    }

  private:
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
                                   best_ ? best_->cost.first : 0);
        }
        complete_ = left == std::numeric_limits<double>::infinity();
        return left;
    }

    void wander(uint64_t seed, int64_t samples) {
        batch(kBatch, 0, [seed, samples](Explorer& explorer, size_t i) {
            explorer.wander(seed * kBatch + i, (samples + kBatch - 1) / kBatch);
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
    if (objective == Objective::kEnergy) return evaluation.energy_pj;
    if (objective == Objective::kDelay) return static_cast<double>(evaluation.cycles);
    return evaluation.edp();
}

Result<SearchResult> search(const Problem& problem, const Architecture& architecture,
                            const Constraints& constraints, const SearchSettings& settings) {
    OPSIGHT_ASSIGN(const MapSpace space, MapSpace::make(problem, architecture, constraints));
    const Bounds bounds(problem, architecture, space);
    SearchInput input{problem, architecture, space, bounds, settings, {}};
    return Searcher(input).run();
}

}  // namespace opsight::map
