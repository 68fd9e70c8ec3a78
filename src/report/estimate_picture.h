// An estimate as a picture: layers under the roofline of their device, and throughput against the batch.
#pragma once

#include <string>
#include <vector>

#include "query/model/estimates.h"

namespace opsight::report {

// SVG. `answer` has a device; `batches` are answers for several batches of each device and format, in the
// order of answer_estimates.
std::string render_estimate_picture(const ModelGraph& graph, const query::EstimateAnswer& answer,
                                    const std::vector<query::EstimateAnswer>& batches);

// The batches that the picture shows where none are asked for: powers of two up to 512, and the file's own.
std::vector<double> picture_batches(const ModelGraph& graph);

}  // namespace opsight::report
