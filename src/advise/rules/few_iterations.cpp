#include <fmt/format.h>

#include "advise/rules/rules.h"

namespace opsight::advise {
namespace {

Status check(Context& c) {
    const int64_t selected = c.session().range().selected;
    if (selected >= static_cast<int64_t>(c.threshold("iterations"))) return {};
    Finding finding{
        "few_iterations", "note",
        fmt::format("Only {} iteration{} in the range", selected, selected == 1 ? " is" : "s are")};
    finding.evidence = "Averages of so few vary from run to run.";
    finding.advice = "Record more iterations before comparing runs.";
    finding.view = "iterations";
    c.add(std::move(finding));
    return {};
}

}  // namespace

Rule few_iterations_rule() {
    return {
        .id = "few_iterations",
        .looks_for = "recordings of very few iterations",
        .needs = "iterations",
        .thresholds = {{"iterations", 5, "iterations", "a median of fewer has no interval worth the name"}},
        .bound = "",
        .confidence = "high: counted",
        .remedy = "Record more.",
        .lines = "",
        .query = "SELECT rank, iteration, dur_ns / 1e6 AS ms FROM iterations WHERE {range}",
        .verify = "opsight profile --record-iterations 20 -- PROGRAM",
        .source = "docs/COMPARE.md",
        .lacks = lacks_iterations,
        .check = check,
    };
}

}  // namespace opsight::advise
