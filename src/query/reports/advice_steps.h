// What rules of advice judge steps by: waits for loaders, batches, steps of servers. All of the chosen range.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/marks/serving_step.h"
#include "query/reports/activity_times.h"

namespace opsight::query {

// Each wait for a batch of a loader with workers, by rank and begin; not united.
Result<std::vector<TimeSpan>> loader_waits(Session& session);

// An iteration, and the first dimension of what its first layer reads; those of which that is known.
struct BatchTime {
    TimeSpan time;
    int64_t batch = 0;
};
Result<std::vector<BatchTime>> batch_times(Session& session);

// A step of a server that names it.
struct ServingStep {
    TimeSpan time;
    marks::ServingStep of;
};
// By rank and begin; steps that lie within others are left out.
Result<std::vector<ServingStep>> serving_steps(Session& session);

// Rows of a product of 16-bit weights at which the device needs as long for arithmetic as for memory; nothing
// where its peaks are not known.
Result<std::optional<double>> balanced_rows(Session& session);

}  // namespace opsight::query
