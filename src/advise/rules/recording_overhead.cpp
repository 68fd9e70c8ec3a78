#include <fmt/format.h>

#include <algorithm>

#include "advise/rules/rules.h"
#include "query/reports/code_loading.h"

namespace opsight::advise {
namespace {

// Returns whether anything of it was recorded.
Result<bool> tell_loading(Context& c) {
    OPSIGHT_ASSIGN(const query::CodeLoading loading, query::code_loading(c.session()));
    const double share = c.share_of(loading.times);
    if (share < c.threshold("share")) return loading.count > 0;
    Finding finding{"code_loading", "note",
                    fmt::format("Loading of libraries and code takes {} of the time", percent(share))};
    finding.evidence = fmt::format(
        "{}; the longest, {}, takes {}. The profiler lists this with its own work: how much of it is the "
        "recording's is not told.",
        c.how_often(loading.count, "stretches"), loading.longest, milliseconds(loading.longest_ns));
    finding.advice = "A program has this once: a recording that begins later shows the run itself.";
    finding.share_pct = share;
    finding.view = "timeline";
    c.add(std::move(finding));
    return true;
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(const RecordingCost cost, recording_cost(c));
    OPSIGHT_ASSIGN(const bool loads, tell_loading(c));
    const auto [seen, guess, stretches, frames, ops] = cost;
    if (frames == 0 && ops == 0 && stretches == 0 && !loads)
        return c.cannot("neither ops of PyTorch nor Python calls were recorded"), Status();
    if (cost.pct() < c.threshold("share")) return {};
    Finding finding{"recording_overhead", "note",
                    fmt::format("Recording itself may take {} of the time",
                                cost.pct() < 100 ? percent(cost.pct()) : "most")};
    finding.evidence =
        seen >= guess
            ? fmt::format("The profiler says so itself: {}.",
                          c.how_often(stretches, "stretches of its own work"))
            : fmt::format(
                  "An estimate: {}{} ops of {:g} µs{}.",
                  frames > 0 ? fmt::format("{} Python calls of {:g} µs and ", frames, c.threshold("frame_us"))
                             : std::string(),
                  ops, c.threshold(c.facts().recorded_here ? "own_op_us" : "op_us"),
                  c.facts().recorded_here ? "; where ops are very short, three times that was measured" : "");
    finding.advice =
        frames > 0
            ? "It is in the shares of the CPU, of Python and of the host; record without with_stack to "
              "see the run as it is."
            : "It is in the shares of the host, and of time in which nothing of the recording "
              "runs; record fewer kinds of events to see the run as it is.";
    if (guess > seen)
        finding.query =
            "SELECT (SELECT count(*) FILTER (i.rank IS NULL OR f.begin_ns < i.end_ns) FROM python_frames f "
            "ASOF LEFT JOIN iterations i ON i.rank = f.rank AND i.begin_ns <= f.begin_ns WHERE "
            "{range:f.rank}) AS "
            "python_calls, "
            "(SELECT count(*) FROM ops WHERE {range}) AS ops";
    if (c.facts().memory_events)
        finding.advice += fmt::format(" Leave out changes of memory{}, too: they cost in each allocation.",
                                      c.facts().torch ? " (profile_memory)" : "");
    finding.view = "timeline";
    c.add(std::move(finding));
    return {};
}

}  // namespace

// Beside work of a device it costs nothing.
Result<RecordingCost> recording_cost(Context& c) {
    if (c.recording()) return *c.recording();
    const Rule& rule = *find_rule("recording_overhead");
    OPSIGHT_ASSIGN(query::Occurrences own, query::times_of(c.session(), query::Activity::kOverhead));
    OPSIGHT_ASSIGN(const auto counted, query::recorded_calls(c.session()));
    double most_pct = 100;
    if (c.facts().device_work) {
        OPSIGHT_ASSIGN(const query::TimeSpans idle, idle_times(c));
        own.times = query::common(own.times, idle);
        most_pct = c.share_of(idle);
    }
    // What an op costs the profilers of other frameworks nobody told.
    const bool known = c.facts().recorded_here || c.facts().torch;
    RecordingCost cost{c.share_of(own.times), 0, own.count, counted.first, known ? counted.second : 0};
    const char* of_an_op = c.facts().recorded_here ? "own_op_us" : "op_us";
    const double us = static_cast<double>(cost.frames) * c.threshold_of(rule, "frame_us") +
                      static_cast<double>(cost.ops) * c.threshold_of(rule, of_an_op);
    if (c.facts().wall_ns > 0) {
        cost.guess_pct = 100 * 1000 * us / static_cast<double>(c.facts().wall_ns);
        if (c.facts().device_work) cost.guess_pct = std::min(cost.guess_pct, most_pct);
    }
    c.recording() = cost;
    return cost;
}

Status tell_recording(Context& c, Finding& finding) {
    OPSIGHT_ASSIGN(const RecordingCost cost, recording_cost(c));
    if (cost.pct() < c.threshold_of(*find_rule("recording_overhead"), "share")) return {};
    const double pct = std::min(cost.pct(), finding.share_pct.value_or(100));
    finding.evidence +=
        fmt::format("{}Recording itself may take {} of the time: {} of this may be that.",
                    finding.evidence.empty() ? "" : " ", cost.pct() < 100 ? percent(cost.pct()) : "most",
                    pct < cost.pct() ? "all" : "part");
    finding.confidence = 2 * pct >= finding.share_pct.value_or(100)
                             ? "low: recording itself may be most of this time"
                             : "medium: recording itself may be a part of this time";
    return {};
}

Rule recording_overhead_rule() {
    return {
        .id = "recording_overhead",
        .looks_for =
            "the time that recording itself takes, and beside it the loading of libraries and of a device's "
            "code, which "
            "profilers list with their own work",
        .needs = "ops of PyTorch, Python calls, or what the profiler tells of itself",
        .thresholds = {{"share", 5, "% of the wall clock", "what takes less hardly changes what is read"},
                       {"frame_us", 0.5, "µs for a Python call", "a guess: two events of the interpreter"},
                       {"op_us", 1, "µs for an op", "a guess for the profiler of PyTorch"},
                       {"own_op_us", 0.2, "µs for an op",
                        "measured with opsight profile: docs/COLLECTING.md"}},
        .bound = "",
        .confidence = "low: an estimate, but for what the profiler tells of itself",
        .remedy = "Record less.",
        .query =
            "SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM other_spans WHERE {range} "
            "AND kind = 'overhead' GROUP BY ALL ORDER BY ms DESC, name",
        .verify = "opsight profile -- PROGRAM",
        .source = "PyTorch profiler, with_stack",
        .leaves_kernels = true,
        .lacks = lacks_nothing,
        .check = check,
    };
}

}  // namespace opsight::advise
