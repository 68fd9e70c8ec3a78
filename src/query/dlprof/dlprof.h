// The eight reports of DLProf 1.8: summary, detailed, iteration, kernel, tensor_core, op_type, group_op and
// expert_systems. Same columns and the same numbers as DLProf made from the same recording, as far as its
// rules are known; docs/DLPROF.md defines each column, and says what is a guess.
//
// Ops here are not those of reports.h. DLProf takes the outermost marked call of a thread for the op, names
// it by its path of functions, and puts everything that it calls under it, so each kernel counts once; a
// backward op has the name of its forward op, and the calls of one name within an iteration are ops of their
// own. Cost: one pass over the ranges, ops, calls and device work of the profile, which are held in memory:
// about 80 bytes for each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/ask/registry.h"
#include "query/session/event_source.h"

namespace opsight::query::dlprof {

// What the program was written with. It says which ranges are ops, and whether one op ends iterations
// unasked.
enum class Mode : uint8_t { kAuto, kSimple, kPyTorch, kTensorFlow1, kTensorFlow2, kTensorRt };
Result<Mode> parse_mode(std::string_view name);  // "pytorch"; empty: kAuto

struct Options {
    std::string key_op;                  // id or name of the op whose instances end the iterations
    std::optional<int64_t> start, stop;  // first and last iteration, both taken
    Mode mode = Mode::kAuto;
    std::optional<std::string> domain;  // ops are the ranges of this NVTX domain only; "default": without one
};

const Family& report_family();  // in the order in which they are made

struct Made {
    std::vector<Report> reports;     // all of them
    std::vector<std::string> notes;  // what went another way than was asked for
};
Result<Made> make_reports(Source& source, const Options& options);

}  // namespace opsight::query::dlprof
