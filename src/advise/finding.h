// A finding: a sentence about the run with the numbers that it rests on, what following it could save at
// most, and what to change. It is made only where its evidence is known, and its advice only where it fits
// the framework, the vendor and the generation of the device. Shares are of the wall clock, by
// docs/metrics.md; docs/ADVICE.md lists the rules.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/ask/first_rows.h"
#include "query/reports/activity_times.h"

namespace opsight::advise {

// How much a finding matters: by its share of the wall clock, or by its bound where it has none.
enum class Severity : uint8_t { kNote, kLow, kMedium, kHigh };

// What following a finding can save at most, all durations but those of what it is about as they were
// recorded.
struct Bound {
    int64_t ns = 0;                       // of an iteration, on average; of the run where it has none
    double pct = 0;                       // of the wall clock
    std::string formula;                  // in words
    std::optional<int64_t> predicted_ns;  // what a replay of the iterations saves (docs/WHATIF.md)
};

struct Finding {
    std::string id;                   // "data_loading"
    std::string kind;                 // "problem", "unknown" (the recording does not tell), "fine", "note"
    std::string title;                // a sentence, with its number
    std::string evidence;             // what else of the recording says so; may be empty
    std::string advice;               // may be empty
    std::optional<double> share_pct;  // of the wall clock
    std::string view, tab;            // of the page, where to look
    std::vector<std::pair<std::string, std::string>> reading;  // title, address
    query::TimeSpans times = {};                               // what it is about; its bound is their length
    query::TimeSpans places = {};  // the longest of them, for people: of ranks by their numbers in the job
    double told_pct = 0;  // of the wall clock: the part of it that findings which know the cause tell
    std::optional<double> kernels_pct = {};  // of it: what a replay without any kernel saves, if less
    std::string filter = {};  // of the page's table, "direction:eq:optimizer": the rows that it is about
    // What the engine adds from the rule.
    std::string rule = {};
    Severity severity = Severity::kNote;
    std::optional<Bound> bound = {};
    std::string confidence = {};  // "high: ...", with the reason
    std::string lines = {};       // to change: code or options
    std::string query = {};       // SQL for `opsight sql` that lists the evidence
    query::FirstRows rows = {};   // of its answer, where they were asked for
    std::string verify = {};      // the command that shows whether it helped
};

using Findings = std::vector<Finding>;

std::string_view severity_name(Severity severity);
std::optional<Severity> parse_severity(std::string_view name);

}  // namespace opsight::advise
