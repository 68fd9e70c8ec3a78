// Times what a comparison does with two trees of work in memory: random pairs of growing size.
//
//   compare_pass OPS...      prints, for each number of distinct ops a side, OPS and milliseconds of CPU time
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "query/compare/changes.h"
#include "query/compare/test_tree.h"

namespace opsight::query {
namespace {

// Layers of about ten ops, five levels deep; a tenth of the ops and layers differ between two seeds.
WorkTree tree_of(size_t ops, uint64_t seed) {
    std::mt19937_64 same(17), own(seed);
    TestTree made(8);
    std::vector<size_t> path = {0};
    for (size_t i = 0; i < ops; ++i) {
        const bool differs = own() % 10 == 0;
        if (same() % 10 == 0) {
            while (path.size() > 1 && (path.size() > 5 || same() % 3 == 0))
                path.pop_back();
            path.push_back(
                made.layer((differs ? "Other_" : "Layer_") + std::to_string(same() % 100), path.back()));
        }
        const std::string number = std::to_string(same() % 50);
        made.op((differs ? "other" : "op") + number, path.back(), static_cast<int64_t>(1000 + own() % 100),
                "kernel" + number, "[[" + std::to_string(same() % 20) + "]]");
    }
    return made.finish();
}

}  // namespace
}  // namespace opsight::query

int main(int count, char** words) {
    for (int i = 1; i < count; ++i) {
        const size_t ops = std::strtoull(words[i], nullptr, 10);
        const opsight::query::WorkTree base = opsight::query::tree_of(ops, 1),
                                       next = opsight::query::tree_of(ops, 2);
        const std::clock_t start = std::clock();  // of the processor: others may use the machine too
        const opsight::query::Changes found = opsight::query::find_changes(base, next);
        const double ms = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        if (found.ops.empty()) return 1;
        std::printf("%zu %.1f\n", ops, ms);
    }
    return 0;
}
