#include "import/xplane/plane.h"

#include <bit>
#include <cmath>
#include <iterator>

#include "base/time.h"

namespace opsight::importer::xplane {
namespace {

using Type = Field::Type;

const absl::flat_hash_map<std::string_view, Stat>& meanings() {
    static const absl::flat_hash_map<std::string_view, Stat> list = {
        {"addr", Stat::kAddress},
        {"allocation_bytes", Stat::kAllocationBytes},
        {"allocator_name", Stat::kAllocator},
        {"bytes_accessed", Stat::kBytesAccessed},
        {"bytes_allocated", Stat::kBytesAllocated},
        {"hlo_category", Stat::kCategory},
        {"clock_rate", Stat::kClockKhz},
        {"context_id", Stat::kContext},
        {"$$context_id", Stat::kContext},
        {"core_count", Stat::kCoreCount},
        {"correlation_id", Stat::kCorrelation},
        {"gpu_device_name", Stat::kDeviceName},
        {"index_on_host", Stat::kDeviceIndex},
        {"device_type_string", Stat::kDeviceType},
        {"flops", Stat::kFlops},
        {"model_flops", Stat::kModelFlops},
        {"bytes_reserved", Stat::kReserved},
        {"hlo_module", Stat::kHloModule},
        {"hlo_op", Stat::kHloOp},
        {"Hlo Proto", Stat::kHloProto},
        {"hlo_proto", Stat::kHloProto},
        {"kernel_details", Stat::kKernelDetails},
        {"compute_cap_major", Stat::kMajor},
        {"memory_bandwidth", Stat::kMemoryBandwidth},
        {"memory_size", Stat::kMemoryBytes},
        {"memcpy_details", Stat::kMemcpyDetails},
        {"memset_details", Stat::kMemsetDetails},
        {"Memset_details", Stat::kMemsetDetails},
        {"compute_cap_minor", Stat::kMinor},
        {"peak_hbm_bw_gigabytes_per_second", Stat::kPeakBandwidth},
        {"peak_teraflops_per_second", Stat::kPeakTeraflops},
        {"profile_start_time", Stat::kProfileStart},
        {"program_id", Stat::kProgram},
        {"name", Stat::kScope},
        {"tf_op_name", Stat::kScope},
        {"shape_with_layout", Stat::kShape},
        {"source", Stat::kSource},
        {"step_num", Stat::kStep},
        {"tf_op", Stat::kTfOp},
        {"device_vendor", Stat::kVendor},
    };
    return list;
}

// An entry of a map: its key and its message.
std::pair<int64_t, std::string_view> entry_of(std::string_view bytes) {
    std::pair<int64_t, std::string_view> entry;
    Fields fields(bytes);
    for (Field field; fields.next(field);) {
        if (field.is(1, Type::kVarint)) entry.first = field.integer();
        if (field.is(2, Type::kBytes)) entry.second = field.bytes;
    }
    return entry;
}

Value real_value(double value) {
    constexpr double kMost = 9e18;
    const bool fits = std::isfinite(value) && std::abs(value) < kMost;
    return {Value::Type::kReal, fits ? static_cast<int64_t>(value) : 0, std::isfinite(value) ? value : 0, {}};
}

int64_t floor_of_thousand(int64_t ps) {
    return ps / 1000 - (ps % 1000 < 0 ? 1 : 0);
}

// Picoseconds after the begin of the line, in whole ns: begin and end rounded down, so what follows without a
// gap still does.
Unusable place(int64_t line_ns, int64_t offset_ps, int64_t dur_ps, Event& event) {
    if (line_ns < -kMaxNs / 2 || line_ns > kMaxNs / 2) return Unusable::kBadTime;
    int64_t end_ps = 0;
    if (__builtin_add_overflow(offset_ps, dur_ps, &end_ps)) return Unusable::kBadTime;
    const int64_t begin = floor_of_thousand(offset_ps), end = floor_of_thousand(end_ps);
    event.begin = line_ns + begin;
    event.dur = dur_ps < 0 ? 0 : end - begin;
    if (event.begin < -kMaxNs || event.begin > kMaxNs - event.dur) return Unusable::kBadTime;
    return dur_ps < 0 ? Unusable::kNegative : Unusable::kNo;
}

bool is_none(std::string_view text) {
    return text == "(null)";
}

}  // namespace

bool Plane::read(std::string_view bytes) {
    Fields fields(bytes);
    for (Field field; fields.next(field);) {
        if (field.type != Type::kBytes) continue;
        switch (field.number) {
            case 2:
                name_ = field.bytes;
                break;
            case 3:
                read_line(field.bytes);
                break;
            case 4:
                read_type(field.bytes);
                break;
            case 5:
                read_name(field.bytes);
                break;
            case 6:
                told_.push_back(field.bytes);
                break;
            default:
                break;
        }
    }
    for (const std::string_view stat : told_)
        stats_.push_back(read_stat(stat));
    hold_facts();
    return !damaged_ && !fields.is_damaged();
}

void Plane::read_line(std::string_view bytes) {
    Line line;
    Fields fields(bytes);
    for (Field field; fields.next(field);) {
        if (field.is(1, Type::kVarint)) line.id = field.integer();
        if (field.is(3, Type::kVarint)) line.timestamp_ns = field.integer();
        if (field.is(2, Type::kBytes)) line.name = field.bytes;
        if (field.is(4, Type::kBytes)) line.events.push_back(field.bytes);
    }
    damaged_ |= fields.is_damaged();
    lines_.push_back(std::move(line));
}

void Plane::read_type(std::string_view bytes) {
    const auto [key, message] = entry_of(bytes);
    EventType& type = types_[key];
    if (type.number == 0) type.number = types_.size();
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (field.is(2, Type::kBytes)) type.name = field.bytes;
        if (field.is(4, Type::kBytes)) type.display_name = field.bytes;
        if (field.is(5, Type::kBytes)) type.stats.push_back(field.bytes);
    }
    damaged_ |= fields.is_damaged();
}

void Plane::read_name(std::string_view bytes) {
    const auto [key, message] = entry_of(bytes);
    Fields fields(message);
    for (Field field; fields.next(field);)
        if (field.is(2, Type::kBytes)) {
            names_[key] = field.bytes;
            const auto known = meanings().find(field.bytes);
            if (known != meanings().end()) meanings_[key] = known->second;
        }
    damaged_ |= fields.is_damaged();
}

std::pair<Stat, Value> Plane::read_stat(std::string_view bytes) const {
    Stat stat = Stat::kOther;
    Value value;
    Fields fields(bytes);
    for (Field field; fields.next(field);) {
        if (field.is(1, Type::kVarint)) {
            const auto known = meanings_.find(field.integer());
            if (known != meanings_.end()) stat = known->second;
        } else if (field.is(2, Type::kFixed64)) {
            value = real_value(std::bit_cast<double>(field.value));
        } else if (field.is(3, Type::kVarint) || field.is(4, Type::kVarint)) {
            value = {Value::Type::kInteger, field.integer(), static_cast<double>(field.integer()), {}};
        } else if (field.is(5, Type::kBytes) || field.is(6, Type::kBytes)) {
            value = {field.number == 5 ? Value::Type::kText : Value::Type::kBytes, 0, 0, field.bytes};
        } else if (field.is(7, Type::kVarint)) {
            const auto text = names_.find(field.integer());
            if (text != names_.end()) value = {Value::Type::kText, 0, 0, text->second};
        }
    }
    return {stat, value};
}

void Plane::take_stat(std::string_view bytes, Facts& facts) const {
    const auto [stat, value] = read_stat(bytes);
    if (value.type == Value::Type::kText) {
        std::string_view* to = stat == Stat::kHloOp           ? &facts.hlo_op
                               : stat == Stat::kHloModule     ? &facts.hlo_module
                               : stat == Stat::kTfOp          ? &facts.tf_op
                               : stat == Stat::kScope         ? &facts.scope
                               : stat == Stat::kCategory      ? &facts.category
                               : stat == Stat::kSource        ? &facts.source
                               : stat == Stat::kKernelDetails ? &facts.kernel
                               : stat == Stat::kMemcpyDetails ? &facts.copy
                               : stat == Stat::kMemsetDetails ? &facts.set
                               : stat == Stat::kAllocator     ? &facts.allocator
                                                              : nullptr;
        if (to != nullptr && !is_none(value.text)) *to = value.text;
    } else if (value.type == Value::Type::kInteger) {
        int64_t* to = stat == Stat::kCorrelation       ? &facts.correlation
                      : stat == Stat::kContext         ? &facts.context
                      : stat == Stat::kStep            ? &facts.step
                      : stat == Stat::kBytesAccessed   ? &facts.bytes_accessed
                      : stat == Stat::kAddress         ? &facts.address
                      : stat == Stat::kAllocationBytes ? &facts.allocation_bytes
                      : stat == Stat::kBytesAllocated  ? &facts.allocated
                      : stat == Stat::kReserved        ? &facts.reserved
                      : stat == Stat::kFlops           ? &facts.flops
                      : stat == Stat::kModelFlops      ? &facts.model_flops
                      : stat == Stat::kProgram         ? &facts.program
                      : stat == Stat::kDeviceIndex     ? &facts.device
                                                       : nullptr;
        if (to != nullptr) *to = value.integer;
    }
}

// So that they are not read again for each event. A plane that has more types than a profiler writes is read
// without, for its memory.
void Plane::hold_facts() {
    constexpr size_t kMost = 100'000;
    for (auto& [key, type] : types_) {
        if (type.stats.empty()) continue;
        if (facts_.size() == kMost) return;
        type.facts = std::ssize(facts_);
        for (Facts& facts = facts_.emplace_back(); const std::string_view stat : type.stats)
            take_stat(stat, facts);
    }
}

// What comes last counts; the type comes first where a profiler wrote the event.
void Plane::take_type(const EventType& type, bool is_first, Event& event) const {
    event.type = type.number;
    event.name = type.name;
    event.display_name = type.display_name;
    if (is_first && type.facts >= 0) {
        event.facts = facts_[static_cast<size_t>(type.facts)];
        return;
    }
    for (const std::string_view stat : type.stats)
        take_stat(stat, event.facts);
}

Unusable Plane::read_event(const Line& line, std::string_view bytes, Event& event) const {
    event = {};
    int64_t offset_ps = 0, dur_ps = 0;
    bool is_sum = false, any_facts = false;
    Fields fields(bytes);
    for (Field field; fields.next(field);) {
        if (field.is(1, Type::kVarint)) {
            const auto type = types_.find(field.integer());
            if (type != types_.end()) {
                take_type(type->second, !any_facts, event);
                any_facts = true;
            }
        }
        if (field.is(2, Type::kVarint)) offset_ps = field.integer();
        if (field.is(3, Type::kVarint)) dur_ps = field.integer();
        if (field.is(4, Type::kBytes)) {
            take_stat(field.bytes, event.facts);
            any_facts = true;
        }
        if (field.is(5, Type::kVarint)) is_sum = true;
    }
    if (fields.is_damaged()) return Unusable::kDamaged;
    if (is_sum) return Unusable::kSum;
    return place(line.timestamp_ns, offset_ps, dur_ps, event);
}

}  // namespace opsight::importer::xplane
