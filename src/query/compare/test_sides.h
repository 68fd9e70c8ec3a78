// A side of a comparison for tests of what is said of two.
#pragma once

#include <string>

#include "query/compare/side.h"
#include "query/compare/test_tree.h"

namespace opsight::query {

// Eight iterations of a model of six ops, about 100 us each.
struct Made {
    TestTree tree;
    Side side;
    Made() {
        for (int i = 0; i < 6; ++i) {
            const std::string number = std::to_string(i);
            tree.op("op" + number, 0, 10'000, "kernel" + number);
        }
        for (int64_t i = 0; i < tree.tree.iterations; ++i) {
            IterationShares each;
            each.iteration = i;
            each.dur_ns = 100'000 + i * 10;
            each.ns[1] = 60'000;
            each.ns[kIdleResource] = each.dur_ns - each.ns[1];
            side.samples.push_back(each);
        }
        side.classes = {{1, "other_kernel", "Other kernels", true},
                        {2, "communication", "Communication", true},
                        {4, "dataloader", "Data loading", true},
                        {kIdleResource, "idle", "Idle", true}};
        side.state.calls = true;
        side.state.waits.assign(8, 2);
        side.state.waiting_ns.assign(8, 5'000);
    }
    Side finish() {
        side.work = tree.finish();
        return side;
    }
    void scale(size_t op, double by) {
        Amount& gpu = tree.tree.ops[op].work[0].gpu;
        gpu.ns = 0;
        for (int64_t& ns : gpu.samples) {
            ns = static_cast<int64_t>(static_cast<double>(ns) * by);
            gpu.ns += ns;
        }
        gpu.mean_ns = gpu.ns / tree.tree.iterations;
    }
};

}  // namespace opsight::query
