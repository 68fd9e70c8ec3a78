#include "query/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace opsight::query {
namespace {

std::vector<int64_t> class_means(const Side& side) {
    std::vector<int64_t> totals(kResources, 0);
    for (const IterationShares& each : side.samples)
        for (size_t i = 0; i < kResources; ++i)
            totals[i] += each.ns[i];
    return shared_out(totals, std::ssize(side.samples) * side.batch);
}

std::vector<int64_t> medians_of(const std::vector<Run>& runs) {
    std::vector<int64_t> all;
    for (const Run& run : runs)
        all.push_back(run.median_ns);
    return all;
}

bool told(const Side& side, size_t place) {
    return side.classes[place].told;
}

}  // namespace

Comparison compare_sides(Side base, Side next, std::vector<Run> base_runs, std::vector<Run> next_runs) {
    Comparison out;
    out.base_runs = std::move(base_runs);
    out.next_runs = std::move(next_runs);
    out.base = std::move(base);
    out.next = std::move(next);
    out.time = out.base_runs.empty() ? compare_one_run(out.base.times(), out.next.times())
                                     : compare_samples(medians_of(out.base_runs), medians_of(out.next_runs));
    const std::vector<int64_t> before = class_means(out.base), after = class_means(out.next);
    out.base_mean_ns = std::accumulate(before.begin(), before.end(), int64_t{0});
    out.next_mean_ns = std::accumulate(after.begin(), after.end(), int64_t{0});
    for (size_t place = 0; place < out.base.classes.size(); ++place) {
        const BudgetClass& each = out.base.classes[place];
        BudgetRow row{std::string(each.key), std::string(each.name), {}, {}, 0, {}};
        if (told(out.base, place) || before[each.resource] != 0) row.base_ns = before[each.resource];
        if (told(out.next, place) || after[each.resource] != 0) row.next_ns = after[each.resource];
        row.difference_ns = after[each.resource] - before[each.resource];
        row.samples = compare_one_run(out.base.times_in(each.resource), out.next.times_in(each.resource));
        out.budget.push_back(std::move(row));
    }
    out.changes = find_changes(out.base.work, out.next.work, out.base.host_binds || out.next.host_binds);
    out.changes.whole = out.base.range.whole || out.next.range.whole;
    out.settings = find_settings(out.base.info, out.next.info);
    out.caveats = find_caveats(out);
    out.causes = find_causes(out);
    return out;
}

bool has_caveat(const Comparison& comparison, std::string_view kind) {
    return std::any_of(comparison.caveats.begin(), comparison.caveats.end(),
                       [kind](const Caveat& each) { return each.kind == kind; });
}

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::kEqual:
            return "equal";
        case Verdict::kReal:
            return "real";
        case Verdict::kRunToRun:
            return "run to run";
        case Verdict::kNoise:
            return "noise";
        case Verdict::kTooFew:
            return "too few iterations";
        case Verdict::kSingle:
            break;
    }
    return "one sample";
}

}  // namespace opsight::query
