// Launches of which a source has only the sum: how long each is shown.
#pragma once

#include <cstdint>

namespace opsight::importer {

// Of all launches of a kernel, in ns.
struct LaunchSum {
    int64_t calls = 0, total = 0, least = 0, most = 0;
};

// Of the launch `i`: one is as long as the shortest, one as the longest, the others as the average of what is
// left, so that number, sum, average, least and most are those of the sum. Where they contradict each other,
// each is as long as the average.
int64_t shown_ns(const LaunchSum& sum, int64_t i);

}  // namespace opsight::importer
