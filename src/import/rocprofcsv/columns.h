// What the columns of a table of rocprof are, and with that which table it is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opsight::importer::rocprofcsv {

enum class Field : uint8_t {
    kGuid,
    kDomain,
    kFunction,
    kProcess,
    kThread,
    kCorrelation,
    kBegin,  // ns, as all times
    kEnd,
    kAgent,
    kQueue,
    kStream,
    kDispatch,
    kKernel,
    kBlock,  // threads of a block; kBlockX and the like: along an axis
    kBlockX,
    kBlockY,
    kBlockZ,
    kGrid,  // threads of the grid
    kGridX,
    kGridY,
    kGridZ,
    kSharedBytes,
    kScratchBytes,
    kRegisters,
    kDirection,
    kSource,
    kDestination,
    kCounter,
    kValue,
    kNode,  // of an agent, as all below
    kLogicalNode,
    kType,
    kName,
    kProduct,
    kComputeUnits,
    kWave,
    kGfxVersion,
    kClock,
    kCount
};

enum class Table : uint8_t {
    kNone,
    kAgents,
    kCalls,  // of HIP, HSA, roctx, RCCL, ...
    kCopies,
    kKernels,
    kCounters,    // a row for each counter of each dispatch
    kDispatches,  // of rocprof 1 and 2: a row for each kernel, with a column for each counter
    kUnused
};

// The first row of a table.
class Columns {
  public:
    explicit Columns(const std::vector<std::string>& first_row);
    Table table() const { return table_; }
    size_t size() const { return names_.size(); }
    bool has(Field field) const { return place_[static_cast<size_t>(field)] != kNone; }
    // Empty: there is no such column.
    std::string_view of(const std::vector<std::string>& row, Field field) const;
    // Whole; else what is given.
    int64_t number(const std::vector<std::string>& row, Field field, int64_t otherwise = -1) const;

    // Columns with a name of their own: counters of dispatches.
    struct Own {
        size_t place;
        std::string name;
    };
    const std::vector<Own>& own() const { return own_; }

  private:
    Table settle(bool dispatches) const;

    static constexpr size_t kNone = SIZE_MAX;
    Table table_ = Table::kNone;
    std::array<size_t, static_cast<size_t>(Field::kCount)> place_;
    std::vector<std::string> names_;
    std::vector<Own> own_;
};

std::optional<int64_t> whole_number(std::string_view text);

}  // namespace opsight::importer::rocprofcsv
