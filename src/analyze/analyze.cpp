#include "analyze/analyze.h"

#include "analyze/attribution.h"
#include "analyze/captures.h"
#include "analyze/counted_work.h"
#include "analyze/device_facts.h"
#include "analyze/direction.h"
#include "analyze/find_iterations.h"
#include "analyze/iterations.h"
#include "analyze/kernels.h"
#include "analyze/layers.h"
#include "analyze/lost_work.h"
#include "analyze/nesting.h"
#include "analyze/one_job.h"
#include "analyze/op_work.h"
#include "analyze/ops.h"
#include "analyze/repeated_work.h"
#include "analyze/resources.h"
#include "analyze/stacks.h"
#include "analyze/streams.h"
#include "base/task_group.h"

namespace opsight::analyze {
namespace {

// Runs both; `beside` on a thread of its own where there are two. They must not touch the same things: of two
// passes at most one may add texts, and at most one diagnostics.
template <class Beside, class Here>
void together(unsigned threads, Beside beside, Here here) {
    if (threads < 2) {
        beside();
        here();
        return;
    }
    TaskGroup tasks;
    tasks.start(beside);
    here();
    tasks.join();
}

}  // namespace

Status check(const AnalysisOptions& options) {
    return check_range_pattern(options.iteration_range);
}

Analysis analyze(Profile& profile, const AnalysisOptions& options) {
    Analysis analysis;
    check_one_job(profile);
    find_nesting(profile, analysis, options.threads);
    find_layers(profile, analysis);
    std::vector<Direction> directions;
    std::vector<HostSpanId> annotations;
    together(
        options.threads, [&] { directions = find_directions(profile, analysis); },
        [&] { attribute_device_work(profile, analysis, annotations); });
    count_lost_work(profile, analysis);
    count_repeated_work(profile);
    const Captures captures = find_captures(profile, analysis, directions, options.captures);
    identify_ops(profile, analysis, directions, annotations, captures, options.captures);
    find_stacks(profile, analysis);
    find_kernels(profile, analysis, options.counted);
    find_occupancy(profile, analysis);
    find_device_peaks(profile, analysis);
    together(
        options.threads, [&] { sum_op_work(profile, analysis); },
        [&] {
            analysis.iterations = find_iterations(profile, analysis, options);
            number_spans(profile, analysis);
        });
    mark_device_work(profile, analysis);
    together(
        options.threads, [&] { count_work(profile, analysis, captures.here); },
        [&] {
            share_resources(profile, analysis, directions);
            analysis.streams = sum_streams(stream_spans(profile, analysis), profile.pauses,
                                           times_of(analysis.iterations.list));
        });
    return analysis;
}

}  // namespace opsight::analyze
