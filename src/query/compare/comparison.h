// Two runs beside each other: how long an iteration takes, what that time goes to, and what a reader must
// know before believing it. docs/COMPARE.md has the definitions.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "query/compare/changes.h"
#include "query/compare/side.h"
#include "query/compare/statistics.h"
#include "query/reports/reports.h"

namespace opsight::query {

// A class of the time budget: means of the iterations. Differences add up to that of the mean times.
struct BudgetRow {
    std::string key, name;
    std::optional<int64_t> base_ns, next_ns;  // none: the profile cannot tell of it, and has no time in it
    int64_t difference_ns = 0;
    SampleDifference samples;
};

// What is to be said before any number.
struct Caveat {
    std::string kind;  // "other_device"
    std::string text;  // a sentence
};

// Something that explains a difference, with its numbers. Only what stands against noise, or knows none.
struct Cause {
    std::string kind;  // "more_kernels"
    std::string text;  // a sentence
    // Of what it is about: work of devices and of the host, or the wall clock of an iteration.
    std::optional<int64_t> gpu_ns, cpu_ns, wall_ns;
};

struct SettingRow {
    std::string name;
    std::optional<std::string> base, next;
};

// One of several recordings of a side.
struct Run {
    std::string label;
    int64_t rank = 0, iterations = 0;  // none of a whole recording
    int64_t median_ns = 0;             // of its iterations' times
    bool shown = false;                // its layers, ops and kernels are those of the comparison
};

// Whether there are so many runs that they tell by themselves what is noise, of each op too.
inline bool judges_ops(const std::vector<Run>& base, const std::vector<Run>& next) {
    constexpr size_t kEnough = 5;
    return std::min(base.size(), next.size()) >= kEnough;
}

struct Comparison {
    Side base, next;
    std::vector<Run> base_runs, next_runs;  // empty: one run a side
    SampleDifference time;                  // of the iterations; of repeated runs' medians
    int64_t base_mean_ns = 0, next_mean_ns = 0;
    std::vector<BudgetRow> budget;
    Changes changes;
    std::vector<Caveat> caveats;
    std::vector<Cause> causes;         // the greatest first
    std::vector<SettingRow> settings;  // those that differ, and a few that always matter
};

// Repeated runs: the sides are those of them that are shown.
inline constexpr std::string_view kUnlikeIterations = "unlike_iterations";
bool has_caveat(const Comparison& comparison, std::string_view kind);

Comparison compare_sides(Side base, Side next, std::vector<Run> base_runs = {},
                         std::vector<Run> next_runs = {});

// A time of a sentence, each in its own unit: "12.100 ms"; with `sign` "+12.100 ms".
std::string time_text(int64_t ns, bool sign = false);

// "12.1 ms before, 13.0 ms after: ...": the answer as a sentence.
std::string verdict_text(const Comparison& comparison);
std::string_view verdict_name(Verdict verdict);  // "real", "noise", ...

// Its tables: compare, caveats, budget, layers, ops, kernels, settings. Of the shape `limit` and `for_people`
// count: rows of layers, ops and kernels, and nothing that says nothing.
Report comparison_report(const Comparison& comparison, const TableShape& shape);
// Its kernels and how they were launched, where that was read (WorkOptions::launches).
Report launch_report(const Comparison& comparison, const TableShape& shape);

// A p as a cell: for people a text, for their tables show two places only.
Cell p_cell(const std::optional<double>& p, bool for_people);

// The parts, a file each.
std::vector<Caveat> find_caveats(const Comparison& comparison);
std::vector<Cause> find_causes(const Comparison& comparison);
ResultTable launch_changes(const Changes& changes, const TableShape& shape);
ResultTable problem_changes(const FoundProblems& base, const FoundProblems& next);
ResultTable layer_changes(const Changes& changes, const TableShape& shape);
ResultTable op_changes(const Changes& changes, const TableShape& shape);
ResultTable kernel_changes(const Changes& changes, const TableShape& shape);
std::vector<SettingRow> find_settings(const Info& base, const Info& next);

}  // namespace opsight::query
