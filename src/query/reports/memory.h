// Allocated and reserved memory over time, for each device of each rank, from the source's events. The
// picture is of the whole profile; the peaks are those of the range, and of the whole for comparison.
#pragma once

#include <string>
#include <vector>

#include "query/ask/question.h"
#include "query/session/session.h"

namespace opsight::query {

struct MemoryPoint {
    int64_t time_ns = 0;
    int64_t allocated = 0, reserved = -1;  // the most within the point's part of time; -1: not told
};

struct DeviceMemory {
    int64_t rank = 0;         // its number in the job
    std::string kind;         // "GPU", "CPU" or "other"
    int64_t device = -1;      // -1: the host
    bool from_start = false;  // the source tells only changes: what was there before the first is not known
    bool anew_after_pauses = false;  // and so it is after each pause of the recording
    struct Peaks {
        // -1: not told; of the range: nothing was told that held within it
        int64_t events = 0, allocated = -1, at_ns = -1, reserved = -1;
    };
    Peaks range, whole;               // what holds at the begin of the range counts in it
    std::vector<MemoryPoint> points;  // in the order of time
};

inline constexpr int64_t kMemoryPoints = 2000;  // at most, for each device

Result<std::vector<DeviceMemory>> memory_over_time(Session& session);

// What is held in a pause of the recording nobody knows.
struct MemoryPause {
    int64_t rank = 0;  // its number in the job
    int64_t begin_ns = 0, end_ns = 0;
};

// Those between the events of memory that are long enough for the picture, by rank and begin.
Result<std::vector<MemoryPause>> memory_pauses(Session& session);

// Where memory is added up from changes: what the peaks leave out.
Result<std::string> added_up_note(Session& session);
// "out of memory: 2.00 GiB asked for, 310.5 MiB free on the device": of the whole profile, the first times.
Result<std::vector<std::string>> out_of_memory_notes(Session& session);
// The most of each device in the range.
Result<ResultTable> peak_memory(Session& session);
// What is held in the range when most is allocated, by who asked for it.
Result<ResultTable> held_at_peak(Session& session, const TableShape& shape);

}  // namespace opsight::query
