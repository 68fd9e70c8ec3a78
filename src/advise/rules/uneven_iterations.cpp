#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

// Where the longest one is long only until the next one begins: what lies there has no mark.
Finding behind_a_mark(const query::IterationSpread& spread) {
    const int64_t behind_ns = spread.longest_ns - spread.longest_own_ns;
    Finding finding{"uneven_iterations", "note",
                    fmt::format("{} lie between iteration {} and the next, {:.1f} times the median iteration",
                                milliseconds(behind_ns), spread.longest,
                                static_cast<double>(behind_ns) / static_cast<double>(spread.median_ns))};
    finding.evidence = fmt::format(
        "The mark of iteration {} of rank {} is {} long (the median iteration: {}); what follows until the "
        "next one begins is in no mark: other work, or an iteration whose mark was not recorded.",
        spread.longest, spread.rank, milliseconds(spread.longest_own_ns), milliseconds(spread.median_ns));
    finding.advice =
        "Averages count that time for the iteration before it: the timeline shows what runs there.";
    finding.view = "iterations";
    return finding;
}

Status check(Context& c) {
    OPSIGHT_ASSIGN(const query::IterationSpread spread,
                   query::iteration_spread(c.session(), c.threshold("times")));
    if (spread.count < 5 || spread.median_ns <= 0)
        return c.cannot("the range has fewer than five iterations after the warm-up"), Status();
    const double times = static_cast<double>(spread.longest_ns) / static_cast<double>(spread.median_ns);
    const double long_ns = c.threshold("times") * static_cast<double>(spread.median_ns);
    const bool marks_hold_most = 2 * spread.median_own_ns >= spread.median_ns;
    if (times >= c.threshold("times") && marks_hold_most &&
        static_cast<double>(spread.longest_own_ns) < long_ns) {
        c.add(behind_a_mark(spread));
        return {};
    }
    if (spread.two_lengths) {
        Finding finding{"uneven_iterations", "note",
                        "The iterations have two lengths: " + words_of(*spread.two_lengths)};
        finding.evidence = "The average is the length of none of them.";
        finding.advice = "The timeline shows what the long ones do more: choose iterations of one length.";
        finding.view = "iterations";
        c.add(std::move(finding));
        return {};
    }
    if (times < c.threshold("times")) return {};
    Finding finding{"uneven_iterations", "note",
                    fmt::format("The longest iteration takes {:.1f} times the median", times)};
    finding.evidence =
        fmt::format("{} of {} take more than {:.1f} times the median of {}; the longest is {} of rank {}.",
                    spread.long_ones, spread.count, c.threshold("times"), milliseconds(spread.median_ns),
                    spread.longest, spread.rank);
    finding.advice = "Averages hide this: the timeline of that iteration shows what the others have not.";
    finding.view = "iterations";
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule uneven_iterations_rule() {
    return {
        .id = "uneven_iterations",
        .looks_for = "iterations that take much longer than the others, or are of two lengths",
        .needs = "five iterations or more",
        .thresholds = {{"times", query::kTwoLengths, "times the median, or the shorter ones",
                        "iterations of one shape differ by some per cent"}},
        .bound = "",
        .confidence = "high: measured",
        .remedy = "Look at the long ones.",
        .lines = "",
        .query =
            "WITH each AS (SELECT rank, iteration, begin_ns, end_ns, lead(iteration) OVER w AS next, "
            "lead(begin_ns) OVER w AS next_ns FROM iterations WHERE {range} AND NOT warmup "
            "WINDOW w AS (PARTITION BY rank ORDER BY begin_ns)) "
            "SELECT rank, iteration, (CASE WHEN next = iteration + 1 AND NOT EXISTS (SELECT 1 FROM "
            "recording_pauses p WHERE p.rank = each.rank AND p.begin_ns < next_ns AND p.end_ns > "
            "each.begin_ns) THEN next_ns ELSE end_ns END - begin_ns) / 1e6 AS ms FROM each ORDER BY ms DESC",
        .verify = "opsight report --iteration N RUN",
        .source = "DLProf: variation of iterations",
        .lacks = lacks_iterations,
        .check = check,
    };
}

}  // namespace opsight::advise
