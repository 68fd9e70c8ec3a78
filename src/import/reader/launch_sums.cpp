#include "import/reader/launch_sums.h"

namespace opsight::importer {

int64_t shown_ns(const LaunchSum& sum, int64_t i) {
    const int64_t others = sum.calls - 2, rest = sum.total - sum.least - sum.most;
    const bool fits = others > 0 && rest / others >= sum.least && rest / others <= sum.most;
    if (fits && i < 2) return i == 0 ? sum.least : sum.most;
    if (fits) return rest / others + (i - 2 < rest % others ? 1 : 0);
    if (sum.calls == 2 && sum.least <= sum.total) return i == 0 ? sum.least : sum.total - sum.least;
    return sum.total / sum.calls + (i < sum.total % sum.calls ? 1 : 0);
}

}  // namespace opsight::importer
