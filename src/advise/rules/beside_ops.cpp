#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "advise/rules/rules.h"
#include "query/reports/code_loading.h"
#include "query/reports/host_collectives.h"
#include "query/reports/wait_for_work.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

// The outermost ops (others lie within them), calls, and the ends of iterations.
constexpr const char* kOfTheHost =
    "SELECT rank, begin_ns, end_ns FROM ops WHERE {range} AND parent_op IS NULL "
    "UNION ALL SELECT rank, begin_ns, end_ns FROM api_calls WHERE {range} "
    "UNION ALL SELECT rank, begin_ns, begin_ns FROM iterations WHERE {range} "
    "UNION ALL SELECT rank, end_ns, end_ns FROM iterations WHERE {range}";
constexpr const char* kOfDevices =
    "SELECT rank, begin_ns, end_ns FROM kernels WHERE {range} "
    "UNION ALL SELECT rank, begin_ns, end_ns FROM memcpys WHERE {range} "
    "UNION ALL SELECT rank, begin_ns, end_ns FROM memsets WHERE {range} "
    "UNION ALL SELECT rank, begin_ns, end_ns FROM device_other WHERE {range} AND kind = 'graph'";
constexpr const char* kOtherSpans =
    "SELECT kind, name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM other_spans WHERE {range} AND "
    "kind IN ('os_runtime', 'overhead') GROUP BY ALL ORDER BY ms DESC, kind, name LIMIT 20";
constexpr const char* kLongest =
    " SELECT rank, begin_ns, (end_ns - begin_ns) / 1e6 AS ms FROM longest ORDER BY ms DESC, rank, begin_ns";

// A question about `longest`: of each rank the time between these spans.
std::string of_gaps(const char* spans, const char* question) {
    return fmt::format("WITH spans AS ({}), ", spans) +
           std::string(
               "gaps AS (SELECT rank, max(end_ns) OVER w AS begin_ns, lead(begin_ns) OVER w AS end_ns "
               "FROM spans WINDOW w AS (PARTITION BY rank ORDER BY begin_ns)), "
               "longest AS (FROM gaps WHERE end_ns > begin_ns AND NOT EXISTS (SELECT 1 FROM recording_pauses "
               "p WHERE p.rank = gaps.rank AND p.begin_ns < gaps.end_ns AND p.end_ns > gaps.begin_ns) "
               "ORDER BY end_ns - begin_ns DESC, rank, begin_ns LIMIT 20)") +
           question;
}

// What was open in the middle of each, innermost, on a thread that calls ops.
std::string frames_of_gaps() {
    return of_gaps(
        kOfTheHost,
        ", frames AS (SELECT rank, name, depth, begin_ns, end_ns FROM python_frames WHERE track IN (SELECT "
        "track FROM ops) OR NOT EXISTS (FROM ops)) "
        "SELECT g.rank, g.begin_ns, (g.end_ns - g.begin_ns) / 1e6 AS ms, arg_max(f.name, f.depth) AS "
        "open_function FROM longest g LEFT JOIN frames f ON f.rank = g.rank "
        "AND f.begin_ns <= (g.begin_ns + g.end_ns) // 2 AND f.end_ns > (g.begin_ns + g.end_ns) // 2 "
        "GROUP BY ALL ORDER BY ms DESC, g.rank, g.begin_ns");
}

// What runs while the recording shows nothing: switches of context tell whether the program does. Without
// them and without ops it may be the program's own work, which nothing of the recording could show.
void tell_unseen(const RunFacts& f, Finding& finding) {
    const query::SampledTime& samples = f.idle_samples;
    if (f.idle_on_cpu_ns < 0 && samples.count == 0) {
        if (f.ops || f.python_frames) return;
        finding.kind = "unknown";
        finding.evidence = "What the program does between its calls was not recorded.";
        finding.advice = "CPU samples, switches of context or ranges (NVTX, ROCTX) tell what runs then.";
        return;
    }
    if (f.idle_on_cpu_ns >= 0) {
        finding.evidence = fmt::format("By the switches of context a thread is on a CPU in {} of these {}.",
                                       milliseconds(f.idle_on_cpu_ns), milliseconds(f.idle_ns));
        if (2 * f.idle_on_cpu_ns < f.idle_ns) {
            finding.advice =
                "The program sleeps or waits for most of that: for input, another process, or the device.";
            return;
        }
    }
    finding.kind = "unknown";
    finding.title =
        fmt::format("In {} of the time the program runs code of which no calls, ops or ranges were recorded",
                    percent(finding.share_pct.value_or(0)));
    if (samples.count == 0) {
        finding.advice = "CPU samples, Python frames or ranges (NVTX, ROCTX) around it tell what runs then.";
        return;
    }
    finding.evidence += fmt::format("{}{} of the {} CPU samples in these times are in '{}'.",
                                    finding.evidence.empty() ? "" : " ", samples.of_function, samples.count,
                                    samples.function);
    finding.advice =
        "The samples tell what runs then: opsight report RUN --report cpu_samples. Ranges (NVTX, ROCTX) "
        "around parts "
        "of the program tell which part it is.";
}

// Of a recording of devices alone: whether they wait for the program, or have nothing to do, it does not
// tell.
bool tell_devices_alone(const RunFacts& f, const query::Contents& has, Finding& finding) {
    if (!has.device_work || f.cpu || f.host || has.ranges || f.idle_on_cpu_ns >= 0) return false;
    finding.kind = "unknown";
    finding.title = fmt::format("The GPU has no recorded work in {} of the time; the host was not recorded",
                                percent(finding.share_pct.value_or(0)));
    finding.evidence =
        "Only work of devices was recorded: why there is none in between, and whether another process's runs "
        "then, is not known.";
    finding.advice =
        "A recording with the calls of the device's API, ops or ranges tells what the host does then.";
    finding.query = of_gaps(kOfDevices, kLongest);
    return true;
}

// What the source does not record.
void tell_unrecorded(const RunFacts& f, const query::Contents& has, bool host, Finding& finding) {
    if (!host && tell_devices_alone(f, has, finding)) return;
    if (!host && !f.cpu && !has.device_work) finding.query = kOtherSpans;
    if (!host) tell_unseen(f, finding);
    // A library's log of its own calls, as oneDNN's: what is between them may be other work.
    const bool log = !f.torch && !has.calls && !has.ranges && !has.device_work;
    const bool ops_alone = !host && log;
    if (finding.kind != "problem" || (f.cpu && !ops_alone)) return;
    finding.kind = "unknown";
    finding.evidence += finding.evidence.empty() ? "" : " ";
    finding.evidence += f.cpu ? "Only ops were recorded: what the program does between them is not known."
                              : "Neither ops nor calls of the host were recorded: what it does is not known.";
}

bool is_one_of(const query::OpenSpan& span, std::initializer_list<const char*> prefixes) {
    return !span.function && std::any_of(prefixes.begin(), prefixes.end(),
                                         [&](const char* prefix) { return span.name.starts_with(prefix); });
}
bool is_host_communication(const query::OpenSpan& span) {  // of which host_communication tells
    return is_one_of(span, {"gloo:", "ucc:", "mpi:"});
}
bool is_communication(const query::OpenSpan& span) {
    return is_host_communication(span) || is_one_of(span, {"nccl:", "c10d::"});
}

// Gaps of the host, in those that are too long for what Python does from one op to the next, and in others.
struct Gaps {
    query::TimeSpans all;
    int64_t long_ns = 0, longest_ns = 0, median_ns = 0;
    bool are_long(const Context& c, double least_pct) const {
        return c.facts().wall_ns > 0 &&
               100.0 * static_cast<double>(long_ns) >= least_pct * static_cast<double>(c.facts().wall_ns);
    }
};

Gaps measured(const Context& c, query::TimeSpans all) {
    Gaps gaps;
    gaps.all = std::move(all);
    std::vector<int64_t> lengths;
    for (const query::TimeSpan& span : gaps.all) {
        const int64_t ns = span.end - span.begin;
        lengths.push_back(ns);
        gaps.longest_ns = std::max(gaps.longest_ns, ns);
        if (ns >= static_cast<int64_t>(c.threshold("us") * 1000)) gaps.long_ns += ns;
    }
    if (lengths.empty()) return gaps;
    const auto half = lengths.begin() + std::ssize(lengths) / 2;
    std::nth_element(lengths.begin(), half, lengths.end());
    gaps.median_ns = *half;
    return gaps;
}

Result<Gaps> read_gaps(Context& c) {
    OPSIGHT_ASSIGN(query::TimeSpans all, gaps_of_host(c));
    // The rule of host communication tells of that.
    OPSIGHT_ASSIGN(const query::HostCollectives among, query::host_collectives(c.session()));
    if (!among.times.empty()) {
        OPSIGHT_ASSIGN(const query::TimeSpans others, query::times_without(c.session(), among.times));
        all = query::common(all, others);
    }
    return measured(c, std::move(all));
}

// Many short gaps are what Python takes from one op to the next: there is nothing to move out of the loop.
void tell_gaps(Context& c, const Gaps& gaps, bool are_long, Finding& finding) {
    const auto us = [](int64_t ns) { return static_cast<double>(ns) / 1e3; };
    finding.evidence += fmt::format("{}{}, half of them of at most {:.0f} µs; the longest takes {:.2f} ms.",
                                    finding.evidence.empty() ? "" : " ",
                                    c.how_often(std::ssize(gaps.all), "gaps between ops and calls"),
                                    us(gaps.median_ns), us(gaps.longest_ns) / 1e3);
    if (are_long) return;
    finding.title = fmt::format("From one op to the next the host takes {} of the time",
                                percent(finding.share_pct.value_or(0)));
    finding.advice = "Fewer and larger ops help: larger batches, fused ops, a compiled model.";
}

Result<const query::TimeSpans*> times_of_nothing(Context& c) {
    const auto make = [&c]() -> Result<query::TimeSpans> {
        OPSIGHT_ASSIGN(query::Occurrences found, query::times_of(c.session(), query::Activity::kNothing));
        return std::move(found.times);
    };
    return c.once("nothing", make);
}

// Profilers list the loading of libraries with their own work, which counts as none of the run.
Status tell_loading(Context& c, Finding& finding) {
    OPSIGHT_ASSIGN(const query::CodeLoading loading, query::code_loading(c.session()));
    if (loading.count == 0) return {};
    OPSIGHT_ASSIGN(const query::TimeSpans* nothing, times_of_nothing(c));
    const double share = c.share_of(query::common(loading.times, *nothing));
    if (2 * share < finding.share_pct.value_or(0)) return {};
    finding.title = fmt::format(
        "In {} of the time nothing of the recording runs but, in {}, the loading of libraries and code",
        percent(finding.share_pct.value_or(0)), percent(share));
    return {};
}

// A timeline of Horovod has its collectives alone. A tensor is negotiated from when the first rank has it
// until the last one does.
Status tell_negotiation(Context& c, Finding& finding) {
    OPSIGHT_ASSIGN(const query::Occurrences found, query::times_of_annotations(c.session(), "^NEGOTIATE_"));
    if (found.count == 0) return {};
    OPSIGHT_ASSIGN(const query::TimeSpans* nothing, times_of_nothing(c));
    if (2 * c.share_of(query::common(found.times, *nothing)) < finding.share_pct.value_or(0)) return {};
    const double share = c.share_of(found.times);
    finding.title = fmt::format(
        "Tensors wait for other ranks in {} of the time; what the program does then was not recorded",
        percent(share));
    finding.share_pct = share;
    finding.evidence = c.how_often(found.count, "negotiations of Horovod") +
                       ", each from when the first rank has the tensor until the last one does.";
    finding.advice =
        "The marks within them are the ranks as they become ready: see which is the last, and profile that "
        "one.";
    finding.query =
        "SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM annotations WHERE {range} AND "
        "starts_with(name, 'NEGOTIATE_') GROUP BY ALL ORDER BY ms DESC, name";
    return {};
}

Status tell_what_counts_as_nothing(Context& c, Finding& finding) {
    OPSIGHT_TRY(tell_loading(c, finding));
    const query::Contents& has = c.session().contents();
    return has.ops || has.calls || has.device_work ? Status() : tell_negotiation(c, finding);
}

// Of these gaps those in which the program does something that was recorded, and the others: what one finding
// tells is not to be gained by the other.
Result<query::TimeSpans> gaps_of(Context& c, const query::TimeSpans& gaps, bool host) {
    OPSIGHT_ASSIGN(const query::TimeSpans* nothing, times_of_nothing(c));
    if (!host) return query::common(gaps, *nothing);
    OPSIGHT_ASSIGN(const query::TimeSpans something, query::times_without(c.session(), *nothing));
    return query::common(gaps, something);
}

constexpr double kBusyWait = 50;  // % of a wait in which devices work: it is for them

bool waits_in_jax(std::string_view function) {
    return function.ends_with(" block_until_ready") || function.ends_with(" try_to_block");
}

// What is waited for runs on a device, or is still prepared by the host: devices that work tell.
Status tell_wait(Context& c, const std::string& function, Finding& finding) {
    finding.evidence += " It waits for work that was handed over before.";
    if (!c.facts().device_work) return {};
    OPSIGHT_ASSIGN(const query::WaitForWork wait, query::wait_for_work(c.session(), function));
    if (wait.ns == 0) return {};
    const double busy = 100 * static_cast<double>(wait.device_ns) / static_cast<double>(wait.ns);
    finding.evidence += fmt::format(" Devices work in {} of its {}", percent(busy), milliseconds(wait.ns));
    if (busy >= kBusyWait) {
        finding.evidence += ": it waits for them.";
        finding.advice = "Let several steps be under way before one is waited for.";
        return {};
    }
    if (4 * wait.range_ns < wait.ns) {
        finding.evidence += ": what else it waits for was not recorded.";
        finding.advice =
            "The host may compile, make buffers or copy meanwhile: ranges of XLA's host threads would tell. "
            "What is compiled again and again takes functions with fewer shapes.";
        return {};
    }
    finding.evidence += ", so for most of it it waits for something on the host.";
    finding.evidence +=
        fmt::format(" On other threads '{}' is open in {} of that.", wait.range, milliseconds(wait.range_ns));
    finding.advice =
        fmt::format("See what makes '{}' take so long, and whether later steps have it too.", wait.range);
    return {};
}

// What the program does beside its ops, as far as ranges and Python frames tell.
Status tell_program(Context& c, Finding& finding) {
    const RunFacts& f = c.facts();
    if (f.beside_ops) {
        finding.evidence =
            fmt::format("For most of that {} is open.",
                        f.beside_ops->function ? "the Python function " + f.beside_ops->name
                                               : fmt::format("the range '{}'", f.beside_ops->name));
        if (waits_in_jax(f.beside_ops->name)) OPSIGHT_TRY(tell_wait(c, f.beside_ops->name, finding));
    } else if (f.torch)
        finding.evidence =
            "That is Python code between the ops, or something outside of PyTorch: logging, checkpoints, "
            "waiting.";
    if (f.python_frames) finding.query = frames_of_gaps();
    return {};
}

// Where launches were recorded and no work of a device, that may have run beside all of it.
bool tell_unseen_device(const RunFacts& f, double share, bool host, Finding& finding) {
    if (f.device_work || !f.work_lost) return false;
    finding.kind = "unknown";
    if (host)
        finding.title = fmt::format(
            "The program does something else than ops and calls in {} of the time; what the GPU did "
            "meanwhile was not recorded",
            percent(share));
    finding.evidence += (finding.evidence.empty() ? "" : " ") + unseen_device(f);
    return true;
}

// Where the recording paused, as its steps' numbers tell, nothing is known of the time in between.
bool tell_pauses(const RunFacts& f, double share, Finding& finding) {
    if (2 * static_cast<double>(f.all_skipped_ns) < share / 100 * static_cast<double>(f.wall_ns))
        return false;
    if (f.skipped_steps == 0) return false;
    finding.kind = "unknown";
    finding.title =
        fmt::format("In {} of the time nothing was recorded: the recording pauses", percent(share));
    finding.evidence = fmt::format("The numbers of the steps jump over {}, which ran in {}.", f.skipped_steps,
                                   milliseconds(f.skipped_ns));
    finding.advice = "Choose iterations without a pause between them (--iter-start, --iter-stop).";
    return true;
}

// What a recording could show beside the program's own work.
std::string_view known_work(const RunFacts& f, const query::Contents& has) {
    if (f.device_work || f.work_lost || has.device_unseen || (!f.ops && !has.calls))
        return f.ops ? "ops, calls and GPU work" : "calls and GPU work";
    return !f.ops ? "calls" : has.calls ? "ops and calls" : "ops";
}

std::string title_of_program(const RunFacts& f, const query::Contents& has, double share) {
    // Of a program that Opsight recorded, what is missing did not happen.
    if (!f.recorded_here && !f.ops && !has.calls && !f.device_work && !f.work_lost && !has.device_unseen)
        return fmt::format(
            "In {} of the time only ranges or calls of libraries were recorded: what the program does in "
            "them is not known",
            percent(share));
    return fmt::format("The program does something else than {} in {} of the time", known_work(f, has),
                       percent(share));
}

// Of the program within its steps, ranges and Python frames, and of what lies outside of all that; neither
// pauses before work that was launched already nor waits for a processor are its doing.
std::pair<double, double> shares_of_program(const RunFacts& f) {
    return {
        without_run_queue(f, without_queued(f, f.host.value_or(0), f.host_queued_ns), f.run_queue.host_ns),
        without_run_queue(f, without_queued(f, f.idle.value_or(0), f.idle_queued_ns), f.run_queue.idle_ns)};
}

// The program within its steps, ranges and Python frames, and what lies outside of all that.
Status check(Context& c) {
    const RunFacts& f = c.facts();
    const query::Contents& has = c.session().contents();
    if (has.nothing_known && !has.ops && !has.calls && !has.ranges && !has.device_work)
        return c.cannot("what was recorded is of kinds that Opsight does not know"), Status();
    const auto [of_host, of_nothing] = shares_of_program(f);
    if (std::max(of_host, of_nothing) < c.threshold("share")) return {};
    OPSIGHT_ASSIGN(const Gaps gaps, read_gaps(c));
    const bool are_long = !f.ops || gaps.are_long(c, c.threshold("share"));
    for (const bool host : {true, false}) {
        const double share = host ? of_host : of_nothing;
        if (share < c.threshold(are_long ? "share" : "between")) continue;
        // The rule of host communication tells of it, and which rank is the last.
        if (host && f.ops && f.beside_ops && is_host_communication(*f.beside_ops) && !f.device_work) continue;
        Finding finding{host ? "program" : "outside", "problem",
                        host
                            ? title_of_program(f, has, share)
                            : fmt::format("In {} of the time nothing of the recording runs", percent(share))};
        if (host) OPSIGHT_TRY(tell_program(c, finding));
        finding.share_pct = share;
        tell_unrecorded(f, c.session().contents(), host, finding);
        if (tell_lost_work(f, finding)) {
            if (host)
                finding.title = fmt::format(
                    "Of the work seen, only that of the program beside its ops "
                    "and calls runs in {} of the time",
                    percent(share));
        } else if (!tell_unseen_device(f, share, host, finding) && !host && tell_pauses(f, share, finding)) {
            finding.view = "iterations";
        } else if (behind_earlier_work(f, host ? f.host_behind_ns : f.idle_behind_ns, share))
            tell_earlier_work(f, finding);
        else if (host && f.beside_ops && f.beside_ops->once && c.session().range().whole) {
            // What a start-up or an end takes a longer run need not pay again.
            finding.kind = "unknown";
            finding.advice = fmt::format(
                "{} '{}' is open once: whether a longer run has more of it this recording does not tell.",
                f.beside_ops->function ? "The function" : "The range", f.beside_ops->name);
        } else if (host && f.beside_ops && is_communication(*f.beside_ops))
            finding.advice =
                "That is communication between ranks: which rank comes last, their timelines tell.";
        else if (f.python_frames && host && finding.advice.empty())
            finding.advice = "The Python rows of the timeline say what runs then.";
        else if (f.torch && !f.recorded_here && !f.python_frames && finding.advice.empty())
            finding.advice = "A trace recorded with with_stack=True says what runs then.";
        if (!host) OPSIGHT_TRY(tell_what_counts_as_nothing(c, finding));
        finding.view = "timeline";
        if (finding.kind == "problem") {
            OPSIGHT_ASSIGN(query::TimeSpans own, gaps_of(c, gaps.all, host));
            if (f.ops) tell_gaps(c, measured(c, own), are_long, finding);
            tell_queued(f, host ? f.host_queued_ns : f.idle_queued_ns, finding);
            tell_run_queue(f, host ? f.run_queue.host_ns : f.run_queue.idle_ns, finding);
            OPSIGHT_TRY(tell_recording(c, finding));
            OPSIGHT_ASSIGN(finding.times, host_times(c, std::move(own)));
        }
        c.add(std::move(finding));
    }
    return {};
}

}  // namespace

Rule beside_ops_rule() {
    static const std::string longest = of_gaps(kOfTheHost, kLongest);
    return {
        .id = "beside_ops",
        .looks_for = "time of the program in which neither ops, nor calls, nor the GPU work",
        .needs = "",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"},
                       {"between", 20, "% of the wall clock",
                        "of gaps that are all short: Python takes some 5 to 50 µs for an op"},
                       {"us", 100, "µs", "of a long gap: Python from one op to the next takes less"}},
        .bound =
            "the time in which no op, call or data loading is open, or in which no device works where that "
            "is less; that of which nothing was recorded apart",
        .confidence =
            "medium: what runs then was not recorded as ops; frames and ranges tell where they were",
        .remedy = "Move logging, checkpoints and other code out of the loop, or to another thread.",
        .lines = "",
        .query = longest,
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "docs/metrics.md, time budget",
        .gives_way_to = {"scalar_reads", "repeated_ops", "compilation", "growing_tensors", "zero_grad",
                         "optimizer_loop"},
        .interrupts = true,
        .lacks = lacks_nothing,
        .check = check,
    };
}

}  // namespace opsight::advise
