// The expert rules that users of `nsys analyze` know, on a profile of any origin. docs/STATS.md defines them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/nsys/stats.h"

namespace opsight::query::nsys {

// Defaults are those of nsys, but for what it does not let one choose.
struct Thresholds {
    int64_t rows = 50;                 // of a rule's table
    int64_t gap_ms = 500;              // gpu_gaps: a device idle for longer
    int64_t use_pct = 50;              // gpu_time_util: chunks used less
    int64_t chunks = 30;               // gpu_time_util: equal parts of a device's active range
    int64_t small_copy_bytes = 65536;  // cuda_memcpy_sync: copies to the device up to this size do not block
};

// A threshold by the name it has on the command line and in "rule:name=value".
struct ThresholdOption {
    std::string_view name;
    int64_t Thresholds::*value;
    int64_t least, most;
    std::string_view doc;
};
const std::vector<ThresholdOption>& threshold_options();

struct Rule : ReportInfo {
    std::vector<std::string_view> options;  // names of thresholds, beside "rows"
    Data needs;
    std::string_view question;                  // what the program would have to use: "CUDA memcpy APIs"
    std::string (*found)(const Thresholds&);    // said above the table
    std::string (*nothing)(const Thresholds&);  // said where no row was found
    Result<ResultTable> (*make)(Source&, const Thresholds&);
};
const Registry<Rule>& rules();

struct RuleRequest {
    const Rule* rule = nullptr;
    Thresholds thresholds;
    std::string text;  // "gpu_gaps:gap=100"
};
// "gpu_gaps:gap=100:rows=5" on top of `defaults`.
Result<RuleRequest> parse_rule(std::string_view text, const Thresholds& defaults);
std::string usage(const Rule& rule);
Status check_thresholds(const Thresholds& thresholds);

// The families, one file each.
std::vector<Rule> cuda_call_rules();
std::vector<Rule> gpu_use_rules();

}  // namespace opsight::query::nsys
