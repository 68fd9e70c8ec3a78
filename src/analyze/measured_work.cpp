#include "analyze/measured_work.h"

#include <absl/container/flat_hash_map.h>

#include <array>
#include <string>

namespace opsight::analyze {
namespace {

using Values = absl::flat_hash_map<std::string_view, double>;

// Without the section in front and the unit behind.
std::string_view metric_of(std::string_view name) {
    if (name.ends_with(']'))
        if (const size_t unit = name.rfind(" ["); unit != name.npos) name = name.substr(0, unit);
    const size_t section = name.rfind(": ");
    return section == name.npos ? name : name.substr(section + 2);
}

std::optional<double> value(const Values& values, std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> sum(const Values& values, std::string_view a, std::string_view b) {
    const auto x = value(values, a), y = value(values, b);
    return x && y ? std::optional(*x + *y) : std::nullopt;
}

// Instructions that threads executed, of one type of numbers.
std::optional<double> flops_of(const Values& values, const std::string& unit, char type) {
    const auto count = [&](std::string_view op) {
        return value(values,
                     unit + "__sass_thread_inst_executed_op_" + type + std::string(op) + "_pred_on.sum");
    };
    const auto add = count("add"), multiply = count("mul"), both = count("fma");
    return add && multiply && both ? std::optional(*add + *multiply + 2 * *both) : std::nullopt;
}

std::optional<double> ordinary_flops(const Values& values) {
    std::optional<double> all;
    for (const char* unit : {"smsp", "sm"}) {
        for (const char type : {'f', 'h', 'd'})
            if (const auto flops = flops_of(values, unit, type)) all = all.value_or(0) + *flops;
        if (all) break;  // the same counts, by the parts of a multiprocessor or by the whole
    }
    // nvprof counts them itself.
    for (const char* name : {"flop_count_sp", "flop_count_hp", "flop_count_dp"})
        if (const auto flops = value(values, name)) all = all.value_or(0) + *flops;
    return all;
}

// "sm__ops_path_tensor_src_fp16_dst_fp32.sum" counts FLOPs, and so do its parts with "_sparsity_off" and
// "_on".
std::optional<double> counted_tensor_flops(const Values& values) {
    std::optional<double> whole, parts;
    for (const auto& [name, amount] : values) {
        if (!name.starts_with("sm__ops_path_tensor_") || !name.ends_with(".sum")) continue;
        std::optional<double>& to = name.find("sparsity") == name.npos ? whole : parts;
        to = to.value_or(0) + amount;
    }
    return whole ? whole : parts;
}

// Instructions of Tensor Cores. How much one does is known of Volta: 8 x 8 x 4 multiply-adds.
std::optional<double> tensor_instructions(const Values& values) {
    for (const std::string_view name :
         {"sm__inst_executed_pipe_tensor.sum", "smsp__inst_executed_pipe_tensor.sum",
          "sm__inst_executed_pipe_tensor_op_hmma.sum", "smsp__inst_executed_pipe_tensor_op_hmma.sum"})
        if (const auto count = value(values, name)) return count;
    return {};
}

}  // namespace

MeasuredWork measured_work(const std::vector<std::pair<std::string_view, double>>& counters, double ns,
                           int compute_major, int compute_minor) {
    Values values;
    for (const auto& [name, amount] : counters)
        if (amount >= 0) values.try_emplace(metric_of(name), amount);
    MeasuredWork work;
    work.flops = ordinary_flops(values);
    work.tensor_flops = counted_tensor_flops(values);
    const std::optional<double> instructions = tensor_instructions(values);
    constexpr double kOfVolta = 2 * 8 * 8 * 4;
    const bool volta = compute_major == 7 && compute_minor == 0;
    if (!work.tensor_flops && instructions && (volta || *instructions == 0))
        work.tensor_flops = *instructions * kOfVolta;
    // nvprof tells a level from 0 to 10, which says whether they worked and not how much they did; at 0 they
    // may still have worked a little.
    if (const auto level = value(values, "tensor_precision_fu_utilization"); level && *level > 0)
        work.tensor_cores = true;
    if (work.tensor_flops || instructions)
        work.tensor_cores = work.tensor_flops.value_or(0) > 0 || instructions.value_or(0) > 0;
    work.memory_bytes = value(values, "dram__bytes.sum");
    if (!work.memory_bytes) work.memory_bytes = sum(values, "dram__bytes_read.sum", "dram__bytes_write.sum");
    if (!work.memory_bytes) work.memory_bytes = sum(values, "dram_read_bytes", "dram_write_bytes");
    // nvprof of GPUs before Volta counts transactions alone, of 32 bytes each.
    constexpr double kOfTransaction = 32;
    if (!work.memory_bytes)
        if (const auto both = sum(values, "dram_read_transactions", "dram_write_transactions"))
            work.memory_bytes = *both * kOfTransaction;
    // The page of details has the rate alone.
    if (const auto rate = value(values, "Memory Throughput"); !work.memory_bytes && rate && ns > 0)
        for (const auto& [name, amount] : counters)
            if (metric_of(name) == "Memory Throughput" && name.ends_with("[byte/s]"))
                work.memory_bytes = amount * ns / 1e9;
    work.l2_bytes = value(values, "lts__t_bytes.sum");
    work.l1_bytes = value(values, "l1tex__t_bytes.sum");
    return work;
}

}  // namespace opsight::analyze
