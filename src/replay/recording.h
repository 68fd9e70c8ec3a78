// What was recorded of a stretch of time, as a graph is made of it. Times are ns since any one moment.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/graph.h"

namespace opsight::replay {

enum class CallKind : uint8_t {
    kNone,        // waits for nothing
    kDeviceSync,  // for all work that was launched before it
    kStreamSync,  // for that of a stream
    kEventSync,   // for some work that was launched before it
    kFree,        // as kDeviceSync where the device had nothing left to do, else for nothing
    kQueueFull,   // a launch that waits for a place in the queue: until some work launched before is done
    kCopy,        // for the copy that it launches, if that had ended before it returned
    kStreamWait,  // does not wait itself: work of a stream that is launched later waits for another stream
};

struct HostSpan {
    int64_t begin = 0, end = 0;
    int64_t id = -1;  // that device work names as its launch
    CallKind call = CallKind::kNone;
    int32_t stream = -1;   // that the call is about, where it is told
    RuleSet rules = 0;     // of it and of all that it holds
    bool awaited = false;  // another thread may wait for its end, whenever that asked for it
};

enum class WorkKind : uint8_t { kKernel, kCopy, kSet, kGraph };
inline constexpr size_t kWorkKinds = 4;

struct DeviceSpan {
    int64_t begin = 0, end = 0;
    int64_t launch = -1;       // HostSpan::id; -1: not known
    int64_t launch_begin = 0;  // its own begin where no launch is known
    WorkKind kind = WorkKind::kKernel;
    RuleSet rules = 0;
};

struct Recording {
    int64_t begin = 0, end = 0;                    // what lies outside is cut off
    std::vector<std::vector<HostSpan>> threads;    // each by begin, the longest first
    std::vector<std::vector<DeviceSpan>> streams;  // each by begin
    size_t main = 0;                               // the thread whose time iterations are told in
    std::vector<int64_t> marks;                    // where iterations end, rising; none: the end of all
};

struct Built {
    Graph graph;
    // Measured, as graph.completions: when the main thread was at the mark and what had been launched before
    // it was done.
    std::vector<int64_t> completions;
    int64_t hand_offs = 0, waits = 0, event_waits = 0;
};

Built build(const Recording& recording);

}  // namespace opsight::replay
