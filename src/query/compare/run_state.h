// What a run did beside the work of its ops, as far as it explains a difference: waits for devices, memory
// held, clocks; and the problems that advice found in it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "query/reports/iteration_shares.h"

namespace opsight::query {

struct RunState {
    bool calls = false;  // calls of the CUDA or HIP API were recorded
    // Calls that wait for a device, and how long, of each of the samples.
    std::vector<int64_t> waits, waiting_ns;
    // The most bytes that were held on one device of the rank; of a run without devices, on the host.
    std::optional<int64_t> memory_held;
    std::string memory_place;              // "GPU", "CPU"
    std::map<std::string, double> clocks;  // counters that are clocks by their name: their mean
    // % of the wall clock in which the threads that run the ops waited for a processor; nothing: not
    // recorded.
    std::optional<double> run_queue_pct;
};

// The clocks that were sampled on both sides and differ, in words, each with its means.
std::vector<std::string> other_clocks(const RunState& base, const RunState& next);

// From this share on, of the wall clock, waits for a processor make times what they are.
inline constexpr double kBusyMachinePct = 5;

// One side's problems, for whoever looks for them: advice is a room above this one.
struct FoundProblem {
    std::string id, title, severity;
    bool small = false;  // of so little time that noise may make it
};
struct FoundProblems {
    std::vector<FoundProblem> all;
    std::set<std::string> not_checked;  // rules that this recording cannot be asked
};

// Of these samples, all of one rank. Cost: one pass over API calls, one over memory events and counters.
Result<RunState> read_run_state(Session& session, const std::vector<IterationShares>& samples);

}  // namespace opsight::query
