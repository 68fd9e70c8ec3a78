#include "import/stacks/pprof_profile.h"

#include "import/protobuf/numbers.h"

namespace opsight::importer::stacks {

using protobuf::Field;
using protobuf::Fields;

// Texts stand behind what names them.
bool PprofProfile::read(std::string_view bytes) {
    enum { kType = 1, kSample, kMapping, kLocation, kFunction, kText, kDuration = 10, kPeriodType, kPeriod };
    bool good = true;
    Fields fields(bytes);
    for (Field field; fields.next(field);) {
        if (field.is(kDuration, Field::Type::kVarint)) duration_ = field.integer();
        if (field.is(kPeriod, Field::Type::kVarint)) period_ = field.integer();
        if (field.type != Field::Type::kBytes) continue;
        switch (field.number) {
            case kType:
                type_messages_.push_back(field.bytes);
                break;
            case kSample:
                samples_.push_back(field.bytes);
                break;
            case kMapping:
                good &= take_named(field.bytes, 5, mappings_);
                break;
            case kLocation:
                good &= take_location(field.bytes);
                break;
            case kFunction:
                good &= take_named(field.bytes, 2, functions_);
                break;
            case kText:
                texts_.push_back(field.bytes);
                break;
            case kPeriodType:
                period_message_ = field.bytes;
                break;
            default:
                break;
        }
    }
    for (const std::string_view message : type_messages_)
        types_.push_back(value_type(message));
    period_type_ = value_type(period_message_);
    return good && !fields.is_damaged();
}

PprofProfile::ValueType PprofProfile::value_type(std::string_view message) const {
    ValueType type;
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (field.is(1, Field::Type::kVarint)) type.type = text(field.value);
        if (field.is(2, Field::Type::kVarint)) type.unit = text(field.value);
    }
    return type;
}

bool PprofProfile::take_location(std::string_view message) {
    enum { kId = 1, kMapping = 2, kLine = 4 };
    uint64_t id = 0;
    Location location;
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (field.is(kId, Field::Type::kVarint)) id = field.value;
        if (field.is(kMapping, Field::Type::kVarint)) location.mapping = field.value;
        if (!field.is(kLine, Field::Type::kBytes)) continue;
        Fields line(field.bytes);
        for (Field part; line.next(part);)
            if (part.is(1, Field::Type::kVarint)) location.functions.push_back(part.value);
    }
    locations_[id] = std::move(location);
    return !fields.is_damaged();
}

bool PprofProfile::take_named(std::string_view message, int name,
                              absl::flat_hash_map<uint64_t, uint64_t>& to) {
    uint64_t id = 0, named = 0;
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (field.is(1, Field::Type::kVarint)) id = field.value;
        if (field.is(name, Field::Type::kVarint)) named = field.value;
    }
    to[id] = named;
    return !fields.is_damaged();
}

bool PprofProfile::read_sample(std::string_view message, Sample& sample) const {
    enum { kLocations = 1, kValues = 2, kLabel = 3 };
    sample.locations.clear();
    sample.values.clear();
    sample.tid = -1;
    sample.thread = {};
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (field.number == kLocations)
            protobuf::each_number(field, [&](uint64_t id) { sample.locations.push_back(id); });
        if (field.number == kValues)
            protobuf::each_number(
                field, [&](uint64_t value) { sample.values.push_back(static_cast<int64_t>(value)); });
        if (field.is(kLabel, Field::Type::kBytes)) read_label(field.bytes, sample);
    }
    return !fields.is_damaged();
}

// Programs name labels as they like.
void PprofProfile::read_label(std::string_view message, Sample& sample) const {
    std::string_view key, value;
    int64_t number = -1;
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (field.is(1, Field::Type::kVarint)) key = text(field.value);
        if (field.is(2, Field::Type::kVarint)) value = text(field.value);
        if (field.is(3, Field::Type::kVarint)) number = field.integer();
    }
    if (key == "tid" || key == "thread_id" || key == "thread id") sample.tid = number;
    if (key == "thread" || key == "thread_name" || key == "thread name") sample.thread = value;
}

bool PprofProfile::add_functions(uint64_t id, size_t most, std::vector<std::string_view>& functions) const {
    const auto known = locations_.find(id);
    if (known == locations_.end()) return false;
    for (const uint64_t function : known->second.functions) {
        if (functions.size() >= most) break;
        const auto name = functions_.find(function);
        functions.push_back(name == functions_.end() ? std::string_view() : text(name->second));
    }
    if (!known->second.functions.empty()) return true;
    const auto mapping = mappings_.find(known->second.mapping);
    functions.push_back(mapping == mappings_.end() ? std::string_view() : text(mapping->second));
    return true;
}

}  // namespace opsight::importer::stacks
