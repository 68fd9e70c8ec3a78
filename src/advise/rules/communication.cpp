#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

// NCCL's and RCCL's kernel for both.
constexpr const char* kPointToPoint = "(?i)send_?recv";

void tell_collectives(const query::CollectiveWaits& c, bool pairs, Finding& finding) {
    finding.evidence += fmt::format(
        " Their {} collectives{}, matched by order: {} of {} (of all ranks) are waiting for the rank that "
        "comes last.",
        c.collectives, pairs ? " and pairs of a send and a receive" : "", milliseconds(c.waiting_ns),
        milliseconds(c.ns));
    if (20 * c.first_waiting_ns >= c.waiting_ns)
        finding.evidence += fmt::format(
            " {} of it is in the first, which ranks enter as their recordings begin: that tells nothing of a "
            "rank.",
            milliseconds(c.first_waiting_ns));
    if (c.times > 0)
        finding.evidence += fmt::format(" Of the others rank {} is the last in {}, and makes {} of it.",
                                        c.last_rank, c.times, milliseconds(c.last_waiting_ns));
    if (2 * (c.waiting_ns - c.first_waiting_ns) >= c.ns)
        finding.advice =
            "Not the network but what the last rank does before it is to look at: compare its iterations "
            "with those of the others.";
    else if (2 * c.waiting_ns >= c.ns) {
        if (2 * c.first_waiting_ns >= c.ns) finding.kind = "unknown";
        finding.advice =
            "Most of it is waiting in the first collective of the recording: record more iterations of all "
            "ranks to see what remains.";
    }
}

Status check(Context& c) {
    const RunFacts& f = c.facts();
    const double share = f.communication.value_or(0);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "communication", "problem",
        fmt::format("Communication that no computation hides takes {} of the time", percent(share))};
    const bool alone = c.session().contents().ranks_left_out > 0;
    finding.evidence = f.ranks > 1 ? fmt::format("{} ranks.", f.ranks)
                       : alone     ? "One rank of several, alone."
                                   : "Only one rank was imported: whether it waits for another is not known.";
    finding.advice = "See how much of it computation hides, and which rank comes last.";
    OPSIGHT_ASSIGN(const query::Occurrences pairs, query::times_of_kernels(c.session(), kPointToPoint));
    if (pairs.count > 0)
        finding.evidence += fmt::format(
            " Point-to-point kernels (sends and receives, of which all-to-alls are made, too) run in {} of "
            "the time, "
            "hidden or not.",
            percent(c.share_of(pairs.times)));
    if (f.collectives) tell_collectives(*f.collectives, pairs.count > 0, finding);
    finding.share_pct = share;
    finding.view = "communication";
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of(c.session(), query::Activity::kCommunication));
    OPSIGHT_ASSIGN(finding.times, with_pauses(c, std::move(found.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule communication_rule() {
    return {
        .id = "communication",
        .looks_for = "collectives and point-to-point communication that no computation hides",
        .needs = "",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"}},
        .bound = "the time in which communication runs",
        .confidence = "high for the time; who is waited for needs all ranks",
        .remedy = "Overlap communication with the backward pass, and look at the rank that comes last.",
        .query =
            "SELECT collective, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM kernels WHERE "
            "{range} AND class = 'communication' GROUP BY ALL ORDER BY ms DESC, collective",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "HTA, communication and computation overlap",
        .gives_way_to = {"small_collectives", "late_collectives", "gathers", "unbalanced_ranks"},
        .leaves_kernels = true,
        .of_kernels = true,
        .lacks = lacks_device_work,
        .check = check,
        .suppose = [](query::Suppositions& s) { s.no_communication = true; },
    };
}

}  // namespace opsight::advise
