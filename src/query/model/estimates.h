// Estimates of a network under the settings asked for, as tables. Computes by way of cost/ alone.
#pragma once

#include <string>
#include <vector>

#include "cost/estimate.h"
#include "query/ask/result_table.h"

namespace opsight::query {

struct EstimateQuestion {
    std::vector<hardware::Device> devices;        // none: work without bounds
    std::vector<double> batches;                  // none: that of the file
    std::vector<hardware::Precision> precisions;  // none: the types of the file
    cost::Settings common;                        // everything else
};

struct EstimateAnswer {
    cost::Settings settings;
    cost::Estimate estimate;
};

// One for each device, batch and format, in this order.
std::vector<EstimateAnswer> answer_estimates(const cost::Network& network, const EstimateQuestion& question);

struct ChangedEstimate {
    std::string change;  // "fuse elementwise ops"
    cost::Estimate estimate;
};
// What fusion, narrower formats and sparse weights would change about one answer; only those it has not
// already and that its device has units for. Without a device only what changes bytes.
std::vector<ChangedEstimate> what_if(const cost::Network& network, const cost::Settings& settings);

ResultTable layer_table(const EstimateAnswer& answer);
// The `most` that cost most, by bound, without a device by FLOPs; all in their order where there are no more
// than that, or for 0.
ResultTable costliest_layers(const EstimateAnswer& answer, size_t most);
ResultTable configuration_table(const std::vector<EstimateAnswer>& answers);
ResultTable what_if_table(const EstimateAnswer& base, const std::vector<ChangedEstimate>& changes);
// The totals of one answer, a row each.
ResultTable total_table(const ModelGraph& graph, const EstimateAnswer& answer);

// A sum of the estimate says something: with gaps it is the least that it can be, and nothing at all is no
// number.
inline bool tells(const cost::Estimate& estimate, double sum) {
    return estimate.complete() || sum > 0;
}
// "fp16", or "file's types".
std::string format_text(const cost::Settings& settings);
// A whole number where it is one, below 2^53.
Cell count_cell(double value);

}  // namespace opsight::query
