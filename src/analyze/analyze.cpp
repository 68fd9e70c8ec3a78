#include "analyze/analyze.h"

#include "analyze/attribution.h"
#include "analyze/direction.h"
#include "analyze/find_iterations.h"
#include "analyze/iterations.h"
#include "analyze/kernels.h"
#include "analyze/layers.h"
#include "analyze/nesting.h"
#include "analyze/op_work.h"
#include "analyze/ops.h"
#include "analyze/resources.h"

namespace opsight {

Status check(const AnalysisOptions& options) {
    return check_range_pattern(options.iteration_range);
}

Analysis analyze(Profile& profile, const AnalysisOptions& options) {
    Analysis analysis;
    find_nesting(profile, analysis, options.threads);
    find_layers(profile, analysis);
    const std::vector<Direction> directions = find_directions(profile, analysis);
    std::vector<HostSpanId> annotations;
    attribute_device_work(profile, analysis, annotations);
    identify_ops(profile, analysis, directions, annotations);
    find_kernels(profile, analysis);
    find_occupancy(profile, analysis);
    sum_op_work(profile, analysis);
    share_resources(profile, analysis, directions);
    analysis.iterations = find_iterations(profile, analysis, options);
    number_spans(profile, analysis);
    return analysis;
}

}  // namespace opsight
