#include "analyze/analyze.h"

#include "analyze/iterations.h"
#include "analyze/nesting.h"

namespace opsight {

Status check(const AnalysisOptions& options) {
    return check_range_pattern(options.iteration_range);
}

Analysis analyze(Profile& profile, const AnalysisOptions& options) {
    Analysis analysis;
    find_nesting(profile, analysis, options.threads);
    return analysis;
}

}  // namespace opsight
