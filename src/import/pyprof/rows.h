// One kernel, as a line of PyProf's tells it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opsight::importer::pyprof {

struct KernelRow {
    std::string kernel, short_name;
    int64_t ns = -1, device = 0, stream = 0, thread = 0;
    std::array<int64_t, 3> grid{-1, -1, -1}, block{-1, -1, -1};
    bool backward = false;
    std::string layer, stack;
    std::string op;                        // "torch.nn.functional.linear", "MmBackward"; empty: none is told
    std::string shapes, dtypes, concrete;  // JSON; empty: not told
    int64_t sequence = -1;
    std::optional<bool> uses_tc;     // as PyProf says; it says "-" or "na" of ops that could not: false
    int64_t flops = -1, bytes = -1;  // as PyProf counts them; -1: it does not
    std::string call;                // alike for kernels of one call, where they follow upon each other
};

// A line of pyprof.parse. Empty: it is none.
std::optional<KernelRow> read_dict(std::string_view line);

// A row of pyprof.prof, whose columns are those of `names`. Empty: it tells no kernel or no time.
std::optional<KernelRow> read_row(const std::vector<std::string>& names, const std::vector<std::string>& row);

}  // namespace opsight::importer::pyprof
