#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

constexpr const char* kCreations = R"(^onednn\w*::create_(\w+|.*\(cache_miss\))$)";

Status check(Context& c) {
    OPSIGHT_ASSIGN(const query::CreatedPrimitives counts, query::created_primitives(c.session()));
    if (counts.created + counts.cached == 0)
        return c.cannot("no creations of oneDNN's primitives were recorded (ONEDNN_VERBOSE=2 tells them)"),
               Status();
    OPSIGHT_ASSIGN(query::Occurrences found, query::times_of_ops(c.session(), {.pattern = kCreations}));
    const double share = c.share_of(found.times);
    if (share < c.threshold("share")) return {};
    Finding finding{
        "primitive_creation", "problem",
        fmt::format("Creating primitives of oneDNN takes {} of {}", percent(share), c.the_time())};
    finding.evidence =
        fmt::format("{} primitives created, {} different ones", counts.created, counts.different);
    if (counts.cached > 0) finding.evidence += fmt::format("; the cache had {} more", counts.cached);
    finding.evidence += ".";
    const int64_t again = counts.created - counts.different;
    if (100.0 * static_cast<double>(again) >= c.threshold("again") * static_cast<double>(counts.created)) {
        finding.advice = fmt::format(
            "{} had been created before: the cache of primitives holds too few, or is off, or the program "
            "gives them different attributes each time.",
            again);
        finding.lines = "export ONEDNN_PRIMITIVE_CACHE_CAPACITY=8192  # 1024 where nothing is set";
    } else {
        finding.advice =
            "Hardly one was created twice. Sizes that change ask for new ones: pad inputs to a few sizes. Of "
            "sizes that stay the first pass creates them, and a longer run does not pay for them again.";
    }
    finding.share_pct = share;
    finding.view = "ops";
    finding.times = std::move(found.times);
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule primitive_creation_rule() {
    static const std::string evidence = fmt::format(
        "SELECT name, count(*) AS calls, sum(dur_ns) / 1e6 AS ms FROM ops WHERE {{range}} AND "
        "regexp_matches(name, '{}') GROUP BY ALL ORDER BY ms DESC, name LIMIT 20",
        kCreations);
    return {
        .id = "primitive_creation",
        .looks_for = "primitives of oneDNN that are created anew",
        .needs = "a log of oneDNN that tells creations (ONEDNN_VERBOSE=2)",
        .thresholds = {{"share", 5, "% of the wall clock", "below, little is to gain"},
                       {"again", 10, "% of the creations",
                        "from there on more than chance: the cache keeps what was used last"}},
        .bound = "the time of these creations",
        .confidence = "high: each is recorded",
        .remedy = "Few sizes of inputs, and a cache that holds all primitives.",
        .query = evidence,
        .verify = "opsight compare BEFORE.opsight AFTER.opsight",
        .source = "oneDNN developer guide, primitive cache",
        .of_durations = true,
        .lacks = lacks_ops,
        .check = check,
    };
}

}  // namespace opsight::advise
