// The tasks of a network on the engines of a machine: which engine runs which task, so that the sum of all
// runs and of all transfers between engines is least. Tasks run one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/result.h"

namespace opsight::map {

inline constexpr double kCannotRun = std::numeric_limits<double>::infinity();
inline constexpr size_t kMostEngines = 8;

struct Task {
    std::vector<double> cost;   // on each engine; kCannotRun where it cannot run there
    std::vector<size_t> reads;  // values, each made by an earlier task
};

struct TaskValue {
    size_t task = 0;  // that makes it
    double bytes = 0, times = 1;
};

// What a transfer costs, in the unit of the tasks' costs.
struct TransferCost {
    double each = 0, per_byte = 0;
};

struct TaskGraph {
    size_t engines = 0;
    std::vector<Task> tasks;  // in an order in which they can run
    std::vector<TaskValue> values;
    std::vector<TransferCost> links;  // [from * engines + to]
};

struct Assignment {
    std::vector<size_t> engine;  // of each task
    double cost = 0;
    bool exact = true;  // no other assignment costs less
};

// A transfer: a value that goes to an engine which did not make it. It goes there once, however many tasks
// read it there.
struct Transfer {
    size_t value = 0, to = 0;
    size_t task = 0;  // the first that reads it there
};
std::vector<Transfer> transfers_of(const TaskGraph& graph, const std::vector<size_t>& engine);
double transfer_cost(const TaskGraph& graph, size_t value, size_t from, size_t to);
double cost_of(const TaskGraph& graph, const std::vector<size_t>& engine);

// By dynamic programming over the tasks in their order. A state is where each value lies that is still to be
// read: one for each engine along a chain, more where branches are open. States that lead to the same are
// one, so the answer is exact as long as no more than `most_states` are open; beyond that the cheapest are
// kept and `exact` is false; fewer where more than 32 values lie open, or where there are thousands of tasks.
// Fails where no assignment can run, and where the graph is wrong.
Result<Assignment> assign(const TaskGraph& graph, size_t most_states = 4096);

}  // namespace opsight::map
