// A dependency graph of work on threads and streams, and its replay: when each task starts if nothing but its
// dependencies holds it back. Linear in tasks and dependencies.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace opsight::replay {

// A bit for each change that concerns a task.
using RuleSet = uint64_t;
inline constexpr int kMaxRules = 64;

enum class TaskKind : uint8_t {
    kHost,    // a stretch of a thread in one span, or between spans
    kDevice,  // work of a stream
    kMark,    // takes no time
};

struct Task {
    TaskKind kind = TaskKind::kMark;
    int32_t place = -1;  // thread or stream
    int64_t span = -1;   // of that thread or stream; -1: between spans, or a mark
    int64_t duration = 0;
    int64_t delay = 0;  // before it starts, with no dependency that explains it
    RuleSet rules = 0;
    int64_t begin = 0;  // as recorded
};

enum class Link : uint8_t {
    kOrder,    // the same thread or stream
    kLaunch,   // from the launching call to the device
    kEvent,    // a stream waits for another one
    kSync,     // a thread waits for the device
    kHandOff,  // a thread waits for another one
    kMark,
};

struct Edge {
    uint32_t from = 0, to = 0;
    int64_t lag = 0;
    Link link = Link::kOrder;
    bool from_start = false;  // counts from the start of `from`, else from its end
};

struct Graph {
    std::vector<Task> tasks;
    std::vector<Edge> edges;
    // Ends of iterations, and before them the begin of the first: marks.
    std::vector<uint32_t> completions;

    uint32_t add(const Task& task) {
        tasks.push_back(task);
        return static_cast<uint32_t>(tasks.size() - 1);
    }
    void link(uint32_t from, uint32_t to, Link kind, int64_t lag = 0, bool from_start = false) {
        edges.push_back({from, to, lag, kind, from_start});
    }
};

struct Changes {
    std::vector<double> factors;  // of durations, one for each rule
    bool no_waits = false;        // threads do not wait for the device
    bool any() const { return !factors.empty() || no_waits; }
};

struct Times {
    std::vector<int64_t> start, end;
    std::vector<uint32_t> bound_by;  // the edge that decided the start; kNone: none
    static constexpr uint32_t kNone = UINT32_MAX;
};

// Nothing where the dependencies go in a circle.
std::optional<Times> replay(const Graph& graph, const Changes& changes = {});

enum class Piece : uint8_t {
    kTask,
    kLaunchDelay,  // from the launching call to the start of the work
    kStreamDelay,  // between two pieces of work of a stream
    kOtherDelay,   // of other dependencies
    kUnexplained,  // a recorded delay that no dependency explains
};

struct PathPiece {
    Piece piece = Piece::kTask;
    uint32_t task = 0;  // that it is, or that it holds back
    int64_t begin = 0, end = 0;
};

// What decided when the last iteration ended, back to the begin of the first one: pieces without gaps, the
// last first. There may be as many as tasks.
void critical_path(const Graph& graph, const Changes& changes, const Times& times,
                   const std::function<void(const PathPiece&)>& take);

}  // namespace opsight::replay
