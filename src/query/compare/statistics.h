// Whether two sets of samples differ, and by how much: medians, the shift between them with its interval, and
// a rank test, which takes neither a distribution nor equal counts for granted. docs/COMPARE.md has the
// definitions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace opsight::query {

enum class Verdict : uint8_t {
    kEqual,     // every sample of one side has its equal on the other
    kReal,      // stands against the spread of the samples
    kRunToRun,  // so it does, but one run a side was recorded, and runs of one program differ by as much
    kNoise,     // cannot be told from it
    kTooFew,    // no difference between so few samples could be
    kSingle,    // a side has one sample, and no spread
};

// Whether no difference between samples so few could stand against noise.
constexpr bool is_few(Verdict verdict) {
    return verdict == Verdict::kSingle || verdict == Verdict::kTooFew;
}

// Whether two numbers are further apart than this part of the greater one.
bool differs(double base, double next, double by);

struct SampleDifference {
    int64_t base_median = 0, next_median = 0;
    int64_t shift = 0;  // median of the differences of every sample of one side from every one of the other
    std::optional<int64_t> low, high;  // its interval of 95 %; none of too few samples
    std::optional<double> p;           // of the rank test, two-sided
    std::optional<double> effect;      // Cliff's delta: 1 where all samples of the new side are the greater
    int64_t run_to_run = 0;            // of one run a side: a shift of less may be the runs' own
    Verdict verdict = Verdict::kSingle;
};

// p below which a difference counts as real.
inline constexpr double kRealBelow = 0.01;

// Neither side may be empty.
SampleDifference compare_samples(std::span<const int64_t> base, std::span<const int64_t> next);

// Share of the base's median by which times of two runs of one program may differ: those of iterations and of
// work on the host, and of work on devices.
inline constexpr double kRunToRunShare = 0.05, kDeviceRunToRunShare = 0.02;

// The same of one run a side: what is real and less than that share, or than the middle half of a side's
// samples spans, may be the runs' own. docs/COMPARE.md has what was measured.
SampleDifference compare_one_run(std::span<const int64_t> base, std::span<const int64_t> next,
                                 double share = kRunToRunShare);

// Two-sided p of the Wilcoxon-Mann-Whitney test: exact, with ties, up to 20 samples, else the normal
// approximation with corrections for ties and continuity.
double rank_test(std::span<const int64_t> base, std::span<const int64_t> next);

// What rank_test says of two sides whose counts are these: the least that it can.
double least_p(size_t base, size_t next);

int64_t median_of(std::span<const int64_t> samples);

// `totals` divided by `count`, to whole numbers that add up to their sum divided by it, rounded: what is left
// goes to the largest remainders.
std::vector<int64_t> shared_out(std::span<const int64_t> totals, int64_t count);

}  // namespace opsight::query
