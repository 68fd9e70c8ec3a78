// What became of each layer, op and kernel between two runs. Every nanosecond of an iteration's work stands
// in one row of each level, so the rows of a level add up to the difference of all of it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/compare/align.h"
#include "query/compare/statistics.h"

namespace opsight::query {

// One for a row, the first that holds.
enum class ChangeKind : uint8_t {
    kAdded,
    kRemoved,
    kReplaced,
    kRenamed,
    kMoved,
    kOtherShape,
    kOtherDtype,
    kTensorCoresLost,
    kTensorCoresGained,
    kOtherKernels,
    kOtherCopies,
    kMoreCalls,
    kFewerCalls,
    kSlower,
    kFaster,
    kSame,
};
std::string_view change_name(ChangeKind kind);

// Means of an iteration; times of an item of it, where that is asked for.
struct ChangeSide {
    int64_t gpu_ns = 0, cpu_ns = 0;
    double calls = 0;  // of a layer none
    // Of an op the identity of the first that the row has, in the profile of this side; -1: of none.
    int64_t op_id = -1;
    std::string layer = {};                  // path on this side, of several the first
    int64_t layers = 1;                      // of a layer: those that the row stands for
    std::optional<LaunchShape> launch = {};  // of a kernel, where launches were asked for
};

// The first dimension of an input, before and after: the batch, where it is that of most ops.
using FirstDimensions = std::pair<int64_t, int64_t>;

struct Change {
    ChangeKind kind = ChangeKind::kSame;
    std::string layer;      // path
    std::string op;         // of an op or kernel; empty for layers
    std::string kernel;     // of a kernel
    std::string direction;  // of an op or kernel
    std::string evidence;   // what tells the kind; empty where the kind says it all
    std::optional<ChangeSide> base, next;
    std::optional<FirstDimensions>
        first_dimensions;       // of another shape, where the inputs differ in that alone
    SampleDifference gpu, cpu;  // of the iterations' times
    bool by_gpu = true;         // judged by that on the device, else by that on the host
    SampleDifference samples;   // of the two the one that the row is judged by
};

// All ops that changed in one way. Each op is in one of them.
struct ChangeGroup {
    ChangeKind kind = ChangeKind::kSame;
    size_t rows = 0;
    int64_t base_gpu_ns = 0, next_gpu_ns = 0, base_cpu_ns = 0, next_cpu_ns = 0;
    double base_calls = 0, next_calls = 0;  // of work on devices
    SampleDifference gpu, cpu;
    // The rows that differ most the way that the group does, by time on the device and on the host.
    Change most_gpu, most_cpu;
};

struct Changes {
    // Rows are ordered and judged by time on the device, else (as a side has no device work) on the host;
    // where the host binds one of the runs and both were recorded, each by the one that differs more.
    bool by_gpu = true, host_binds = false;
    bool whole = false;  // times are those of whole recordings, and no means of iterations
    std::vector<Change> layers, ops,
        kernels;                      // what stands against noise first, and the greatest difference of that
    std::vector<ChangeGroup> groups;  // in the order of kinds
    // Share of each side's time, by the measure, that is in ops which have their equal on the other side.
    std::optional<double> base_matched, next_matched;
    bool without_layers = false;  // only one side recorded any: all ops are one row of `layers`
    bool base_gpu = false, next_gpu = false, base_cpu = false, next_cpu = false;  // what was recorded
};

Changes find_changes(const WorkTree& base, const WorkTree& next, bool host_binds = false);

// Each layer with all that is below it, so a row's time is in those of the layers above, too. None where only
// one side recorded layers.
std::vector<Change> layer_totals(const WorkTree& base, const WorkTree& next);

}  // namespace opsight::query
