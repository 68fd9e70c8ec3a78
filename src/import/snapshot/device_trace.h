// What one device's allocator did, put in order: also what it held before the first event that is told.
#pragma once

#include <cstdint>
#include <vector>

#include "import/snapshot/pickle.h"

namespace opsight::importer::snapshot {

struct Change {
    int64_t time_us = 0;
    uint64_t address = 0;
    int64_t bytes = 0;           // of tensors; negative: freed
    int64_t reserved_bytes = 0;  // of segments; one of the two is 0
    Pickle::Value frames = Pickle::kNone;
};

struct OutOfMemory {
    int64_t time_us = 0, bytes = 0, device_free = 0;
    Pickle::Value frames = Pickle::kNone;
};

struct DeviceTrace {
    int64_t device = 0;
    std::vector<Change> held_before;  // when the first event came, in the order of addresses; of its time
    int64_t reserved_before = 0;
    std::vector<Change> changes;
    std::vector<OutOfMemory> out_of_memory;
    int64_t first_us = 0;
    uint64_t unread = 0;      // entries that are no entries, or of an action that is unknown
    bool timed = true;        // entries tell their times; else their order stands for it
    int64_t unexplained = 0;  // bytes by which the end of all changes differs from what was held in the end
};

// By device. `root`: of the pickle.
std::vector<DeviceTrace> read_traces(const Pickle& pickle);

}  // namespace opsight::importer::snapshot
