// Asks all rules of a run. Cost: linear in the spans of the range, and the replays that predictions ask for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "advise/rule.h"

namespace opsight::advise {

struct Options {
    std::map<std::string, double> thresholds;  // "RULE.NAME": in place of the rule's own
    std::vector<std::string> rules;            // these alone; empty: all
    bool predict = false;                      // replay the iterations, where a rule says without what
    std::string run = {};  // as commands name it, for those that verify; empty: BEFORE.opsight
    size_t rows = 0;       // of evidence: how many at most of each finding
};

struct NotChecked {
    std::string rule, why;
};

struct Advice {
    Findings findings;  // the largest bound first, then the largest share
    std::vector<NotChecked> not_checked;
    std::vector<std::string> quiet;  // rules that were asked and found nothing
    int64_t iterations = 0;          // 0: the run has none, or is taken whole, and so are bounds
    int64_t ranks = 1;               // without iterations bounds are of one of these, on average
    int64_t wall_ns = 0;             // of an iteration on average, or of the run
    std::string run = {};            // as commands name it: a word of a shell; empty: not told
    // Of all problems together: the time in which at least one of them goes on.
    std::optional<Bound> combined;  // none where nothing is to gain, or of files that are not of one job
    std::string prediction_note;    // why nothing was predicted; empty: it was, or was not asked for
};

Result<Advice> advise(query::Session& session, const Options& options = {});

// The findings alone.
Result<Findings> find_findings(query::Session& session);

// "RULE.NAME=VALUE", checked against the rules.
Result<std::pair<std::string, double>> parse_threshold(std::string_view text);

}  // namespace opsight::advise
