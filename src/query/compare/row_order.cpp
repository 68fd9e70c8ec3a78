#include "query/compare/row_order.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace opsight::query {
namespace {

int doubt(const SampleDifference& samples) {
    if (samples.verdict == Verdict::kEqual) return 2;
    return samples.verdict == Verdict::kNoise || samples.verdict == Verdict::kRunToRun ? 1 : 0;
}

// Of the measure that a row is judged by.
int64_t differs_by(const Change& row) {
    const auto ns = [&row](const std::optional<ChangeSide>& side) {
        return side ? (row.by_gpu ? side->gpu_ns : side->cpu_ns) : 0;
    };
    return std::abs(ns(row.next) - ns(row.base));
}

int place(const Change& row) {
    const int doubts = doubt(row.samples);
    return doubts == 0 ? 0 : row.kind != ChangeKind::kSame ? 1 : 1 + doubts;
}

}  // namespace

bool differs_more(const SampleDifference& measure, const SampleDifference& other) {
    return doubt(measure) <= doubt(other) && std::abs(measure.shift) > std::abs(other.shift);
}

void stand_by_part(SampleDifference& row, const SampleDifference& part) {
    if (row.verdict == Verdict::kRunToRun && part.verdict == Verdict::kReal &&
        (row.shift > 0) == (part.shift > 0))
        row.verdict = Verdict::kReal;
}

void put_in_order(std::vector<Change>& rows) {
    const auto key = [](const Change& row) { return std::pair(place(row), -differs_by(row)); };
    std::stable_sort(rows.begin(), rows.end(),
                     [&key](const Change& a, const Change& b) { return key(a) < key(b); });
}

}  // namespace opsight::query
