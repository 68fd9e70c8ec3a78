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
    kOperation,  // of rocprofv2, as all until kPart
    kMessage,
    kRange,  // of roctx: 0 where it is pushed and popped
    kPart,   // of the GPU, whose counters stand in a row of their own
    kNode,   // of an agent, as all below
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
    kOps,         // of rocprofv2: what ran on devices, which are not told
    kMessages,    // of rocprofv2: begins and ends of roctx
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

    // Whether times of kernels are of rocprofv2, which writes what it did not ask for as it lay in memory.
    bool is_of_v2() const { return is_of_v2_; }

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
    bool is_of_v2_ = false;
    std::array<size_t, static_cast<size_t>(Field::kCount)> place_;
    std::vector<std::string> names_;
    std::vector<Own> own_;
};

std::optional<int64_t> whole_number(std::string_view text);

}  // namespace opsight::importer::rocprofcsv
