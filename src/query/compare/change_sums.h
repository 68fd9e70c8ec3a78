// What rows of a comparison sum up, and how they word it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "query/compare/work_tree.h"

namespace opsight::query {

// The first four, and how many more there are.
inline std::string shortened_list(const std::vector<std::string>& names) {
    constexpr size_t kNamedAtMost = 4;
    const size_t count = std::min(names.size(), kNamedAtMost);
    std::string out =
        fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count), ", "));
    if (names.size() > count) out += fmt::format(", {} more", names.size() - count);
    return out;
}

inline std::string before_after(const std::string& base, const std::string& next) {
    return base == next ? base : base + " -> " + next;
}

// The text of a list of shapes or types on one line without the quotes: "[[64,64],[]]".
inline std::string on_one_line(const std::string& json) {
    std::string out;
    for (const char c : json)
        if (static_cast<unsigned char>(c) > ' ' && c != '"') out += c;
    return out;
}

// What a row sums up of one side.
struct Sum {
    Amount gpu, cpu;
    int64_t calls = 0;
    bool any = false;
    bool tensor_cores = false, unknown = false, kernels = false;

    void add(const TreeOp& op) {
        gpu.add(op.gpu);
        cpu.add(op.cpu);
        calls += op.cpu.calls;
        any = true;
        for (const DeviceWork& each : op.work)
            look(each);
    }
    void add(const Sum& other) {
        gpu.add(other.gpu);
        cpu.add(other.cpu);
        calls += other.calls;
        any |= other.any;
        tensor_cores |= other.tensor_cores;
        unknown |= other.unknown;
        kernels |= other.kernels;
    }
    void look(const DeviceWork& each) {
        kernels |= !each.uses_tc.empty();  // copies and sets have none
        tensor_cores |= each.uses_tc == "yes";
        unknown |= each.uses_tc == "unknown";
    }
};

}  // namespace opsight::query
