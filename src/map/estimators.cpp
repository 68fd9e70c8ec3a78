#include "map/estimators.h"

namespace opsight::map {
namespace {

constexpr double kSmallKib = 0.5, kSmallPj = 1, kLargeKib = 100, kLargePj = 6, kDramPj = 200, kWordBits = 16;

}  // namespace

double built_in_access_pj(const Level& level) {
    const double block_bits = static_cast<double>(level.word_bits * level.block);
    if (level.dram) return kDramPj * block_bits / kWordBits;
    if (level.capacity.value_or(0) == 0) return 0;
    // A cluster of instances is one memory as wide as all of them.
    const double width = block_bits * static_cast<double>(level.cluster);
    const int64_t rows = (*level.capacity + level.block - 1) / level.block;
    const double kib = static_cast<double>(rows) * width / 8 / 1024;
    const double slope = (kLargePj - kSmallPj) / (kLargeKib - kSmallKib);
    const double word_pj = kSmallPj + slope * (kib - kSmallKib);
    return word_pj * width / kWordBits / static_cast<double>(level.cluster);
}

double built_in_compute_pj(int64_t word_bits) {
    const double words = static_cast<double>(word_bits) / kWordBits;
    return words * words;
}

}  // namespace opsight::map
