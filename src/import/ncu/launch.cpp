#include "import/ncu/launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "import/ncu/nvtx_ranges.h"

namespace opsight::importer::ncu {
namespace {

constexpr double kMost = 1e15;  // of counts and ns: 11 days

bool is_time(std::string_view metric) {
    constexpr std::string_view kNames[] = {"gpu__time_duration.sum", "gpu__time_duration.avg",
                                           "gpu__time_duration.max", "gpu__time_duration", "Duration"};
    return std::find(std::begin(kNames), std::end(kNames), metric) != std::end(kNames);
}

// Metrics of the page raw, and their names on the page details.
struct Size {
    std::string_view raw, details;
    int64_t& (*of)(LaunchConfig& config);
};
constexpr Size kSizes[] = {
    {"launch__registers_per_thread", "Registers Per Thread",
     [](LaunchConfig& c) -> int64_t& { return c.registers_per_thread; }},
    {"launch__shared_mem_per_block_static", "Static Shared Memory Per Block",
     [](LaunchConfig& c) -> int64_t& { return c.static_shared_bytes; }},
    {"launch__shared_mem_per_block_dynamic", "Dynamic Shared Memory Per Block",
     [](LaunchConfig& c) -> int64_t& { return c.dynamic_shared_bytes; }},
    {"launch__grid_dim_x", "", [](LaunchConfig& c) -> int64_t& { return c.grid[0]; }},
    {"launch__grid_dim_y", "", [](LaunchConfig& c) -> int64_t& { return c.grid[1]; }},
    {"launch__grid_dim_z", "", [](LaunchConfig& c) -> int64_t& { return c.grid[2]; }},
    {"launch__block_dim_x", "", [](LaunchConfig& c) -> int64_t& { return c.block[0]; }},
    {"launch__block_dim_y", "", [](LaunchConfig& c) -> int64_t& { return c.block[1]; }},
    {"launch__block_dim_z", "", [](LaunchConfig& c) -> int64_t& { return c.block[2]; }},
};

}  // namespace

void read_sizes(std::string_view text, int64_t (&to)[3]) {
    int64_t sizes[3] = {1, 1, 1};
    size_t axis = 0;
    for (size_t at = 0; at < text.size() && axis < 3; ++axis) {
        const size_t first = text.find_first_of("0123456789", at);
        if (first == text.npos) break;
        at = std::min(text.find_first_not_of("0123456789", first), text.size());
        const std::optional<int64_t> size = integer(text.substr(first, at - first));
        if (!size) return;
        sizes[axis] = *size;
    }
    if (axis > 0) std::copy(std::begin(sizes), std::end(sizes), std::begin(to));
}

Launch::Launch(const Columns& columns, const std::vector<std::string>& row) {
    const auto take = [&](std::string& to, Column column) { to = columns.of(row, column); };
    take(id, Column::kId);
    take(process, Column::kProcess);
    take(kernel, Column::kKernel);
    take(block, Column::kBlock);
    take(grid, Column::kGrid);
    take(process_name, Column::kProcessName);
    take(host, Column::kHost);
    take(context, Column::kContext);
    take(stream, Column::kStream);
    take(device, Column::kDevice);
    take(capability, Column::kCapability);
    ranges = fmt::format("{}", fmt::join(range_names(columns.of(row, Column::kRanges), true), "\n"));
    read_sizes(grid, config.grid);
    read_sizes(block, config.block);
}

bool Launch::has(const Columns& columns, const std::vector<std::string>& row) const {
    return !columns.wide() && columns.of(row, Column::kId) == id &&
           columns.of(row, Column::kProcess) == process && columns.of(row, Column::kKernel) == kernel;
}

void Launch::take(std::string_view metric, std::string_view text, const double* amount) {
    if (metric == "device__attribute_display_name") device_name = text;
    if (!amount || *amount < 0 || *amount > kMost) return;
    if (is_time(metric)) duration_ns = *amount;
    if (metric == "sm__cycles_elapsed.avg") cycles_ = *amount;
    if (metric == "sm__cycles_elapsed.avg.per_second") cycles_per_s_ = *amount;
    if (metric == "device__attribute_multiprocessor_count" || metric == "# SMs")
        sm_count = static_cast<int64_t>(*amount);
    if (metric == "sm__maximum_warps_per_active_cycle_pct" || metric == "Theoretical Occupancy")
        config.source_occupancy_pct = *amount;
    for (const Size& size : kSizes)
        if (metric == size.raw || (!size.details.empty() && metric == size.details))
            size.of(config) = static_cast<int64_t>(std::llround(*amount));
}

int64_t Launch::duration() const {
    double ns = duration_ns;
    if (ns < 0 && cycles_ >= 0 && cycles_per_s_ > 0) ns = cycles_ / cycles_per_s_ * 1e9;
    return ns >= 0 && ns <= kMost ? std::llround(ns) : -1;
}

}  // namespace opsight::importer::ncu
