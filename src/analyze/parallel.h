// parallel_over: calls a function for every item, on a few threads, the largest items first.
#pragma once

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "base/task_group.h"

namespace opsight::analyze {

// `work(item)` must not touch what another item's call touches. `size(item)` tells how much work it is; below
// kWorthThreads in all, everything runs on the calling thread.
template <class Items, class Size, class Work>
void parallel_over(const Items& items, unsigned threads, Size size, Work work) {
    constexpr size_t kWorthThreads = 50'000;
    std::vector<size_t> order(items.size());
    std::iota(order.begin(), order.end(), size_t{0});
    size_t total = 0;
    for (const auto& item : items)
        total += size(item);
    if (threads < 2 || items.size() < 2 || total < kWorthThreads) {
        for (const auto& item : items)
            work(item);
        return;
    }
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return size(items[a]) > size(items[b]); });
    std::atomic<size_t> next{0};
    auto run = [&] {
        for (size_t i = next++; i < order.size(); i = next++)
            work(items[order[i]]);
    };
    TaskGroup tasks;
    for (unsigned i = 1; i < threads && i < items.size(); ++i)
        tasks.start(run);
    run();
    tasks.join();
}

}  // namespace opsight::analyze
