#include "import/perfetto/clocks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/time.h"
#include "import/protobuf/fields.h"

namespace opsight::importer::perfetto {
namespace {

using protobuf::Field;
using protobuf::Fields;

constexpr uint32_t kFirstOwn = 64;

struct Reading {
    uint32_t clock = 0;
    int64_t time = 0, unit = 1;
    bool incremental = false, good = true;
};

// In ns; empty: out of range.
std::optional<int64_t> scaled(uint64_t told, int64_t unit) {
    const auto most = static_cast<uint64_t>(kMaxNs / unit);
    if (told > most) return std::nullopt;
    return static_cast<int64_t>(told) * unit;
}

Reading read_clock(std::string_view message) {
    Reading reading;
    uint64_t told = 0;
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (field.is(1, Field::Type::kVarint)) reading.clock = static_cast<uint32_t>(field.value);
        if (field.is(2, Field::Type::kVarint)) told = field.value;
        if (field.is(3, Field::Type::kVarint)) reading.incremental = field.value != 0;
        if (field.is(4, Field::Type::kVarint))
            reading.unit = static_cast<int64_t>(std::clamp<uint64_t>(field.value, 1, 1'000'000'000));
    }
    const std::optional<int64_t> time = scaled(told, reading.unit);
    reading.good = time.has_value() && !fields.is_damaged();
    reading.time = time.value_or(0);
    return reading;
}

}  // namespace

bool Clocks::take(uint32_t sequence, std::string_view snapshot) {
    std::vector<Reading> readings;
    Fields fields(snapshot);
    for (Field field; fields.next(field);)
        if (field.is(1, Field::Type::kBytes))
            if (Reading reading = read_clock(field.bytes); reading.good) readings.push_back(reading);
    std::optional<int64_t> trace;
    for (const uint32_t base : {kBoottime, kMonotonic, kRealtime})
        for (const Reading& reading : readings)
            if (!trace && reading.clock == base)
                trace = time(sequence, base, static_cast<uint64_t>(reading.time));
    if (!trace) return false;
    for (const Reading& reading : readings) {
        if (reading.clock == kRealtime && !origin_ && *trace != reading.time) origin_ = reading.time - *trace;
        if (reading.clock != kBoottime)
            clocks_[key(sequence, reading.clock)] = {reading.time, *trace, reading.unit, reading.incremental};
    }
    return !fields.is_damaged();
}

std::optional<int64_t> Clocks::time(uint32_t sequence, uint32_t clock, uint64_t told) {
    const auto known = clocks_.find(key(sequence, clock));
    if (known == clocks_.end()) return clock < kFirstOwn ? scaled(told, 1) : std::nullopt;
    Clock& c = known->second;
    const std::optional<int64_t> own = scaled(told, c.unit);
    if (!own) return std::nullopt;
    // Both are at most kMaxNs, half of what fits.
    const int64_t passed = c.incremental ? *own : *own - c.then;
    const int64_t time = c.trace + passed;
    if (time < 0 || time > kMaxNs) return std::nullopt;
    if (c.incremental) c.trace = time;
    return time;
}

}  // namespace opsight::importer::perfetto
