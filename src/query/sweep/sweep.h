// A sweep as it was measured, and what each of its points comes to. docs/SWEEPS.md has the definitions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "query/sweep/recorded_run.h"
#include "sweep/fits.h"
#include "sweep/plan.h"
#include "sweep/product.h"

namespace opsight::query {

namespace plan = ::opsight::sweep;

struct RunOfSweep {
    int64_t repeat = 1;
    bool bare = false;
    std::string failed;                // why; empty: it ended well
    std::optional<double> wall_s;      // of the program; none of a profile that was there before
    std::optional<int64_t> rss_bytes;  // the most that one of its processes held
    std::optional<RecordedRun> recorded;
};

struct PointOfSweep {
    plan::Point values;
    std::string name;
    std::vector<RunOfSweep> runs;
};

// What `opsight estimate` says that a network takes at least, at points of a sweep.
struct Prediction {
    std::map<std::string, double> ns;  // by the name of a point, each above 0
    std::string by;                    // what predicted, for people
};

struct Sweep {
    std::string label;
    std::vector<plan::Parameter> parameters;
    std::vector<PointOfSweep> points;
    std::vector<std::string> notes;        // about how it was run
    std::vector<std::string> command;      // that was run; empty: it is of profiles that were there
    std::optional<Prediction> prediction;  // the last one that was asked for
};

struct SweepOptions {
    std::string x;            // the parameter of the curves; empty: the first of numbers
    std::string items, work;  // products; empty: of parameters that are called so, and x
    std::optional<double> most_latency_ns, most_memory_bytes;
    std::optional<Prediction> predicted;
};

// One point, worked out.
struct PointSummary {
    const PointOfSweep* point = nullptr;
    std::optional<double> x, work, items;
    size_t series = 0;
    size_t measured = 0, failed = 0;  // recorded runs that ended well, and all runs that did not
    size_t whole = 0;    // that ended well and are left out: whole recordings, where others have iterations
    std::string reason;  // of the first failure
    std::vector<const RecordedRun*> runs;
    std::vector<double> latencies_ns;  // the median of each run's iterations
    double latency_ns = 0;             // the median of them
    std::optional<double> p95_ns;      // of iterations, the median over the runs
    std::optional<double> memory_bytes, rss_bytes;
    std::optional<double> overhead_pct;  // of the recording, by the whole programs' wall clocks

    bool ok() const { return measured > 0; }
    double throughput() const { return items.value_or(1) * 1e9 / latency_ns; }
    double throughput_at(double latency) const { return items.value_or(1) * 1e9 / latency; }
    // Median over the runs of what they tell; none where none does.
    template <class Get>
    std::optional<double> median(Get get) const;
};

struct SeriesOfSweep {
    std::string name;            // "hidden=512"; empty: nothing else is varied
    std::vector<size_t> points;  // measured ones by rising x
};

struct SweepSummary {
    std::string x_name, work_name,
        items_name;                    // work_name: x_name, or the product; items_name: empty: iterations
    std::vector<PointSummary> points;  // in the order of the sweep
    std::vector<SeriesOfSweep> series;
    bool device_work = false;  // times of parts are those of devices
    bool iterations = true;    // false: whole recordings stand for iterations
};

// Fails where an option names no parameter. Points refer to `sweep`, which must stay.
Result<SweepSummary> summarize(const Sweep& sweep, const SweepOptions& options);

template <class Get>
std::optional<double> PointSummary::median(Get get) const {
    std::vector<double> told;
    for (const RecordedRun* run : runs)
        if (const std::optional<double> value = get(*run)) told.push_back(*value);
    if (told.empty()) return std::nullopt;
    return plan::median_of(std::move(told));
}

}  // namespace opsight::query
