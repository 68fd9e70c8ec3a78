// What the columns of a table are.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace opsight::importer::ncu {

enum class Column : uint8_t {
    kId,
    kProcess,
    kProcessName,
    kHost,
    kKernel,
    kContext,
    kStream,
    kBlock,
    kGrid,
    kDevice,
    kCapability,
    kSection,
    kItem,
    kMetric,
    kUnit,
    kValue,
    kRule,
    kRuleType,
    kRuleText,
    kSpeedupType,
    kSpeedup,
    kInvocations,
    kLeast,  // of a summary, as all below
    kMost,
    kAverage,
    kDomain,
    kRange,
    kRanges,  // of launches: those around it on its thread
    kCount
};

// The first row of a table, and the second where that has the units of its metrics.
class Columns {
  public:
    explicit Columns(const std::vector<std::string>& first_row);
    bool has(Column column) const { return place_[static_cast<size_t>(column)] != kNone; }
    // Empty where the row is shorter, as rows of metrics are where rules have columns behind them.
    std::string_view of(const std::vector<std::string>& row, Column column) const;
    // One row a launch, not one a metric.
    bool wide() const { return !has(Column::kMetric); }
    // Sums over launches.
    bool sums() const { return has(Column::kInvocations) && has(Column::kAverage); }
    size_t size() const { return names_.size(); }

    // Columns with a name of their own: the metrics of a wide table.
    struct Own {
        size_t place;
        std::string name;
    };
    const std::vector<Own>& own() const { return own_; }

  private:
    static constexpr size_t kNone = SIZE_MAX;
    std::array<size_t, static_cast<size_t>(Column::kCount)> place_;
    std::vector<std::string> names_;
    std::vector<Own> own_;
};

}  // namespace opsight::importer::ncu
