#include "query/compare/change_points.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "query/compare/statistics.h"

namespace opsight::query {
namespace {

constexpr int kPermutations = 999;
constexpr uint64_t kSeed = 20140301;

struct Split {
    size_t at = 0;
    double distance = -1;
};

// How far two parts that follow each other are apart, of the sums of distances within each and of both
// together: the paper's Q, with its alpha 1.
double apart(double first_sum, double second_sum, double both_sum, size_t first, size_t second) {
    const auto n = static_cast<double>(first), m = static_cast<double>(second);
    const double between = both_sum - first_sum - second_sum;
    const double mean_distance =
        2 * between / (n * m) - 2 * first_sum / (n * (n - 1)) - 2 * second_sum / (m * (m - 1));
    return n * m / (n + m) * mean_distance;
}

// The best of all divisions, where the second part may end before the series does: so a change that goes back
// again is seen, too.
Split best_split(std::span<const double> series) {
    std::vector<double> from(series.size());       // sums of distances within [i, end)
    std::vector<double> up_to(series.size() + 1);  // and within [0, i)
    Split best;
    for (size_t end = 1; end <= series.size(); ++end) {
        double distances = 0;
        for (size_t i = end - 1; i-- > 0;) {
            distances += std::abs(series[i] - series[end - 1]);
            from[i] += distances;
        }
        up_to[end] = from[0];
        for (size_t at = kLeastBetweenChanges; at + kLeastBetweenChanges <= end; ++at)
            if (const double found = apart(up_to[at], from[at], from[0], at, end - at); found > best.distance)
                best = {at, found};
    }
    return best;
}

struct Part {
    size_t begin = 0, end = 0;
    Split split;
};

class Search {
  public:
    explicit Search(std::span<const int64_t> series) : values_(series.begin(), series.end()) {
        parts_ = {{0, values_.size(), best_split(values_)}};
    }

    std::vector<ChangePoint> run() {
        std::vector<ChangePoint> found;
        while (true) {
            const auto best = std::max_element(
                parts_.begin(), parts_.end(),
                [](const Part& a, const Part& b) { return a.split.distance < b.split.distance; });
            if (best->split.distance <= 0) break;
            const double p = chance_of(best->split.distance);
            if (p >= kRealBelow) break;
            const size_t at = best->begin + best->split.at;
            found.push_back({at, p});
            const Part second{at, best->end, best_split(all().subspan(at, best->end - at))};
            *best = {best->begin, at, best_split(all().subspan(best->begin, at - best->begin))};
            parts_.push_back(second);
        }
        return found;
    }

  private:
    std::span<const double> all() const { return values_; }

    // How often values in random order, each within its part, are divided as far apart. Ends as soon as that
    // is too often.
    double chance_of(double distance) {
        int as_far = 0;
        for (int i = 0; i < kPermutations; ++i) {
            std::vector<double> mixed = values_;
            double farthest = -1;
            for (const Part& part : parts_) {
                const std::span<double> values = std::span(mixed).subspan(part.begin, part.end - part.begin);
                for (size_t left = values.size(); left > 1; --left)
                    std::swap(values[left - 1], values[random_() % left]);
                farthest = std::max(farthest, best_split(values).distance);
            }
            as_far += farthest >= distance ? 1 : 0;
            if (as_far + 1 >= kRealBelow * (kPermutations + 1)) break;
        }
        return (as_far + 1.0) / (kPermutations + 1);
    }

    std::vector<double> values_;
    std::vector<Part> parts_;
    std::mt19937_64 random_{kSeed};
};

}  // namespace

std::vector<ChangePoint> find_change_points(std::span<const int64_t> series) {
    if (series.size() < 2 * kLeastBetweenChanges) return {};
    std::vector<ChangePoint> found = Search(series).run();
    std::sort(found.begin(), found.end(),
              [](const ChangePoint& a, const ChangePoint& b) { return a.at < b.at; });
    for (size_t i = 0; i < found.size(); ++i) {
        const size_t begin = i > 0 ? found[i - 1].at : 0;
        const size_t end = i + 1 < found.size() ? found[i + 1].at : series.size();
        found[i].before = median_of(series.subspan(begin, found[i].at - begin));
        found[i].after = median_of(series.subspan(found[i].at, end - found[i].at));
    }
    return found;
}

}  // namespace opsight::query
