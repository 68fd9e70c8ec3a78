// What one window of a trace became: rows with ids local to the worker that read it, and the entries which
// that worker's tables gained meanwhile. Batches are added to the ProfileBuilder one after another, in the
// order of their windows.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <tuple>
#include <vector>

#include "import/kineto/category.h"
#include "model/profile_builder.h"

namespace opsight::importer::kineto {

using PlaceId = uint32_t;  // into LocalTables::places

// A (pid, tid) pair of the source. What track that is depends on what runs there.
struct ThreadKey {
    bool pid_is_number = false, tid_is_number = false;
    int64_t pid = 0, tid = 0;
    StringId pid_text{0}, tid_text{0};  // where they are not numbers
    StringId rank{0};                   // what tools that merge traces call it: "TP00-DP01", "3"
    bool of_merged() const { return rank != StringId(0); }
    friend bool operator==(const ThreadKey&, const ThreadKey&) = default;
};

// Where device work ran. The place is kept so that metadata and flows, which know only that, find the track.
struct DevicePlace {
    TrackKind kind = TrackKind::kDeviceStream;
    int64_t device = 0, context = 0, stream = 0;
    PlaceId place = 0;
    bool mtia = false;  // Meta's accelerator, of which sources tell no name
    friend bool operator==(const DevicePlace&, const DevicePlace&) = default;
};

enum class OtherRow : uint8_t { kMeta, kBegin, kEnd, kAsyncBegin, kAsyncEnd };

// Rare events that make sense only together with others: names of threads, begins and ends of spans.
struct UnpairedEvent {
    OtherRow what;
    HostKind kind;  // of begins
    int64_t time = 0;
    PlaceId place = 0;
    StringId name{0}, text{0};  // text: the value of metadata, the category of spans
    int64_t id = 0;             // of async spans
};

// In spans, `track` is a PlaceId; in device spans it is an index into LocalTables::device_places.
struct Batch {
    uint64_t sequence = 0;
    size_t worker = 0;
    uint64_t events = 0;
    uint64_t no_events = 0;  // objects of the list that are not trace events: they name no phase
    std::vector<std::string_view> new_strings;
    std::vector<Signature> new_signatures;
    std::vector<LaunchConfig> new_configs;
    std::vector<Collective> new_collectives;
    std::vector<ThreadKey> new_threads;
    std::vector<DevicePlace> new_device_places;

    std::vector<HostSpan> host;    // in source order
    std::vector<uint32_t> detail;  // beside `host`: see HostKind; unused for ops and calls
    std::vector<OpDetail> ops;     // one for each op in `host`, in order
    struct Call {
        int64_t correlation;
        StringId kernel;  // that it launches; invalid: not told
    };
    std::vector<Call> api;  // one for each call in `host`, in order
    // Calls and overhead of the process -1, which the profiler writes where it knows the thread alone.
    struct OfThread {
        HostSpan span;
        int64_t correlation;
    };
    std::vector<OfThread> of_threads;
    std::vector<DeviceSpan> device;
    struct Graph {
        size_t row;  // of `device`
        int64_t graph, node;
    };
    std::vector<Graph> graphs;              // by row
    std::vector<DeviceSpan> legacy_device;  // rows of "CUDA functions"
    std::vector<MemoryEvent> memory;
    struct Counter {
        int64_t time;
        uint32_t track;  // PlaceId, or index of a device place
        StringId name;
        double value;
        bool on_device;
    };
    std::vector<Counter> counters;
    std::vector<FlowEnd> flows;
    std::vector<UnpairedEvent> unpaired;
    Diagnostics diagnostics;
    bool knows_kineto = false;  // an event that only PyTorch writes was seen

    void clear();
};

// The tables of one worker. They live as long as the import of one trace.
struct LocalTables {
    StringPool strings;
    absl::flat_hash_map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t> signatures;
    absl::flat_hash_map<std::string, uint32_t> configs, collectives;  // keyed by raw tokens
    absl::flat_hash_map<std::tuple<int64_t, int64_t>, PlaceId> numbered_places;
    absl::flat_hash_map<std::string, PlaceId> text_places;  // those of merged traces, too
    absl::flat_hash_map<std::tuple<uint8_t, int64_t, int64_t, int64_t, PlaceId>, uint32_t> device_places;
    std::vector<ThreadKey> places;
    size_t strings_given = 1;  // how many strings earlier batches have announced; id 0 is known to all
};

}  // namespace opsight::importer::kineto
