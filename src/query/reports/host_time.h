// What the host does while no device works, where long calls, ranges or functions tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "query/session/session.h"

namespace opsight::query {

enum class CallClass : uint8_t { kMemory, kWait, kLaunch, kOther };

// Calls of one class that hold most of the time in which only the CPU is at work (the resource "cpu").
struct LongCalls {
    CallClass of = CallClass::kOther;
    std::string name;                           // of those that take most
    int64_t calls = 0, ns = 0, longest_ns = 0;  // of that name; ns: within that time
    int64_t class_ns = 0;                       // of all calls of the class, within that time
    int64_t behind_ns = 0;                      // of `ns`: of calls that begin after all work of the device
    bool mostly_one = false;                    // one call makes half of the class's time
    bool first_launches = false;                // half of them are the first launch of their kernel
};

// Nothing where no class holds half of that time. Calls of less than 50 us do not count: these are launches
// as they should be. Cost: a range join of such calls with the segments of that time.
Result<std::optional<LongCalls>> long_calls(Session& session);

// The function that takes most of the time in which files and streams are read or written; nothing where no
// call was recorded. `of` and `class_ns` tell nothing.
Result<std::optional<LongCalls>> file_calls(Session& session);

// What is open for most of the time that is Python's and other host time: a range of the user's, those whose
// names differ in numbers alone as one ("IO #"), or a Python function, "train.py(12): load".
struct OpenSpan {
    bool function = false;  // else a range
    std::string name;
    bool once = false;  // in each rank
};

// The innermost such span; nothing where none is. Cost: sorts the spans that last 50 us and longer.
Result<std::optional<OpenSpan>> open_beside_ops(Session& session);

}  // namespace opsight::query
