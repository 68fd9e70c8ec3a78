// An estimate as one JSON object, and as a text summary.
#pragma once

#include <string>
#include <vector>

#include "query/model/estimates.h"

namespace opsight::report {

// `total` and `layers` are of the first answer; all answers have their totals in `configurations`.
std::string render_estimate_json(const ModelGraph& graph, const std::vector<query::EstimateAnswer>& answers,
                                 const std::vector<query::ChangedEstimate>& changes);

// Layers with output shapes, parameters and multiply-adds, then sums and sizes, for people who know
// torchinfo.
std::string render_estimate_summary(const ModelGraph& graph, const query::EstimateAnswer& answer);

}  // namespace opsight::report
