// One trace event as the source wrote it: views of the raw JSON tokens that matter, nothing converted yet.
// Keys may come in any order, so that meaning is given only when the whole event has been seen.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace opsight::importer::kineto {

enum class Arg : uint8_t {
    kExternalId,
    kRecordFunction,
    kCorrelation,
    kDevice,
    kStream,
    kContext,
    kGrid,
    kBlock,
    kRegisters,
    kSharedMemory,
    kOccupancy,
    kBlocksPerSm,
    kWarpsPerSm,
    kBytes,
    kInputDims,
    kInputTypes,
    kConcreteInputs,
    kInputStrides,
    kCallStack,
    kModuleHierarchy,
    kSequence,
    kForwardThread,
    kCollectiveName,
    kInElements,
    kOutElements,
    kGroupSize,
    kDtype,
    kGroupName,
    kGroupDescription,
    kGroupRanks,
    kCollectiveNumber,
    kSourceRank,
    kDestinationRank,
    kDeviceType,
    kDeviceId,
    kAddress,
    kTotalAllocated,
    kTotalReserved,
    kName,
    kLabels,
    kKernel,
    kGraph,
    kGraphNode,
    kRank,
    kRawPid,
    kCount
};
static_assert(static_cast<int>(Arg::kCount) <= 64);

// The argument that a key names, in any of its spellings; kCount for all others. `key` is followed by its
// closing quote and at least 64 readable bytes.
Arg find_arg(const char* key);

struct RawEvent {
    std::string_view phase, category, name, pid, tid, time, duration, id;
    const char* begin = nullptr;  // its opening brace
    size_t args = 0;              // where its arguments begin in the structure; 0: it has none

    void clear() {
        phase = category = name = pid = tid = time = duration = id = {};
        set_ = 0;
        args = 0;
    }
    bool has(Arg arg) const { return set_ >> static_cast<int>(arg) & 1; }
    // The raw token, or nothing.
    std::string_view operator[](Arg arg) const {
        return has(arg) ? args_[static_cast<size_t>(arg)] : std::string_view();
    }
    // The first spelling of an argument wins.
    void set(Arg arg, std::string_view token) {
        if (has(arg)) return;
        set_ |= uint64_t{1} << static_cast<int>(arg);
        args_[static_cast<size_t>(arg)] = token;
    }

  private:
    uint64_t set_ = 0;
    std::array<std::string_view, static_cast<size_t>(Arg::kCount)> args_;
};

}  // namespace opsight::importer::kineto
