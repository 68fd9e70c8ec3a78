#include "import/ncu/summary.h"

#include <fmt/format.h>

#include <algorithm>

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

// Each stands in quotes, with a color and the like behind six colons.
std::string read_ranges(std::string_view text) {
    constexpr int kFactsOfRange = 6;
    std::string ranges;
    while (true) {
        const size_t first = text.find('"');
        if (first == text.npos) return ranges;
        text.remove_prefix(first + 1);
        std::string_view range = text.substr(0, text.find('"'));
        text.remove_prefix(std::min(range.size() + 1, text.size()));
        for (int i = 0; i < kFactsOfRange; ++i)
            range = range.substr(0, std::min(range.rfind(':'), range.size()));
        if (!range.empty()) ranges += fmt::format("{}{}", ranges.empty() ? "" : " / ", range);
    }
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
    std::string ranges = read_ranges(columns.of(row, Column::kRange));
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
