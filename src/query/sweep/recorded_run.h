// What a sweep keeps of one recorded run: its iterations' times, memory, and the sums of its layers' ops and
// of kernels. Small enough that hundreds of runs are read at once; the profile stays for everything else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query/session/session.h"

namespace opsight::query {

// Ops of one name and direction in one layer, of any shapes. Amounts are of an iteration, on the average of
// the range's.
struct OpOfRun {
    std::string layer, name, direction;  // layer: a path, "/" where none is known
    double cpu_ns = 0, gpu_ns = 0;       // own time on the host; of its work on devices
    double calls = 0;
    std::optional<double> flops;  // none: not counted
    bool operator==(const OpOfRun&) const = default;
};
struct KernelOfRun {
    std::string name;
    double gpu_ns = 0, calls = 0;
    bool operator==(const KernelOfRun&) const = default;
};

struct RecordedRun {
    std::vector<int64_t> times_ns;  // of the iterations of the range; of a whole recording one
    bool whole = false;             // no iterations are sure: the one time is that of the whole recording
    int64_t left_out = 0;           // iterations that are not in the range, as warm-up
    std::string found_by;           // "optimizer_step"
    bool device_work = false;
    std::optional<double> gpu_utilization_pct, busy_pct;
    std::optional<int64_t> memory_bytes;  // the most that was allocated
    std::string memory_place;             // "GPU", "CPU"
    // Of an iteration. flops_at_least: some of the time has work that is not counted. bounded_ns: the time
    // whose bound is known.
    std::optional<double> flops, bound_ns, bounded_ns;
    bool flops_at_least = false;
    // None where they are at least 0: what takes the time was not counted.
    std::optional<double> told_flops() const { return flops_at_least && flops == 0 ? std::nullopt : flops; }
    std::string machine;  // its devices, or the processor
    std::vector<OpOfRun> ops;
    std::vector<KernelOfRun> kernels;
    bool operator==(const RecordedRun&) const = default;
};

// Of the slowest rank, over the session's range. Cost: as one side of a comparison.
Result<RecordedRun> read_recorded_run(Session& session, const std::string& label);

struct KeptRun {
    std::string made_by;
    RecordedRun run;
};

// As JSON and back. `made_by` names what wrote it; what another Opsight made is read where its layout is this
// one's, and whoever reads it decides.
std::string recorded_run_json(const RecordedRun& run, std::string_view made_by);
Result<KeptRun> parse_recorded_run(const std::string& text, const std::string& file);

}  // namespace opsight::query
