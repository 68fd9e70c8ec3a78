#include <fmt/format.h>

#include "advise/rules/rules.h"
#include "advise/rules/waits.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

// What a start-up takes the rest of a run need not pay again: whether there is something to gain is not told.
void tell_start_up(const query::LongCalls& calls, Finding& finding) {
    finding.kind = "unknown";
    finding.advice =
        calls.mostly_one
            ? "A single call of that length is most likely the start-up of the device or the loading of "
              "code: a recording that begins after some iterations shows the run itself."
            : "Most of these calls are the first launch of their kernel, which loads its code: a recording "
              "that begins after some iterations shows the run itself.";
}

// Few long calls take the time: more work for each launch would change nothing.
void tell_long_calls(const Context& c, const query::LongCalls& calls, Finding& finding) {
    const RunFacts& f = c.facts();
    finding.evidence =
        fmt::format("{} takes {} of that, in {}; the longest lasts {}.", calls.name, c.time_of(calls.ns),
                    c.how_often(calls.calls, calls.calls == c.parts() ? "call" : "calls"),
                    milliseconds(calls.longest_ns));
    finding.view = "timeline";
    if (calls.of == query::CallClass::kWait)
        finding.advice =
            "It waits for work that was not recorded or is another process's, or for a slow transfer.";
    else if (calls.mostly_one || calls.first_launches)
        tell_start_up(calls, finding);
    else if (calls.of == query::CallClass::kMemory)
        finding.advice =
            f.torch
                ? "PyTorch keeps freed memory for the next tensor unless its cache is switched off or "
                  "the device is nearly full."
                : "Memory that is allocated once, before the loop, or taken from a pool spares these calls.";
    else
        finding.advice = "These calls, not the GPU's work, are what to make fewer or move out of the loop.";
}

// After its last work a device waits for nothing: that is the end of the program. Launches are followed by
// work, if only by some that was not recorded; waits are told apart.
bool tell_end(const Context& c, const query::LongCalls& calls, double share, Finding& finding) {
    const RunFacts& f = c.facts();
    if (calls.of != query::CallClass::kMemory && calls.of != query::CallClass::kOther) return false;
    if (2 * static_cast<double>(calls.behind_ns) < share / 100 * static_cast<double>(f.wall_ns)) return false;
    finding.kind = "unknown";
    finding.title =
        fmt::format("Only the CPU works in {} of the time, most of it in {} after the GPU's last work",
                    percent(share), calls.name);
    finding.evidence = fmt::format("{} takes {} after that; of {} the longest lasts {}.", calls.name,
                                   milliseconds(calls.behind_ns), c.how_often(calls.calls, "calls"),
                                   milliseconds(calls.longest_ns));
    finding.advice =
        "A program ends once, and no work of the GPU waits for that: a longer run spends less of its time "
        "there.";
    finding.view = "timeline";
    return true;
}

// Calls may be long for what the profiler does within them, where the profiler tells of that.
Status tell_profiler(Context& c, const query::LongCalls& calls, Finding& finding) {
    OPSIGHT_ASSIGN(const query::Occurrences own, query::times_of(c.session(), query::Activity::kOverhead));
    OPSIGHT_ASSIGN(const query::TimeSpans* called, call_times(c));
    const int64_t own_ns = query::length_of(query::common(own.times, *called));
    if (2 * own_ns < calls.class_ns) return {};
    finding.kind = "unknown";
    finding.evidence +=
        fmt::format(" Within calls the profiler's own work takes {}, as it says.", milliseconds(own_ns));
    finding.advice =
        "Most of that may be the recording itself, and not the program: record fewer kinds of events, or "
        "begin after some iterations, to see the run as it is.";
    return {};
}

// Of the time in which only the CPU is at work, what it spends in calls that wait. Returns its share. Waits
// after which the device has no work are another finding's.
Result<double> waits_of_the_cpu(const RunFacts& f, double cpu_share, Context& c) {
    if (!f.long_calls || f.long_calls->of != query::CallClass::kWait || f.wall_ns <= 0) return 0.0;
    const double waiting = std::min(
        cpu_share, 100.0 * static_cast<double>(f.long_calls->class_ns) / static_cast<double>(f.wall_ns));
    OPSIGHT_ASSIGN(const double told, waits_told_by_synchronization(c));
    const double share = waiting - told;
    if (told > 0 && share < c.threshold("share")) return waiting;
    Finding finding{"cpu_waits", "unknown",
                    fmt::format("The CPU waits in {} of the time while no recorded work of the GPU runs",
                                percent(share))};
    finding.share_pct = share;
    tell_long_calls(c, *f.long_calls, finding);
    if (told > 0)
        finding.evidence += fmt::format(
            " Waits that leave the GPU without work, {} of the time, are left out.", percent(told));
    c.add(std::move(finding));
    return waiting;
}

// Kernels that take less than it takes to launch them: % of them, where there are many.
Result<std::optional<double>> tiny_kernels(Context& c) {
    OPSIGHT_ASSIGN(const auto sizes,
                   query::short_kernels(c.session(), static_cast<int64_t>(c.threshold("us") * 1000)));
    const auto [kernels, brief] = sizes;
    const double part =
        100.0 * static_cast<double>(brief) / static_cast<double>(std::max<int64_t>(kernels, 1));
    if (kernels < static_cast<int64_t>(c.threshold("kernels")) * c.parts() || part < c.threshold("part"))
        return std::optional<double>();
    return std::optional(part);
}

void tell_launches(const Context& c, std::optional<double> tiny, Finding& finding) {
    const RunFacts& f = c.facts();
    if (tiny)
        finding.title += fmt::format(": {} of its kernels are shorter than their launch", percent(*tiny));
    const double median_us = static_cast<double>(f.median_ns) / 1e3;
    if (f.kernels > 0)
        finding.evidence =
            fmt::format("{}, half of them of at most {:.1f} µs ({:.1f} µs on average).",
                        c.how_often(f.kernels, "kernels"), median_us,
                        static_cast<double>(f.kernel_ns) / 1e3 / static_cast<double>(f.kernels));
    constexpr double kShortUs = 200;  // a launch takes some 5 µs, an op some 20
    if (median_us > kShortUs) {
        finding.advice =
            "The kernels are long: it is not their launches that take the time. The rows of the CPU in "
            "the timeline say what does.";
        finding.view = "timeline";
        return;
    }
    finding.advice = "Larger batches and fewer, larger ops give the GPU more to do for each call.";
    if (!f.torch || f.graphs || (f.vendor != query::Vendor::kNvidia && f.vendor != query::Vendor::kAmd))
        return;
    if (!f.compiled)
        finding.lines =
            "model = torch.compile(model, mode=\"reduce-overhead\")  # fuses, and replays graphs of the work";
    finding.advice += f.compiled ? " Graphs of the GPU's work (torch.cuda.graphs) save launches."
                                 : " torch.compile (PyTorch 2), or graphs of the GPU's work "
                                   "(torch.cuda.graphs), save launches.";
}

// Time in which no device works; fused, tiny kernels need less of the device too.
Status bound(Context& c, bool tiny, Finding& finding) {
    OPSIGHT_ASSIGN(const query::TimeSpans none_works, idle_times(c));
    OPSIGHT_ASSIGN(finding.times, times_beside_device(c));
    // What Python does in between is not in the share, and goes where launches are replayed.
    if (const double idle = c.share_of(none_works); idle > finding.share_pct.value_or(0) + 5)
        finding.evidence += fmt::format("{}With all that the host does in between it has no work in {}.",
                                        finding.evidence.empty() ? "" : " ", percent(idle));
    if (!tiny) return {};
    OPSIGHT_ASSIGN(
        const query::Occurrences kernels,
        query::times_of_short_kernels(c.session(), static_cast<int64_t>(c.threshold("us") * 1000)));
    finding.times = query::united(finding.times, kernels.times);
    return {};
}

// Where no calls were recorded, ops are what the host does.
void show_ops(Finding& finding) {
    finding.query =
        "SELECT name, count(*) AS calls, sum(self_ns) / 1e6 AS ms FROM ops WHERE {range} GROUP "
        "BY name ORDER BY ms DESC, name LIMIT 20";
}

// Of a run whose work is the CPU's own. Calls of a device's API may be open too, in which it computes
// nothing.
void tell_work_of_the_cpu(Context& c, double share, Finding& finding) {
    const RunFacts& f = c.facts();
    finding.kind = "fine";
    const bool calls = c.session().contents().calls;
    const std::string_view what = !f.ops  ? "recorded calls"
                                  : calls ? "ops and calls of the GPU's API"
                                          : "ops";
    // Where it mostly waits for other ranks, say, or for input, its ops are not what takes the time.
    const double host = f.host.value_or(0), idle = f.idle.value_or(0);
    const bool most = share >= std::max({host, idle, 100 - share - host - idle});
    finding.title =
        most ? fmt::format("The work is done by the CPU, whose {} take {} of the time", what, percent(share))
             : fmt::format("The CPU's {} take {} of the time, and other things more", what, percent(share));
    if (calls && f.long_calls)
        finding.evidence =
            fmt::format("{} takes {} of that, in {}; the longest lasts {}.", f.long_calls->name,
                        c.time_of(f.long_calls->ns),
                        c.how_often(f.long_calls->calls, f.long_calls->calls == c.parts() ? "call" : "calls"),
                        milliseconds(f.long_calls->longest_ns));
    // What others had the processor for is not what this time is to be judged by.
    if (const double waiting = c.share_of(f.run_queue.ns - f.run_queue.host_ns - f.run_queue.idle_ns);
        waiting >= 1) {
        finding.evidence +=
            fmt::format("{}Others had the processor meanwhile in up to {} of the time (rule run_queue).",
                        finding.evidence.empty() ? "" : " ", percent(waiting));
        finding.share_pct = std::max(0.0, share - waiting);
    }
    finding.view = f.ops ? "ops" : "recorded";
    if (f.ops) show_ops(finding);
}

Status check(Context& c) {
    const RunFacts& f = c.facts();
    if (!f.cpu) return c.cannot("neither ops nor calls of the host were recorded"), Status();
    double share = without_queued(f, *f.cpu, f.cpu_queued_ns);
    if (share < c.threshold("share")) return {};
    if (f.device_work) {
        OPSIGHT_ASSIGN(const double waiting, waits_of_the_cpu(f, share, c));
        share -= waiting;
    }
    if (share < c.threshold("share")) return {};
    Finding finding{"host", "problem", {}};
    finding.share_pct = share;
    std::optional<double> tiny;
    const bool unseen = c.session().contents().device_unseen, calls = c.session().contents().calls;
    if (f.ops && !calls) show_ops(finding);
    if (!f.device_work && (f.work_lost || f.truncated || unseen)) {
        finding.kind = "unknown";
        finding.title =
            fmt::format("{} on the CPU take {} of the time; what the GPU did meanwhile was not recorded",
                        !f.ops ? "Calls" : (calls ? "Ops and calls" : "Ops"), percent(share));
        finding.evidence =
            unseen ? "Nothing of devices was recorded, and the machine may have some." : unseen_device(f);
        finding.view = "timeline";
    } else if (!f.device_work) {
        tell_work_of_the_cpu(c, share, finding);
    } else {
        finding.title = fmt::format("The GPU waits for the CPU in {} of the time", percent(share));
        finding.view = "ops";
        if (tell_lost_work(f, finding)) {
            finding.title =
                fmt::format("Of the work seen, only the CPU's runs in {} of the time", percent(share));
        } else if (behind_earlier_work(f, f.cpu_behind_ns, share)) {
            finding.title =
                fmt::format("Of the work seen, only the CPU's runs in {} of the time", percent(share));
            tell_earlier_work(f, finding);
        } else if (f.long_calls && tell_end(c, *f.long_calls, share, finding)) {
            OPSIGHT_TRY(tell_profiler(c, *f.long_calls, finding));
        } else if (f.long_calls && f.long_calls->of != query::CallClass::kWait) {
            const bool one_name =
                2 * static_cast<double>(f.long_calls->ns) >= share / 100 * static_cast<double>(f.wall_ns);
            finding.title +=
                fmt::format(", most of it in {}{}", one_name ? "" : "calls such as ", f.long_calls->name);
            tell_long_calls(c, *f.long_calls, finding);
            OPSIGHT_TRY(tell_profiler(c, *f.long_calls, finding));
        } else {
            OPSIGHT_ASSIGN(tiny, tiny_kernels(c));
            tell_launches(c, tiny, finding);
        }
    }
    if (finding.kind == "problem") {
        OPSIGHT_TRY(bound(c, tiny.has_value(), finding));
        tell_queued(f, f.cpu_queued_ns, finding);
        OPSIGHT_TRY(tell_recording(c, finding));
    }
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule host_bound_rule() {
    return {
        .id = "host_bound",
        .looks_for = "a GPU that waits for the CPU, and many kernels that are shorter than their launch",
        .needs = "ops, or calls of the device's API",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"},
                       {"us", 10, "µs", "of a tiny kernel: a launch takes 5 to 10 µs of the host"},
                       {"part", 50, "% of the kernels", "that are tiny: most of them"},
                       {"kernels", 50, "in an iteration", "fewer are not many"}},
        .bound =
            "the time in which no work of a device runs, and that of kernels shorter than their launch where "
            "most are: "
            "what is left is the device's own",
        .confidence = "high for the time, medium for its cause: the calls and ops that are open meanwhile",
        .remedy = "Give the GPU more for each call, or spare the calls.",
        .query =
            "SELECT name, regexp_matches(name, '{wait_calls}') AS waits, count(*) AS calls, sum(dur_ns) / "
            "1e6 "
            "AS ms FROM api_calls WHERE {range} GROUP BY ALL ORDER BY waits, ms DESC, name LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source =
            "PyTorch performance tuning guide; NVIDIA, CUDA graphs; HTA, kernels shorter than their launch",
        .gives_way_to = {"repeated_ops", "optimizer_loop", "scalar_reads", "small_copies", "pageable_copies",
                         "synchronization", "memory_calls", "data_loading", "first_batches", "file_io",
                         "compilation"},
        .lacks = lacks_nothing,
        .check = check,
    };
}

}  // namespace opsight::advise
