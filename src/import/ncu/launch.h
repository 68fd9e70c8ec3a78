// One launch, as its rows tell it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/ncu/amounts.h"
#include "import/ncu/columns.h"
#include "model/profile_builder.h"

namespace opsight::importer::ncu {

class Launch {
  public:
    // `row`: its first one.
    Launch(const Columns& columns, const std::vector<std::string>& row);
    // Whether another row of the table is of the same launch.
    bool has(const Columns& columns, const std::vector<std::string>& row) const;
    // What a metric says of the launch itself: its time, its registers, its device. `amount`: in base units.
    void take(std::string_view metric, std::string_view text, const double* amount);

    std::string id, process, kernel, block, grid;
    std::string process_name, host, context, stream, device, capability;
    std::string ranges;  // NVTX, the outermost first, a line each
    LaunchConfig config;
    double duration_ns = -1;
    std::string device_name;
    int64_t sm_count = 0;
    struct Counter {
        StringId name;
        double value = 0;  // in base units
    };
    std::vector<Counter> counters;

    // Ns; -1: it is not told. The time it ran, else its cycles by their rate.
    int64_t duration() const;

  private:
    double cycles_ = -1, cycles_per_s_ = -1;
};

// "(128, 2, 1)" or "128".
void read_sizes(std::string_view text, int64_t (&to)[3]);

}  // namespace opsight::importer::ncu
