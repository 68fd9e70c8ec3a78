// Two sweeps beside each other: the points of the same name, and their fits.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "query/compare/comparison.h"
#include "query/sweep/tables.h"

namespace opsight::query {
namespace {

struct Pair {
    const PointSummary *base = nullptr, *next = nullptr;
};

std::vector<int64_t> whole_ns(const std::vector<double>& values) {
    std::vector<int64_t> out;
    for (const double each : values)
        out.push_back(std::llround(each));
    return out;
}

std::vector<Pair> pairs_of(const SweepSummary& base, const SweepSummary& next) {
    std::map<std::string, const PointSummary*> named;
    for (const PointSummary& each : next.points)
        named[each.point->name] = &each;
    std::vector<Pair> out;
    for (const PointSummary& each : base.points)
        if (const auto found = named.find(each.point->name);
            found != named.end() && each.ok() && found->second->ok())
            out.push_back({&each, found->second});
    return out;
}

// The samples of a point are its runs.
std::string verdict_over_runs(Verdict verdict) {
    return std::string(verdict == Verdict::kTooFew   ? "too few runs"
                       : verdict == Verdict::kSingle ? "one run"
                                                     : verdict_name(verdict));
}

ResultTable pair_table(const std::vector<Pair>& pairs) {
    ResultTable table;
    table.name = "points";
    table.title = "Latency of the Points that Both Have";
    table.columns = {{"point", "Point"},
                     {"base_ns", "Before (ns)", Unit::kNs},
                     {"next_ns", "After (ns)", Unit::kNs},
                     {"change_pct", "Change (%)", Unit::kPercent},
                     {"base_runs", "Runs Before", Unit::kCount, 2},
                     {"next_runs", "Runs After", Unit::kCount, 2},
                     {"verdict", "Verdict", Unit::kNone, 0},
                     {"p", "p", Unit::kNone, 1, Role::kNumber}};
    for (const auto& [base, next] : pairs) {
        const SampleDifference found =
            compare_samples(whole_ns(base->latencies_ns), whole_ns(next->latencies_ns));
        table.rows.push_back({base->point->name, base->latency_ns, next->latency_ns,
                              100 * (next->latency_ns / base->latency_ns - 1),
                              static_cast<int64_t>(base->measured), static_cast<int64_t>(next->measured),
                              verdict_over_runs(found.verdict), cell_of(found.p)});
    }
    return table;
}

// All points together: the mean of the logarithms of their ratios, with its interval.
std::string ratio_note(const std::vector<Pair>& pairs) {
    double sum = 0;
    for (const auto& [base, next] : pairs)
        sum += std::log(next->latency_ns / base->latency_ns);
    const auto count = static_cast<double>(pairs.size());
    const double ratio = std::exp(sum / count);
    double squares = 0;
    for (const auto& [base, next] : pairs)
        squares += std::pow(std::log(next->latency_ns / base->latency_ns) - sum / count, 2);
    if (pairs.size() < 3)
        return fmt::format("over {} points the latency is {:.3f} times what it was; so few have no interval",
                           pairs.size(), ratio);
    const double half = plan::half_width_of_95(pairs.size() - 1) * std::sqrt(squares / (count - 1) / count);
    return fmt::format(
        "over {} points the latency is {:.3f} times what it was ({:.3f} to {:.3f}, 95 %, by the spread of "
        "the points): {}",
        pairs.size(), ratio, ratio * std::exp(-half), ratio * std::exp(half),
        ratio * std::exp(half) < 1    ? "shorter"
        : ratio * std::exp(-half) > 1 ? "longer"
                                      : "no change that stands against that spread");
}

ResultTable fit_pairs(const SweepSummary& base, const SweepSummary& next) {
    ResultTable table;
    table.name = "fit";
    table.title = "Time = Baseline + Slope x Work";
    table.columns = {{"series", "Series", Unit::kNone, 1},
                     {"of", "Of"},
                     {"base_ns", "Before (ns)", Unit::kNs},
                     {"base_low_ns", "from (ns)", Unit::kNs, 2},
                     {"base_high_ns", "to (ns)", Unit::kNs, 2},
                     {"next_ns", "After (ns)", Unit::kNs},
                     {"next_low_ns", "from (ns)", Unit::kNs, 2},
                     {"next_high_ns", "to (ns)", Unit::kNs, 2},
                     {"apart", "Intervals Apart", Unit::kNone, 0, Role::kYesNo}};
    const std::vector<SeriesShape> after = shapes_of(next);
    for (const SeriesShape& before : shapes_of(base))
        for (const SeriesShape& each : after) {
            const std::string& name = base.series[before.series].name;
            if (next.series[each.series].name != name || !before.line || !each.line) continue;
            const auto add = [&](const char* of, const plan::Estimated& a, const plan::Estimated& b) {
                const bool told = a.low && b.low;
                table.rows.push_back({name, std::string(of), a.value, cell_of(a.low), cell_of(a.high),
                                      b.value, cell_of(b.low), cell_of(b.high),
                                      told ? Cell{*a.high < *b.low || *b.high < *a.low} : Cell{}});
            };
            add("baseline", before.line->baseline, each.line->baseline);
            add("slope", before.line->slope, each.line->slope);
        }
    return table;
}

}  // namespace

Result<Report> compare_sweeps(const Sweep& base, const Sweep& next, const SweepOptions& options) {
    OPSIGHT_ASSIGN(const SweepSummary before, summarize(base, options));
    OPSIGHT_ASSIGN(const SweepSummary after, summarize(next, options));
    const std::vector<Pair> pairs = pairs_of(before, after);
    if (pairs.empty())
        return fail("have no measured point of the same name in common", base.label + ", " + next.label, {},
                    "sweep the same parameters over some of the same values");
    Report report{
        "sweep_comparison", fmt::format("{} and {}", base.label, next.label), {}, {ratio_note(pairs)}};
    if (!base.command.empty() && !next.command.empty() && base.command != next.command)
        report.notes.push_back(
            fmt::format("they ran different commands, so that more may differ than what was changed: {}; {}",
                        fmt::join(base.command, " "), fmt::join(next.command, " ")));
    std::set<std::string> names;
    for (const SweepSummary* each : {&before, &after})
        for (const PointSummary& point : each->points)
            names.insert(point.point->name);
    const size_t left = names.size() - pairs.size();
    if (left > 0)
        report.notes.push_back(fmt::format(
            "{} measured in one of the two alone, or failed in one or both, and {} not compared",
            left == 1 ? "one point was" : fmt::format("{} points were", left), left == 1 ? "is" : "are"));
    report.sections = {{pair_table(pairs)}, {fit_pairs(before, after)}};
    return report;
}

}  // namespace opsight::query
