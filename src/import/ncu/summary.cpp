#include "import/ncu/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "import/ncu/nvtx_ranges.h"
#include "import/text/csv_fields.h"

namespace opsight::importer::ncu {

bool starts_summary(const std::vector<std::string>& row) {
    const auto has = [&row](std::string_view name) {
        return std::find(row.begin(), row.end(), name) != row.end();
    };
    return has("Invocations") && has("Metric Name") && has("Average");
}

bool starts_summary(std::string_view line) {
    line = line.substr(0, line.find('\n'));
    if (line.find("Invocations") == line.npos || line.find("Average") == line.npos) return false;
    std::vector<std::string> row;
    split_csv(line, row);
    return starts_summary(row);
}

bool Summary::Group::is_timed() const {
    return average.duration() >= 0;
}

LaunchSum Summary::Group::times() const {
    LaunchSum sum;
    sum.calls = launches;
    sum.total = average.duration() * launches;
    sum.least = least.duration() >= 0 ? least.duration() : average.duration();
    sum.most = most.duration() >= 0 ? most.duration() : average.duration();
    return sum;
}

Summary::Group* Summary::find(const Columns& columns, const std::vector<std::string>& row) {
    const int64_t launches = integer(columns.of(row, Column::kInvocations)).value_or(0);
    Launch launch(columns, row);
    std::string ranges =
        fmt::format("{}", fmt::join(range_names(columns.of(row, Column::kRange), false), " / "));
    if (launch.kernel.empty()) launch.kernel = ranges;
    if (launches < 1 || launch.kernel.empty()) return nullptr;
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", launch.process, launch.kernel, launch.block,
                    launch.grid, launch.device, launch.context, launch.stream, ranges, launches);
    const auto [place, is_new] = places_.try_emplace(key, groups_.size());
    if (is_new) groups_.push_back({launch, launch, launch, launches, std::move(ranges), {}});
    return &groups_[place->second];
}

}  // namespace opsight::importer::ncu
