// Medians and 95th percentiles of the times of op instances. In C++, for SQL would join every instance with
// its work through a hash table, where both lie in the order of their ids.
#pragma once

#include <vector>

#include "query/session/session.h"

namespace opsight::query {

// Makes the temporary table op_quantiles (op, rank, device, cpu_p50, cpu_p95, gpu_p50, gpu_p95; ns,
// interpolated between the two nearest instances) of the chosen instances of the ops in shown_ops. Rank and
// device are -1 unless instances are parted by them. An instance without device work has 0 ns of it.
// Cost: linear in the instances.
Status make_op_quantiles(Session& session, const std::string& ranks_by, bool by_device);

// As SQL's quantile_cont; in whole percent, so that a value halfway between two is exactly there. Reorders
// `values`, of which there is at least one.
double quantile(std::vector<int64_t>& values, size_t percent);

}  // namespace opsight::query
