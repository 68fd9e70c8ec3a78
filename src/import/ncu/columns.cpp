#include "import/ncu/columns.h"

#include <algorithm>

namespace opsight::importer::ncu {
namespace {

constexpr std::string_view kHeader[] = {
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Kernel Name",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
    "Section Name",
    "Body Item Label",
    "Metric Name",
    "Metric Unit",
    "Metric Value",
    "Rule Name",
    "Rule Type",
    "Rule Description",
    "Estimated Speedup Type",
    "Estimated Speedup",
    "Invocations",
    "Minimum",
    "Maximum",
    "Average",
    "Domain",
    "Range",
    "Push/Pop_Range",
};
static_assert(std::size(kHeader) == static_cast<size_t>(Column::kCount));

// When a kernel ran, in whole seconds, as tables of before 2021 have it, and NVTX ranges that may begin and
// end on other threads.
bool is_unused(std::string_view name) {
    return name == "Kernel Time" || name.find("_Range:") != name.npos;
}

// "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg", "Range:PL_Type:...".
std::string_view short_name(std::string_view name) {
    for (const Column column : {Column::kRange, Column::kRanges}) {
        const std::string_view known = kHeader[static_cast<size_t>(column)];
        const size_t at = name.find(known);
        if (at != name.npos && name.substr(at + known.size()).starts_with(":PL_Type") &&
            (at == 0 || (column == Column::kRanges && name[at - 1] == ':')))
            return known;
    }
    return name;
}

}  // namespace

Columns::Columns(const std::vector<std::string>& first_row) : names_(first_row) {
    place_.fill(kNone);
    for (size_t i = 0; i < names_.size(); ++i) {
        const std::string_view name = short_name(names_[i]);
        const auto known = std::find(std::begin(kHeader), std::end(kHeader), name);
        if (known != std::end(kHeader))
            place_[static_cast<size_t>(known - std::begin(kHeader))] = i;
        else if (!is_unused(names_[i]))
            own_.push_back({i, names_[i]});
    }
}

std::string_view Columns::of(const std::vector<std::string>& row, Column column) const {
    const size_t place = place_[static_cast<size_t>(column)];
    return place < row.size() ? std::string_view(row[place]) : std::string_view();
}

}  // namespace opsight::importer::ncu
