#include "query/model/device_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opsight::query {
namespace {

using hardware::Device;
using hardware::Peak;
using hardware::Precision;
using hardware::UnitKind;

Cell known(double value, double scale) {
    if (value <= 0) return std::monostate();
    return std::round(value / scale * 1e6) / 1e6;  // 66.9e12 / 1e12 is not 66.9
}

Cell whole(double value, double scale) {
    if (value <= 0) return std::monostate();
    return static_cast<int64_t>(std::llround(value / scale));
}

std::string joined(const std::vector<std::string>& texts) {
    return fmt::format("{}", fmt::join(texts, "; "));
}

std::string capability(const Device& device) {
    return device.major ? fmt::format("{}.{}", device.major, device.minor) : std::string();
}

std::string level_rate(const hardware::MemoryLevel& level) {
    return fmt::format("{:.0f}{}", level.bandwidth / 1e9, level.estimate.empty() ? "" : " (estimate)");
}

// "L2 7219; L1/shared 19492"
Cell levels_text(const std::vector<hardware::MemoryLevel>& levels) {
    std::vector<std::string> texts;
    for (const hardware::MemoryLevel& level : levels)
        texts.push_back(level.name + " " + level_rate(level));
    return texts.empty() ? Cell() : Cell(joined(texts));
}

// "published", "derived", "estimate", "published, some estimates": what the peaks rest on.
std::string origin_of_peaks(const Device& device) {
    const auto estimates = std::count_if(device.peaks.begin(), device.peaks.end(),
                                         [&device](const Peak& peak) { return device.is_estimate(peak); });
    if (estimates == 0) return device.derived ? "derived" : "published";
    if (device.derived) return "derived, estimate";
    return estimates == std::ssize(device.peaks) ? "estimate" : "published, some estimates";
}

struct PeakColumn {
    UnitKind unit;
    Precision precision;
    int priority;
};

// Those that a terminal has room for first.
int peak_priority(UnitKind unit, Precision precision) {
    if (unit == UnitKind::kVector) return precision == Precision::kFp32 ? 0 : 5;
    switch (precision) {
        case Precision::kFp16:
            return 0;
        case Precision::kTf32:
        case Precision::kFp8:
            return 1;
        case Precision::kInt8:
            return 2;
        default:
            return 4;
    }
}

std::vector<PeakColumn> peak_columns(const std::vector<Device>& devices) {
    std::vector<PeakColumn> columns;
    for (UnitKind unit : {UnitKind::kVector, UnitKind::kMatrix})
        for (Precision precision : hardware::kPrecisions)
            for (const Device& device : devices)
                if (device.peak(unit, precision)) {
                    columns.push_back({unit, precision, peak_priority(unit, precision)});
                    break;
                }
    return columns;
}

void add_peak_heads(ResultTable& table, const std::vector<PeakColumn>& columns) {
    for (const PeakColumn& column : columns) {
        const bool matrix = column.unit == UnitKind::kMatrix;
        const std::string name(name_of(column.precision));
        const std::string unit = name.starts_with("int") ? "TOP/s" : "TFLOP/s";
        const std::string key = fmt::format("{}_{}", matrix ? "matrix" : "vector", name);
        const std::string head = fmt::format("{} {} ({})", matrix ? "Matrix" : "Vector", name, unit);
        table.columns.push_back({key + "_tflops", head, Unit::kNone, column.priority});
        if (matrix)
            table.columns.push_back(
                {key + "_sparse_tflops", fmt::format("Matrix {} sparse ({})", name, unit), Unit::kNone, 6});
    }
}

void add_peak_cells(std::vector<Cell>& row, const Device& device, const std::vector<PeakColumn>& columns) {
    for (const PeakColumn& column : columns) {
        const Peak* peak = device.peak(column.unit, column.precision);
        row.push_back(known(peak ? peak->dense : 0, 1e12));
        if (column.unit == UnitKind::kMatrix) row.push_back(known(peak ? peak->sparse : 0, 1e12));
    }
}

std::vector<Cell> facts_of(const Device& device) {
    return {device.key,
            device.name,
            device.vendor,
            device.architecture,
            capability(device),
            device.units > 0 ? Cell(device.units) : Cell(),
            whole(device.clock_hz, 1e6),
            known(device.memory_bytes, 1e9),
            known(device.bandwidth, 1e9),
            known(device.l2_bytes, 1024.0 * 1024),
            known(device.shared_unit_bytes, 1024),
            known(device.power_w, 1)};
}

const std::vector<Column>& fact_columns() {
    static const std::vector<Column> columns = {
        {"key", "Device", Unit::kNone, 0},
        {"name", "Name", Unit::kNone, 5},
        {"vendor", "Vendor", Unit::kNone, 7},
        {"architecture", "Architecture", Unit::kNone, 4},
        {"compute_capability", "Capability", Unit::kNone, 5},
        {"units", "SMs", Unit::kNone, 2},
        {"clock_mhz", "Clock (MHz)", Unit::kNone, 3},
        {"memory_gb", "Memory (GB)", Unit::kNone, 1},
        {"bandwidth_gbs", "Bandwidth (GB/s)", Unit::kNone, 0},
        {"l2_mib", "L2 (MiB)", Unit::kNone, 3},
        {"shared_kib", "Shared (KiB/SM)", Unit::kNone, 5},
        {"power_w", "Power (W)", Unit::kNone, 3},
    };
    return columns;
}

// All units together, with what it rests on.
void add_level_facts(ResultTable& table, const std::vector<hardware::MemoryLevel>& levels) {
    for (const hardware::MemoryLevel& level : levels) {
        table.rows.push_back({level.name + " (GB/s)", level_rate(level)});
        if (!level.estimate.empty()) table.rows.push_back({level.name + " estimate", level.estimate});
        if (!level.source.empty()) table.rows.push_back({level.name + " source", level.source});
    }
}

}  // namespace

ResultTable device_table(const std::vector<Device>& devices, const hardware::MemoryLevels& levels) {
    ResultTable table{.name = "devices", .title = "Devices", .columns = fact_columns(), .notes = {}};
    const std::vector<PeakColumn> peaks = peak_columns(devices);
    add_peak_heads(table, peaks);
    table.columns.push_back({"memory_levels", "Memory Levels (GB/s)", Unit::kNone, 8});
    table.columns.push_back({"derived", "Derived Peaks", Unit::kNone, 8});
    table.columns.push_back({"peaks", "Peaks", Unit::kNone, 2});
    table.columns.push_back({"estimates", "Estimates", Unit::kNone, 8});
    table.columns.push_back({"sources", "Sources", Unit::kNone, 8});
    table.columns.push_back({"note", "Note", Unit::kNone, 8});
    for (const Device& device : devices) {
        std::vector<Cell> row = facts_of(device);
        add_peak_cells(row, device, peaks);
        row.push_back(levels_text(levels_of(levels, device.key)));
        row.insert(row.end(), {device.derived, origin_of_peaks(device), joined(device.estimates),
                               joined(device.sources), device.note});
        table.rows.push_back(std::move(row));
    }
    table.notes = {
        "derived peaks are rates of the architecture x SMs x clock; estimate: no source gives some or all "
        "of them, or what they are derived from; the others are published",
        "peaks are dense, products added up in FP32; 'opsight devices NAME' shows all of one"};
    return table;
}

ResultTable device_facts(const Device& device, const hardware::MemoryLevels& levels) {
    ResultTable table{.name = "device",
                      .title = device.name,
                      .columns = {{"fact", "Fact", Unit::kNone, 0}, {"value", "Value", Unit::kNone, 0}},
                      .notes = {}};
    const std::vector<Cell> facts = facts_of(device);
    for (size_t i = 0; i < facts.size(); ++i)
        if (!std::holds_alternative<std::monostate>(facts[i]) && facts[i] != Cell(std::string()))
            table.rows.push_back(
                {fact_columns()[i].header,
                 std::visit(
                     [](const auto& value) -> std::string {
                         if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
                             return {};
                         else
                             return fmt::format("{}", value);
                     },
                     facts[i])});
    add_level_facts(table, levels_of(levels, device.key));
    for (const Peak& peak : device.peaks) {
        const std::string name(name_of(peak.precision));
        const bool matrix = peak.unit == UnitKind::kMatrix;
        const char* unit = name.starts_with("int") ? "TOP/s" : "TFLOP/s";
        std::string value = fmt::format("{:.6g} {}", peak.dense / 1e12, unit);
        if (peak.sparse > 0) value += fmt::format(", 2:4 sparse {:.6g}", peak.sparse / 1e12);
        table.rows.push_back({fmt::format("{} {}", matrix ? "Matrix" : "Vector", name), value});
    }
    table.rows.push_back(
        {std::string("Peaks"),
         origin_of_peaks(device) + (device.derived ? ": rates of the architecture x units x clock" : "")});
    if (!device.estimates.empty())
        table.rows.push_back({std::string("Estimates"),
                              "no source gives " + fmt::format("{}", fmt::join(device.estimates, ", "))});
    for (const std::string& source : device.sources)
        table.rows.push_back({std::string("Source"), source});
    if (!device.note.empty()) table.rows.push_back({std::string("Note"), device.note});
    return table;
}

}  // namespace opsight::query
