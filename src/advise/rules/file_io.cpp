#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

using query::RunFacts;

Status check(Context& c) {
    const RunFacts& f = c.facts();
    if (!f.io) return c.cannot("no calls of the system were recorded"), Status();
    const double share = f.io.value_or(0);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "file_io", "problem",
        fmt::format("Reading and writing of files and streams takes {} of the time", percent(share))};
    finding.advice = "Read ahead and write later, beside the other work.";
    if (const auto& calls = f.file_calls) {
        finding.evidence = fmt::format(
            "{} takes {} of that, in {}; the longest lasts {}.", calls->name, c.time_of(calls->ns),
            c.how_often(calls->calls, calls->calls == c.parts() ? "call" : "calls"),
            milliseconds(calls->longest_ns));
        // No file keeps a call waiting for so long; a keyboard or a pipe does.
        constexpr int64_t kLongerThanFiles = 1'000'000'000;
        if (calls->mostly_one && calls->longest_ns > kLongerThanFiles) {
            finding.kind = "unknown";
            finding.advice =
                "A call of that length most likely waits for input: of a person, or of another process.";
        }
    }
    finding.share_pct = share;
    finding.view = "timeline";
    OPSIGHT_ASSIGN(query::Occurrences files, query::times_of(c.session(), query::Activity::kFiles));
    OPSIGHT_ASSIGN(finding.times, host_times(c, std::move(files.times)));
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule file_io_rule() {
    return {
        .id = "file_io",
        .looks_for = "reading and writing of files and streams",
        .needs = "calls of the operating system",
        .thresholds = {{"share", 5, "% of the wall clock",
                        "what takes less is hardly a headline; XProf's input bound is 5 % too"}},
        .bound = "the time in which a thread reads or writes, or in which no device works where that is less",
        .confidence = "medium: a call may wait for another process",
        .remedy = "Read ahead and write later.",
        .lines = "",
        .query =
            // Of the system the calls that read and write, as analyze/host_states.cpp lists them.
        "SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM other_spans WHERE {range} "
        "AND (kind = 'file_io' OR (kind = 'os_runtime' AND regexp_full_match(name, "
        "'_*(p?(read|write)v?|f(read|write)(_unlocked)?|f?(gets|puts)|f?getc(_unlocked|har)?|ungetc|"
        "f?putc|putchar|getline|getdelim|fflush|fsync|fdatasync|sendfile|copy_file_range)"
        "(_chk|64|_nocancel)*'))) GROUP BY ALL ORDER BY ms DESC, name LIMIT 20",
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "docs/metrics.md",
        .interrupts = true,
        .leaves_kernels = true,
        .lacks = lacks_nothing,
        .check = check,
    };
}

}  // namespace opsight::advise
