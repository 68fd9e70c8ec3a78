// Searches for mappings of the problem in Timeloop's files (arguments) on one thread, and prints how many
// mappings it tried each second and how many of these were valid: first at random and near the best, then,
// with the seconds of the whole search, by branch and bound, and whether that proved the optimum; last the
// valid ones of each second where all mappings are gone through (linear-pruned).
#include <chrono>
#include <cstdio>
#include <ctime>

#include "import/timeloop/specification.h"
#include "map/search.h"

namespace {

struct Timed {
    opsight::map::SearchResult result;
    double seconds = 0, cpu_seconds = 0;
};

Timed timed(const opsight::importer::timeloop::Specification& given,
            const opsight::map::SearchSettings& settings) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    auto found = opsight::map::search(given.problem, given.architecture, given.constraints, settings);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return {found ? *std::move(found) : opsight::map::SearchResult{}, took.count(),
            static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC};
}

}  // namespace

int main(int argc, char** argv) {
    const auto given = opsight::importer::timeloop::read_specification({argv + 1, argv + argc}, "", true);
    if (!given) {
        std::fprintf(stderr, "map_pass: %s\n", given.error().message().c_str());
        return 2;
    }
    opsight::map::SearchSettings settings{.objective = opsight::map::Objective::kEdp};
    settings.budget = 1;
    settings.samples = 500'000;
    const Timed at_random = timed(*given, settings);
    const Timed whole = timed(*given, {.objective = opsight::map::Objective::kEdp});
    const Timed one_by_one = timed(*given, {.objective = opsight::map::Objective::kEdp,
                                            .method = opsight::map::Method::kLinearPruned,
                                            .budget = 2'000'000});
    std::printf(
        "%.0f %.0f %.3f %d %.0f\n", static_cast<double>(at_random.result.tried) / at_random.cpu_seconds,
        static_cast<double>(at_random.result.valid) / at_random.cpu_seconds, whole.seconds,
        whole.result.proven ? 1 : 0, static_cast<double>(one_by_one.result.valid) / one_by_one.cpu_seconds);
}
