// Limits that a comparison must hold: "iteration_time > 3%", "layer:encoder* gpu_time > 5%", "finding:new".
#pragma once

#include <string>
#include <vector>

#include "query/compare/comparison.h"

namespace opsight::query {

struct Gate {
    enum class Subject : uint8_t { kIteration, kLayer, kOp, kKernel, kFinding };
    enum class Metric : uint8_t { kTime, kGpuTime, kCpuTime, kCalls };
    std::string text;  // as it was given
    Subject subject = Subject::kIteration;
    std::string pattern;  // of names; * stands for any characters, ? for one
    Metric metric = Metric::kTime;
    double percent = 0;
};

Result<Gate> parse_gate(const std::string& text);

struct GateResult {
    std::string gate;  // its text
    bool held = true;
    std::vector<std::string> failures;  // a sentence for each row that is over the limit
    std::string summary;                // what was looked at
    size_t doubtful = 0;                // rows over the limit that noise may explain
    std::string unjudged;  // why it is not known whether it holds; it does not count as held then
};

// A difference over the limit, of medians, fails where it stands against noise; with `strict`, then of means,
// always. Numbers of calls know no noise. Where no difference could stand against it, for too few samples, or
// sides are not alike, a limit is not judged, and neither is one that is about nothing that was recorded.
std::vector<GateResult> check_gates(const Comparison& comparison, const std::vector<Gate>& gates,
                                    bool strict);

// Limits, whether they held, and the rows that did not.
ResultTable gate_table(const std::vector<GateResult>& results);

}  // namespace opsight::query
