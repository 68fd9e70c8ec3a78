// One plane of a profile in XPlane form: lines of events, and the names that they share. Field numbers are
// those of tsl/profiler/protobuf/xplane.proto of OpenXLA, names of stats those of its xplane_schema.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "import/protobuf/fields.h"

namespace opsight::importer::xplane {

using protobuf::Field;
using protobuf::Fields;

// Facts that Opsight uses; all others are kOther.
enum class Stat : uint8_t {
    kOther,
    kAddress,
    kAllocationBytes,
    kAllocator,
    kBytesAccessed,
    kBytesAllocated,
    kCategory,
    kClockKhz,
    kContext,
    kCoreCount,
    kCorrelation,
    kDeviceIndex,
    kDeviceName,
    kDeviceType,
    kFlops,
    kHloModule,
    kHloOp,
    kHloProto,
    kKernelDetails,
    kMajor,
    kMemoryBandwidth,
    kMemoryBytes,
    kMemcpyDetails,
    kMemsetDetails,
    kMinor,
    kModelFlops,
    kPeakBandwidth,
    kPeakTeraflops,
    kReserved,
    kProfileStart,
    kProgram,
    kScope,
    kShape,
    kSource,
    kStep,
    kTfOp,
    kVendor,
};

struct Value {
    enum class Type : uint8_t { kNone, kInteger, kReal, kText, kBytes };
    Type type = Type::kNone;
    int64_t integer = 0;    // of kReal, what is before the point
    double real = 0;        // of kInteger, the same number
    std::string_view text;  // of kText and kBytes
};

// What is told of an event, by itself and by its type. Texts lie in the plane.
struct Facts {
    int64_t correlation = -1, context = -1, step = -1, bytes_accessed = -1;
    int64_t flops = -1, model_flops = -1;  // model: those that the program asked for
    int64_t program = -1;
    int64_t device = -1;  // that memory was allocated on
    std::string_view hlo_op, hlo_module, tf_op, scope, category, source;
    std::string_view kernel, copy, set;  // "grid:1,1,1 block:32,1,1 ..."
    std::string_view allocator;
    int64_t address = 0, allocation_bytes = -1, allocated = -1, reserved = -1;
};

struct EventType {
    size_t number = 0;  // from 1; 0: a type that the plane does not hold
    std::string_view name, display_name;
    std::vector<std::string_view> stats;
    int64_t facts = -1;  // where the plane holds what the stats tell; -1: nowhere
};

struct Event {
    size_t type = 0;  // its number
    std::string_view name, display_name;
    int64_t begin = 0, dur = 0;  // ns
    Facts facts;
};

struct Line {
    int64_t id = 0, timestamp_ns = 0;
    std::string_view name;
    std::vector<std::string_view> events;
};

// Why an event cannot be used.
enum class Unusable : uint8_t { kNo, kDamaged, kBadTime, kSum, kNegative };

class Plane {
  public:
    // Reads all but the events. `bytes` outlives this. False: damaged; what came before is there.
    bool read(std::string_view bytes);

    std::string_view name() const { return name_; }
    const std::vector<Line>& lines() const { return lines_; }
    const std::vector<std::pair<Stat, Value>>& stats() const { return stats_; }
    const absl::flat_hash_map<int64_t, EventType>& types() const { return types_; }
    // Where the event ends before it begins, its duration is 0 and kNegative given back.
    Unusable read_event(const Line& line, std::string_view bytes, Event& event) const;
    std::pair<Stat, Value> read_stat(std::string_view bytes) const;

  private:
    void read_line(std::string_view bytes);
    void read_type(std::string_view bytes);
    void read_name(std::string_view bytes);
    void hold_facts();
    void take_stat(std::string_view bytes, Facts& facts) const;
    void take_type(const EventType& type, bool is_first, Event& event) const;

    std::string_view name_;
    std::vector<Line> lines_;
    std::vector<std::string_view> told_;  // of the plane itself, unread
    std::vector<std::pair<Stat, Value>> stats_;
    absl::flat_hash_map<int64_t, EventType> types_;
    std::vector<Facts> facts_;                              // of types
    absl::flat_hash_map<int64_t, std::string_view> names_;  // of stats, and texts that stats refer to
    absl::flat_hash_map<int64_t, Stat> meanings_;
    bool damaged_ = false;
};

}  // namespace opsight::importer::xplane
