// What a reader should look at first: sentences about the run, each with the numbers that it rests on. A
// finding is made only where its evidence is known, and its advice only where it fits the framework, the
// vendor and the generation of the device. Shares are of the wall clock, by docs/metrics.md.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/session/session.h"

namespace opsight::query {

struct Finding {
    std::string id;                   // "data_loading"
    std::string kind;                 // "problem", "unknown" (the recording does not tell), "fine"
    std::string title;                // a sentence, with its number
    std::string evidence;             // what else of the recording says so; may be empty
    std::string advice;               // may be empty
    std::optional<double> share_pct;  // of the wall clock: what findings are ordered by
    std::string view, tab;            // of the page, where to look
    std::vector<std::pair<std::string, std::string>> reading;  // title, address
};

// The greatest share first. Cost: that of the summary.
Result<std::vector<Finding>> find_findings(Session& session);

}  // namespace opsight::query
