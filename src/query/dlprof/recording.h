// What the reports of DLProf need of a profile, as columns, and how ops are made from it. See
// query/dlprof/dlprof.h.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "query/dlprof/dlprof.h"
#include "query/dlprof/marks.h"

namespace opsight::query::dlprof {

// Where the ops of the profile come from.
enum class Origin : uint8_t {
    kRecorded,  // a database of DLProf: its own ops
    kMarked,    // ranges of PyProf or DLProf's PyTorch package: Python dicts
    kOps,       // any other: the outermost op of a thread
    kNone,      // mode "simple": there are none
};

// Rows of raw.ops, by (track, begin, longest first), which is by id.
struct OpRows {
    std::vector<int32_t> id, track, op, parent, forward, iteration;
    std::vector<int64_t> begin, end, sequence;  // sequence: of autograd; -1: none
    size_t size() const { return id.size(); }
};

// Calls of the API, by (track, begin): without those inside another one, unless these are ops of their own.
struct Calls {
    std::vector<int32_t> id, track, name, iteration;
    std::vector<int64_t> begin, end;
    std::vector<std::pair<int32_t, int32_t>> by_id;  // of all calls: raw id, row of the outermost one; by id
    size_t size() const { return track.size(); }
    int64_t duration(int32_t row) const { return end[row] - begin[row]; }
};

// Kernels, copies and sets.
struct DeviceRows {
    std::vector<int8_t> kind;  // 0 kernel, 1 copy, 2 set
    std::vector<int32_t> launch, device, name, config, iteration;
    std::vector<int64_t> begin, end;
    size_t size() const { return kind.size(); }
};

struct Identity {
    std::string name, type, layer, dtypes, shapes;
    bool backward = false, eligible = false;
};

struct KernelName {
    std::string name, base;
    bool uses_tc = false;
};

struct Range {
    int32_t id, track, text;
    int64_t begin, end;
};

struct Device {
    std::string name;
    bool tensor_cores = false;
    int64_t number = 0, compute_major = 0, compute_minor = 0;  // 0: not told
};

using Spans = std::vector<std::pair<int64_t, int64_t>>;

struct Recording {
    Origin origin = Origin::kOps;
    bool from_nsys = false;
    bool tensorflow = false;  // has ranges of TensorFlow
    int64_t zero = 0;         // when the session started, from which DLProf counts
    OpRows ops;               // until find_calls()
    Calls calls;
    DeviceRows device;
    std::vector<Identity> identities;  // by id
    std::vector<KernelName> kernels;   // by id
    std::vector<std::array<int64_t, 6>> configs;
    std::vector<Device> devices;            // of the machines, idle ones too where they are told
    std::vector<int32_t> device_of;         // in `devices`, by id of raw.devices
    Spans stored_iterations;                // those of the first rank
    Spans recorded_iterations;              // those of a database of DLProf; one or none: not split
    std::vector<int64_t> recorded_numbers;  // as it counts them
    absl::flat_hash_map<int32_t, std::string> call_names;  // by Calls::name, as the source spells them
    absl::flat_hash_map<int32_t, Mark> marks;              // by text
    std::vector<Range> ranges;                             // that have a mark, by (track, begin)
    // What sources tell of an op beside its identity: its whole name, and what a database of DLProf says, or
    // the type that the range of a user's own domain names. A database tells it of pseudo-ops, too.
    std::vector<std::pair<std::string, std::string>> told;  // name; payload or type
    absl::flat_hash_map<int32_t, int32_t> told_of;          // by id of the op or API call
    std::vector<std::string> stacks;                        // distinct ones
    absl::flat_hash_map<int32_t, int32_t> stack_of;         // in `stacks`, by id of the op
    Spans loading, file_io;                                 // spans of data loading and of file I/O
    std::map<std::string, std::string> facts;               // raw.meta
    std::string fact(const std::string& key) const {
        const auto found = facts.find(key);
        return found == facts.end() ? std::string() : found->second;
    }
    std::string property(const std::string& key) const { return fact("property." + key); }
    std::set<std::string> lines(const std::string& property) const;  // of its text
};

Status load_devices(Source& source, Recording& recording);

Result<Recording> load_recording(Source& source, const Options& options);

}  // namespace opsight::query::dlprof
