// The tables that nvprof prints, CSV or text, between lines of its log and of the program.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opsight::importer::nvprof {

enum class Field : uint8_t {
    kStart,
    kDuration,
    kGrid,  // of text: "(64 64 1)"
    kBlock,
    kGridX,
    kGridY,
    kGridZ,
    kBlockX,
    kBlockY,
    kBlockZ,
    kRegisters,
    kStatic,
    kDynamic,
    kSize,
    kRate,
    kFrom,
    kTo,
    kDevice,
    kContext,
    kStream,
    kUnified,
    kName,  // or the kernel
    kCorrelation,
    kType,
    kPercent,
    kTime,
    kCalls,
    kAvg,
    kMin,
    kMax,
    kInvocations,
    kMetric,
    kTransfers,
    kTotalSize,
    kTotalTime,
    kCount
};

enum class TableKind : uint8_t {
    kTrace,        // a row for each kernel, copy and call, with its begin
    kSummary,      // a row for each name
    kMetrics,      // a row for each metric (or event) of each kernel, over all its launches
    kMetricTrace,  // a row for each launch, with a column for each metric
    kUnified,      // a row for each kind of transfer and fault of unified memory
};

// The first line of a table.
class PrintedTable {
  public:
    // Empty: the line is no first one.
    static std::optional<PrintedTable> of(std::string_view line);

    TableKind kind() const { return kind_; }
    bool is_csv() const { return csv_; }
    bool has(Field field) const { return place_[static_cast<size_t>(field)] != kNone; }
    // A row's fields; false: the line is none. What commas too many part in a name without quotes is put
    // together.
    bool split(std::string_view line, std::vector<std::string>& row) const;
    // Whether a row tells units of columns, which it keeps.
    bool take_units(const std::vector<std::string>& row);
    std::string_view of(const std::vector<std::string>& row, Field field) const;
    std::string_view unit(Field field) const;

    // Columns with a name of their own: metrics and events of launches.
    struct Own {
        size_t place;
        std::string name;
    };
    const std::vector<Own>& own() const { return own_; }
    std::string_view unit_at(size_t place) const;

  private:
    PrintedTable(std::vector<std::string> names, bool csv);
    bool settle();

    static constexpr size_t kNone = SIZE_MAX;
    TableKind kind_ = TableKind::kTrace;
    bool csv_ = false;
    std::vector<std::string> names_, units_;
    std::array<size_t, static_cast<size_t>(Field::kCount)> place_;
    std::vector<Own> own_;
};

// Parts at two spaces or more, `most` of them at most: the last is all that is left.
void split_columns(std::string_view text, size_t most, std::vector<std::string>& parts);

}  // namespace opsight::importer::nvprof
