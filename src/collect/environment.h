// What the injected libraries learn from `opsight profile`, and what each tells of its process.
#pragma once

#include "wire/writer.h"

namespace opsight::collect {

// A number; `otherwise` where the variable is not set or not a number.
double option(const char* name, double otherwise);

struct TimeWindow {
    double delay_s = 0, duration_s = 0;  // from now; duration 0: to the end
};
// The delay and duration of the run, counted from its beginning, as this process has to count them.
TimeWindow time_window();

// Rank, host and program, and a snapshot of the clocks.
void describe_process(wire::ThreadStream& stream);

// Opens the next free file of this process in `folder`. 0, or an errno value.
int open_capture(wire::CaptureWriter& writer, const char* folder, uint64_t limit_bytes);

}  // namespace opsight::collect
