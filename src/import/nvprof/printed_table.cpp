#include "import/nvprof/printed_table.h"

#include <algorithm>

#include "import/nvprof/printed_amounts.h"
#include "import/text/csv_fields.h"

namespace opsight::importer::nvprof {
namespace {

struct Named {
    std::string_view name;
    Field field;
};
// As CSV and as text have them.
constexpr Named kFields[] = {
    {"Start", Field::kStart},
    {"Duration", Field::kDuration},
    {"Grid Size", Field::kGrid},
    {"Block Size", Field::kBlock},
    {"Grid X", Field::kGridX},
    {"Grid Y", Field::kGridY},
    {"Grid Z", Field::kGridZ},
    {"Block X", Field::kBlockX},
    {"Block Y", Field::kBlockY},
    {"Block Z", Field::kBlockZ},
    {"Registers Per Thread", Field::kRegisters},
    {"Regs*", Field::kRegisters},
    {"Static SMem", Field::kStatic},
    {"SSMem*", Field::kStatic},
    {"Dynamic SMem", Field::kDynamic},
    {"DSMem*", Field::kDynamic},
    {"Size", Field::kSize},
    {"Throughput", Field::kRate},
    {"SrcMemType", Field::kFrom},
    {"DstMemType", Field::kTo},
    {"Device", Field::kDevice},
    {"Context", Field::kContext},
    {"Stream", Field::kStream},
    {"Unified Memory", Field::kUnified},
    {"Name", Field::kName},
    {"Kernel", Field::kName},
    {"Correlation_ID", Field::kCorrelation},
    {"Type", Field::kType},
    {"Time(%)", Field::kPercent},
    {"Time", Field::kTime},
    {"Calls", Field::kCalls},
    {"Avg", Field::kAvg},
    {"Min", Field::kMin},
    {"Max", Field::kMax},
    {"Invocations", Field::kInvocations},
    {"Metric Name", Field::kMetric},
    {"Event Name", Field::kMetric},
    {"Count", Field::kTransfers},
    {"Total Size", Field::kTotalSize},
    {"Total Time", Field::kTotalTime},
};

// Neither a field that is used nor a metric.
constexpr std::string_view kUnused[] = {
    "Metric Description", "Total",    "Src Dev",  "Src Ctx",  "Dst Dev", "Dst Ctx",
    "Virtual Address",    "Avg Size", "Min Size", "Max Size", ""};

constexpr std::string_view kFirstNames[] = {"Start", "Type", "Time(%)", "Device", "Invocations", "Count"};

bool may_begin(const std::vector<std::string>& names) {
    return names.size() > 2 &&
           std::find(std::begin(kFirstNames), std::end(kFirstNames), names[0]) != std::end(kFirstNames);
}

}  // namespace

void split_columns(std::string_view text, size_t most, std::vector<std::string>& parts) {
    parts.clear();
    for (;;) {
        const size_t first = text.find_first_not_of(" \t\r");
        if (first == text.npos) return;
        text.remove_prefix(first);
        const size_t end = parts.size() + 1 == most ? text.npos : text.find("  ");
        parts.emplace_back(text.substr(0, end));
        if (end == text.npos) break;
        text.remove_prefix(end);
    }
    std::string& last = parts.back();
    last.erase(last.find_last_not_of(" \t\r") + 1);
}

PrintedTable::PrintedTable(std::vector<std::string> names, bool csv) : csv_(csv), names_(std::move(names)) {
    place_.fill(kNone);
    units_.assign(names_.size(), {});
    for (size_t i = 0; i < names_.size(); ++i) {
        const auto* known = std::find_if(std::begin(kFields), std::end(kFields),
                                         [&](const Named& each) { return each.name == names_[i]; });
        if (known != std::end(kFields))
            place_[static_cast<size_t>(known->field)] = i;
        else if (std::find(std::begin(kUnused), std::end(kUnused), names_[i]) == std::end(kUnused))
            own_.push_back({i, names_[i]});
    }
}

bool PrintedTable::settle() {
    if (has(Field::kStart) && has(Field::kDuration) && has(Field::kName))
        kind_ = TableKind::kTrace;
    else if (has(Field::kPercent) && has(Field::kCalls) && has(Field::kName))
        kind_ = TableKind::kSummary;
    else if (has(Field::kInvocations) && has(Field::kMetric) && has(Field::kAvg) && has(Field::kName) == csv_)
        kind_ = TableKind::kMetrics;
    else if (has(Field::kDevice) && has(Field::kName) && has(Field::kStream) && !own_.empty())
        kind_ = TableKind::kMetricTrace;
    else if (has(Field::kTransfers) && has(Field::kTotalTime) && has(Field::kName))
        kind_ = TableKind::kUnified;
    else
        return false;
    return true;
}

std::optional<PrintedTable> PrintedTable::of(std::string_view line) {
    while (line.ends_with('\r') || line.ends_with('\n'))
        line.remove_suffix(1);
    std::vector<std::string> names;
    split_csv(line, names);
    if (!may_begin(names)) {
        split_columns(line, SIZE_MAX, names);
        if (!may_begin(names)) return std::nullopt;
        PrintedTable text(std::move(names), false);
        return text.settle() ? std::optional(std::move(text)) : std::nullopt;
    }
    PrintedTable csv(std::move(names), true);
    return csv.settle() ? std::optional(std::move(csv)) : std::nullopt;
}

bool PrintedTable::split(std::string_view line, std::vector<std::string>& row) const {
    if (!csv_) {
        split_columns(line, names_.size(), row);
        return row.size() == names_.size();
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    split_csv(line, row);
    const size_t name = place_[static_cast<size_t>(Field::kName)];
    if (row.size() > names_.size() && name != kNone) {
        const size_t extra = row.size() - names_.size();
        for (size_t i = 1; i <= extra; ++i)
            row[name].append(",").append(row[name + i]);
        const auto first = row.begin() + static_cast<std::ptrdiff_t>(name) + 1;
        row.erase(first, first + static_cast<std::ptrdiff_t>(extra));
    }
    return row.size() == names_.size();
}

bool PrintedTable::take_units(const std::vector<std::string>& row) {
    const auto fits = [](const std::string& field) { return field.empty() || is_unit(field); };
    if (!csv_ || !std::all_of(row.begin(), row.end(), fits)) return false;
    units_ = row;
    return true;
}

std::string_view PrintedTable::of(const std::vector<std::string>& row, Field field) const {
    const size_t place = place_[static_cast<size_t>(field)];
    if (place >= row.size()) return {};
    return row[place] == "-" ? std::string_view() : std::string_view(row[place]);
}

std::string_view PrintedTable::unit(Field field) const {
    return unit_at(place_[static_cast<size_t>(field)]);
}

std::string_view PrintedTable::unit_at(size_t place) const {
    return place < units_.size() ? std::string_view(units_[place]) : std::string_view();
}

}  // namespace opsight::importer::nvprof
