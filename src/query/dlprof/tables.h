// The tables of query/dlprof/dlprof.h, from a Model.
#pragma once

#include <algorithm>
#include <array>
#include <functional>

#include "query/dlprof/model.h"

namespace opsight::query::dlprof {

// Total, average, least and most of some values.
struct Metric {
    int64_t count = 0, sum = 0, least = 0, most = 0;
    void add(int64_t value) {
        least = count == 0 ? value : std::min(least, value);
        most = count == 0 ? value : std::max(most, value);
        ++count;
        sum += value;
    }
    double average() const { return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count); }
};

// CPU time, GPU time, CPU overhead and GPU idle time.
using Four = std::array<int64_t, 4>;
inline Four four_of(const Instance& i) {
    const int64_t cpu = i.end - i.begin;
    return {cpu, i.gpu_ns, std::max<int64_t>(0, cpu - i.api_ns), i.gpu_idle_ns};
}

// `shown`: ns of the profile to ns of DLProf's clock, which begins with the session.
using Shown = std::function<int64_t(int64_t)>;

Report detailed(const Model& model);
Report iteration(const Model& model, const Shown& shown);
Report kernel(const Model& model);
Report tensor_core(const Model& model);
Report op_type(const Model& model);
Report group_op(const Model& model);

// Of the range as a whole.
struct Overview {
    int64_t wall_ns = 0;
    double tc_utilization = 0, gpu_utilization = 0;
    // Tensor Core kernels, other kernels, memory, data loading, I/O, CPU, other: shares of the wall clock.
    std::array<double, 7> shares{};
    std::vector<bool> used;     // devices that ran kernels
    double mean_iteration = 0;  // ns: wall clock / iterations
    double deviation = 0;       // of the lengths of the same iterations: that of a sample
};
Overview overview(const Model& model);
Report summary(const Model& model, const Overview& overview);
Report expert_systems(const Model& model, const Overview& overview);

}  // namespace opsight::query::dlprof
