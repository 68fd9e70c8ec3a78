#include "query/compare/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opsight::query {
namespace {

constexpr size_t kExactUpTo = 20;  // samples of both sides
constexpr double kInterval = 0.95, kNormalQuantile = 1.959964;

std::vector<int64_t> sorted(std::span<const int64_t> samples) {
    std::vector<int64_t> copy(samples.begin(), samples.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

// How far the samples that enclose the middle half of all lie apart.
int64_t middle_half(std::span<const int64_t> samples) {
    const std::vector<int64_t> all = sorted(samples);
    const size_t outside = all.size() / 4;
    return all[all.size() - 1 - outside] - all[outside];
}

// The middle of two numbers, half a ns upwards.
int64_t middle(int64_t a, int64_t b) {
    return std::midpoint(b, a);
}

// How many of the subsets of `count` of these ranks have each sum.
std::vector<double> rank_sums(const std::vector<int64_t>& ranks, size_t count) {
    const auto most = static_cast<size_t>(std::accumulate(ranks.begin(), ranks.end(), int64_t{0}));
    std::vector<std::vector<double>> ways(count + 1, std::vector<double>(most + 1, 0));
    ways[0][0] = 1;
    for (const int64_t rank : ranks) {
        const auto r = static_cast<size_t>(rank);
        for (size_t taken = count; taken > 0; --taken)
            for (size_t sum = most; sum >= r; --sum)
                ways[taken][sum] += ways[taken - 1][sum - r];
    }
    return std::move(ways[count]);
}

struct Ranked {
    std::vector<int64_t> twice;  // of all samples: ranks times two, ties at their middle
    int64_t base_sum = 0;        // of the base's
    double ties = 0;             // sum of t^3 - t
};

Ranked ranked(std::span<const int64_t> base, std::span<const int64_t> next) {
    std::vector<std::pair<int64_t, bool>> all;
    for (const int64_t value : base)
        all.emplace_back(value, true);
    for (const int64_t value : next)
        all.emplace_back(value, false);
    std::sort(all.begin(), all.end());
    Ranked out;
    for (size_t i = 0, end = 0; i < all.size(); i = end) {
        while (end < all.size() && all[end].first == all[i].first)
            ++end;
        const auto t = static_cast<double>(end - i);
        out.ties += t * t * t - t;
        for (size_t k = i; k < end; ++k) {
            out.twice.push_back(static_cast<int64_t>(i + 1 + end));
            if (all[k].second) out.base_sum += out.twice.back();
        }
    }
    return out;
}

double exact_p(const Ranked& ranks, size_t base) {
    const std::vector<double> ways = rank_sums(ranks.twice, base);
    const auto at = static_cast<size_t>(ranks.base_sum);
    const auto sum = [&ways](size_t from, size_t to) {
        return std::accumulate(ways.begin() + static_cast<std::ptrdiff_t>(from),
                               ways.begin() + static_cast<std::ptrdiff_t>(to), 0.0);
    };
    const double all = sum(0, ways.size());
    return std::min(1.0, 2 * std::min(sum(0, at + 1), sum(at, ways.size())) / all);
}

// How many differences next - base are at most `x`. Both are sorted.
size_t at_most(const std::vector<int64_t>& base, const std::vector<int64_t>& next, int64_t x) {
    size_t count = 0, first = 0;  // base[first] is the least with next[j] - base <= x
    for (const int64_t value : next) {
        while (first < base.size() && value - base[first] > x)
            ++first;
        count += base.size() - first;
    }
    return count;
}

// The k-th least of all differences, k from 1 on.
int64_t kth_difference(const std::vector<int64_t>& base, const std::vector<int64_t>& next, size_t k) {
    int64_t low = next.front() - base.back(), high = next.back() - base.front();
    while (low < high) {
        const int64_t mid = std::midpoint(low, high);
        if (at_most(base, next, mid) >= k)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

// The interval goes from the k-th least difference to the k-th greatest; 0: there are too few.
size_t interval_rank(size_t n, size_t m) {
    const double pairs = static_cast<double>(n) * static_cast<double>(m);
    if (n + m > kExactUpTo) {
        const double deviation = std::sqrt(pairs * static_cast<double>(n + m + 1) / 12);
        return static_cast<size_t>(std::max(0.0, std::floor(pairs / 2 - kNormalQuantile * deviation)));
    }
    std::vector<int64_t> ranks(n + m);
    std::iota(ranks.begin(), ranks.end(), 1);
    const std::vector<double> ways = rank_sums(ranks, n);
    const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
    const size_t least = n * (n + 1) / 2;
    size_t k = 0;
    for (double below = 0; k < n * m; ++k) {
        below += ways[least + k];
        if (below / all > (1 - kInterval) / 2) break;
    }
    return k;
}

}  // namespace

bool differs(double base, double next, double by) {
    return std::abs(next - base) > by * std::max(std::abs(base), std::abs(next));
}

int64_t median_of(std::span<const int64_t> samples) {
    const std::vector<int64_t> all = sorted(samples);
    const size_t half = all.size() / 2;
    return all.size() % 2 ? all[half] : middle(all[half - 1], all[half]);
}

double rank_test(std::span<const int64_t> base, std::span<const int64_t> next) {
    const Ranked ranks = ranked(base, next);
    const size_t all = base.size() + next.size();
    if (all <= kExactUpTo) return exact_p(ranks, base.size());
    const auto n = static_cast<double>(base.size()), m = static_cast<double>(next.size()), both = n + m;
    const double u = static_cast<double>(ranks.base_sum) / 2 - n * (n + 1) / 2;
    const double variance = n * m / 12 * (both + 1 - ranks.ties / (both * (both - 1)));
    const double away = std::max(0.0, std::abs(u - n * m / 2) - 0.5);
    return variance <= 0 ? 1 : std::erfc(away / std::sqrt(2 * variance));
}

double least_p(size_t base, size_t next) {
    double choices = 1;
    for (size_t i = 1; i <= std::min(base, next); ++i)
        choices = choices * static_cast<double>(base + next + 1 - i) / static_cast<double>(i);
    return std::min(1.0, 2 / choices);
}

SampleDifference compare_samples(std::span<const int64_t> base, std::span<const int64_t> next) {
    const std::vector<int64_t> before = sorted(base), after = sorted(next);
    SampleDifference out;
    out.base_median = median_of(before);
    out.next_median = median_of(after);
    const size_t pairs = before.size() * after.size();
    out.shift = pairs % 2 ? kth_difference(before, after, pairs / 2 + 1)
                          : middle(kth_difference(before, after, pairs / 2),
                                   kth_difference(before, after, pairs / 2 + 1));
    if (before.size() > 1 && after.size() > 1) {
        out.p = rank_test(before, after);
        const size_t longer = pairs - at_most(before, after, 0), shorter = at_most(before, after, -1);
        out.effect =
            (static_cast<double>(longer) - static_cast<double>(shorter)) / static_cast<double>(pairs);
        if (const size_t k = interval_rank(before.size(), after.size()); k > 0) {
            out.low = kth_difference(before, after, k);
            out.high = kth_difference(before, after, pairs + 1 - k);
        }
    }
    if (before == after || (before.front() == after.back() && before.back() == after.front()))
        out.verdict = Verdict::kEqual;
    else if (!out.p)
        out.verdict = Verdict::kSingle;
    else if (least_p(before.size(), after.size()) >= kRealBelow)
        out.verdict = Verdict::kTooFew;
    else
        out.verdict = *out.p < kRealBelow ? Verdict::kReal : Verdict::kNoise;
    return out;
}

SampleDifference compare_one_run(std::span<const int64_t> base, std::span<const int64_t> next, double share) {
    SampleDifference out = compare_samples(base, next);
    const double part = share * static_cast<double>(std::abs(out.base_median));
    out.run_to_run = std::max({static_cast<int64_t>(part), middle_half(base), middle_half(next)});
    if (out.verdict == Verdict::kReal && std::abs(out.shift) < out.run_to_run)
        out.verdict = Verdict::kRunToRun;
    return out;
}

std::vector<int64_t> shared_out(std::span<const int64_t> totals, int64_t count) {
    std::vector<int64_t> parts(totals.size());
    std::vector<std::pair<int64_t, size_t>> remainders;
    int64_t rest = 0;
    for (size_t i = 0; i < totals.size(); ++i) {
        parts[i] = totals[i] / count - (totals[i] % count < 0 ? 1 : 0);
        const int64_t remainder = totals[i] - parts[i] * count;
        rest += remainder;
        remainders.emplace_back(-remainder, i);
    }
    const auto left = static_cast<size_t>(rest / count + (rest % count * 2 >= count ? 1 : 0));
    std::nth_element(remainders.begin(), remainders.begin() + static_cast<std::ptrdiff_t>(left),
                     remainders.end());
    for (size_t i = 0; i < left; ++i)
        ++parts[remainders[i].second];
    return parts;
}

}  // namespace opsight::query
