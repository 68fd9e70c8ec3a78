#include "import/nvtx/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "import/clean_text.h"

namespace opsight::nvtx {
namespace in = wire::schema;

// Walks over one payload.
class Decoder {
  public:
    using Visit = std::function<void(const std::string&, double)>;
    Decoder(const Schemas& schemas, uint32_t domain, const Schemas::Texts& texts, const Visit* visit)
        : schemas_(schemas), domain_(domain), texts_(texts), visit_(visit) {}

    void object(const Schemas::Schema& schema, std::string_view bytes, const std::string& place);
    void value(uint64_t type, std::string_view bytes, const std::string& place);
    Schemas::Decoded result;

  private:
    static constexpr size_t kMostText = 16 << 10;
    static constexpr uint64_t kMostShown = 256;
    static constexpr int kDeepest = 8;

    struct Place {
        size_t at, size;
        uint64_t count;  // of an array; 1 otherwise
        bool array;
    };
    std::optional<Place> place_of(const Schemas::Schema& schema, size_t index, std::string_view bytes,
                                  size_t cursor);
    uint64_t count_of(const Schemas::Schema& schema, size_t index, std::string_view rest,
                      size_t element) const;
    void entry(const Schemas::Entry& entry, const Place& place, std::string_view bytes,
               const std::string& name);
    void text_entry(const Schemas::Entry& entry, std::string_view bytes);
    void scalar(uint64_t type, std::string_view bytes, const std::string& place);
    void enum_value(const Schemas::Schema& schema, uint64_t value);
    void text(std::string_view raw);
    void number(double value, const std::string& place) {
        if (visit_ && std::isfinite(value)) (*visit_)(place, value);
    }
    bool full() {
        const bool is_full = result.json.size() > kMostText;
        result.whole &= !is_full;
        return is_full;
    }

    const Schemas& schemas_;
    const uint32_t domain_;
    const Schemas::Texts& texts_;
    const Visit* visit_;
    int depth_ = 0;
    std::vector<uint64_t> integers_;  // of the entries so far, of the schema that is being read
};

namespace {

template <class T>
T load(std::string_view bytes) {
    T value{};
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    return value;
}

uint64_t unsigned_of(std::string_view bytes) {
    return load<uint64_t>(bytes.substr(0, 8));
}

bool is_union(uint64_t schema_type) {
    return schema_type == in::kUnion || schema_type == in::kUnionWithSelector;
}

bool is_signed(uint64_t type) {
    constexpr uint64_t kSigned[] = {1, 3, 5, 7, 9, 11, 13, 15, 17};
    return std::find(std::begin(kSigned), std::end(kSigned), type) != std::end(kSigned);
}

int64_t signed_of(std::string_view bytes) {
    if (bytes.empty()) return 0;
    const auto bits = static_cast<unsigned>(64 - 8 * std::min<size_t>(bytes.size(), 8));
    return static_cast<int64_t>(unsigned_of(bytes) << bits) >> bits;
}

double half_of(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    const double value = exponent == 0    ? std::ldexp(fraction, -24)
                         : exponent == 31 ? (fraction == 0 ? HUGE_VAL : NAN)
                                          : std::ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

float float_of(uint32_t bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// The value of a type with a point; nothing where the type has none.
std::optional<double> real_of(uint64_t type, std::string_view bytes) {
    switch (type) {
        case 19:
        case 43:
        case 52:
            return load<float>(bytes);
        case 20:
        case 44:
            return load<double>(bytes);
        case 21:
            return static_cast<double>(load<long double>(bytes));
        case 42:
            return half_of(load<uint16_t>(bytes));
        case 50:
            return float_of(uint32_t{load<uint16_t>(bytes)} << 16);
        default:
            return std::nullopt;
    }
}

// Text in 1, 2 or 4 bytes a character, as far as the first zero.
std::string text_of(uint64_t type, std::string_view bytes) {
    const size_t width = in::size_of(type);
    std::string text;
    for (size_t at = 0; at + width <= bytes.size(); at += width) {
        const uint64_t c = unsigned_of(bytes.substr(at, width));
        if (c == 0) break;
        if (c < 0x80 || width == 1) {
            text += static_cast<char>(c);
        } else if (c < 0x800) {
            text += {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
        } else if (c < 0x10000) {
            text += {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
                     static_cast<char>(0x80 | (c & 63))};
        } else {
            text += {static_cast<char>(0xf0 | (c >> 18 & 7)), static_cast<char>(0x80 | (c >> 12 & 63)),
                     static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
        }
    }
    return text;
}

}  // namespace

void Decoder::text(std::string_view raw) {
    std::string clean(raw);
    clean_text(clean);
    result.json += '"';
    for (const char c : clean) {
        if (c == '"' || c == '\\') result.json += '\\';
        result.json += c;
    }
    result.json += '"';
}

// How many elements an array has, by whichever way its entry tells it.
uint64_t Decoder::count_of(const Schemas::Schema& schema, size_t index, std::string_view rest,
                           size_t element) const {
    const Schemas::Entry& entry = schema.entries[index];
    const uint64_t room = element > 0 ? rest.size() / element : 0;
    switch (entry.flags & in::kArrayMask) {
        case in::kFixedArray:
            return entry.detail;
        case in::kLengthIndex:
            return entry.detail < integers_.size() ? integers_[entry.detail] : room;
        case in::kZeroTerminated: {
            uint64_t count = 0;
            while (count < room && rest.substr(count * element, element).find_first_not_of('\0') != rest.npos)
                ++count;
            return count;
        }
        default:
            return in::is_text(entry.type) && entry.detail > 0 ? entry.detail : 1;
    }
}

std::optional<Decoder::Place> Decoder::place_of(const Schemas::Schema& schema, size_t index,
                                                std::string_view bytes, size_t cursor) {
    const Schemas::Entry& entry = schema.entries[index];
    const bool address =
        (entry.flags & in::kPointer) != 0 || in::is_text_address(entry.type, entry.flags, entry.detail);
    const size_t element = address ? 8 : schemas_.size_of(domain_, entry.type);
    size_t at = static_cast<size_t>(entry.offset);
    if (entry.offset == 0 && index > 0 && !is_union(schema.type)) {
        size_t alignment = address ? 8 : schemas_.alignment_of(domain_, entry.type);
        if (schema.pack > 0) alignment = std::min<size_t>(alignment, schema.pack);
        at = alignment > 0 ? (cursor + alignment - 1) / alignment * alignment : cursor;
    }
    if (element == 0 || at > bytes.size()) return std::nullopt;
    const bool array = !address && (entry.flags & in::kArrayMask) != 0;
    uint64_t count = address ? 1 : count_of(schema, index, bytes.substr(at), element);
    const uint64_t room = (bytes.size() - at) / element;
    if (count > room) {
        result.whole = false;
        count = room;
        if (!array && !in::is_text(entry.type)) return std::nullopt;
    }
    return Place{at, element, count, array};
}

void Decoder::object(const Schemas::Schema& schema, std::string_view bytes, const std::string& place) {
    if (depth_ >= kDeepest) {
        result.whole = false;
        result.json += "null";
        return;
    }
    ++depth_;
    std::vector<uint64_t> outer;
    outer.swap(integers_);
    result.json += '{';
    size_t cursor = 0;
    bool first = true;
    for (size_t i = 0; i < schema.entries.size() && !full(); ++i) {
        const Schemas::Entry& one = schema.entries[i];
        const std::optional<Place> found = place_of(schema, i, bytes, cursor);
        integers_.push_back(found && found->size <= 8 ? unsigned_of(bytes.substr(found->at, found->size))
                                                      : 0);
        if (!found) {
            result.whole = false;
            continue;
        }
        cursor = found->at + found->size * static_cast<size_t>(found->count);
        const std::string name = one.name.empty() ? std::to_string(i) : one.name;
        if (one.flags & in::kHide) continue;
        if (!first) result.json += ", ";
        first = false;
        text(name);
        result.json += ": ";
        entry(one, *found, bytes, place.empty() ? name : place + "." + name);
    }
    result.json += '}';
    integers_.swap(outer);
    --depth_;
}

void Decoder::entry(const Schemas::Entry& entry, const Place& place, std::string_view bytes,
                    const std::string& name) {
    const std::string_view own = bytes.substr(place.at, place.size * static_cast<size_t>(place.count));
    if ((entry.flags & in::kRoleMask) == in::kTimestamp && !own.empty()) {
        const int64_t time = signed_of(own);
        ((entry.flags & in::kEventMask) == in::kRangeEnd ? result.end : result.begin) = time;
    }
    if (in::is_text(entry.type) || entry.type == in::kRegisteredText) return text_entry(entry, own);
    if (entry.flags & in::kPointer) {
        result.json += fmt::format("\"{:#x}\"", unsigned_of(own));
        return;
    }
    if (!place.array) return value(entry.type, own, name);
    result.json += '[';
    const uint64_t shown = std::min(place.count, kMostShown);
    for (uint64_t i = 0; i < shown && !full(); ++i) {
        if (i > 0) result.json += ", ";
        value(entry.type, own.substr(i * place.size, place.size), name + "." + std::to_string(i));
    }
    result.whole &= shown == place.count;
    result.json += ']';
}

void Decoder::text_entry(const Schemas::Entry& entry, std::string_view bytes) {
    std::string found;
    const uint64_t address = unsigned_of(bytes);
    if (entry.type == in::kRegisteredText) {
        if (const std::string* known = schemas_.registered(address)) found = *known;
    } else if (in::is_text_address(entry.type, entry.flags, entry.detail)) {
        const auto known = texts_.find(address);
        found = known != texts_.end() ? known->second : fmt::format("{:#x}", address);
    } else {
        found = text_of(entry.type, bytes);
    }
    if ((entry.flags & in::kRoleMask) == in::kEventMessage) result.message = found;
    text(found);
}

void Decoder::value(uint64_t type, std::string_view bytes, const std::string& place) {
    const Schemas::Schema* schema = schemas_.find(domain_, type);
    if (!schema) return scalar(type, bytes, place);
    if (schema->is_enum) return enum_value(*schema, unsigned_of(bytes));
    object(*schema, bytes, place);
}

void Decoder::scalar(uint64_t type, std::string_view bytes, const std::string& place) {
    constexpr uint64_t kChar = 1, kChar8 = 25, kAddress = 23, kInt128 = 33, kUint128 = 34, kFloat128 = 45;
    if (const std::optional<double> real = real_of(type, bytes)) {
        number(*real, place);
        result.json += std::isfinite(*real) ? fmt::format("{}", *real) : "null";
    } else if (type == kChar || type == kChar8) {
        text(bytes.substr(0, 1));
    } else if (type == kAddress || type == kInt128 || type == kUint128 || type == kFloat128) {
        result.json += bytes.size() > 8
                           ? fmt::format("\"{:#x}{:016x}\"", unsigned_of(bytes.substr(8)), unsigned_of(bytes))
                           : fmt::format("\"{:#x}\"", unsigned_of(bytes));
    } else if (is_signed(type)) {
        number(static_cast<double>(signed_of(bytes)), place);
        result.json += std::to_string(signed_of(bytes));
    } else {
        number(static_cast<double>(unsigned_of(bytes)), place);
        result.json += std::to_string(unsigned_of(bytes));
    }
}

void Decoder::enum_value(const Schemas::Schema& schema, uint64_t value) {
    std::string names;
    for (const Schemas::Entry& entry : schema.entries) {
        const bool flag = entry.flags != 0 && entry.type != 0;
        if (flag ? (value & entry.type) != entry.type : value != entry.type) continue;
        names += (names.empty() ? "" : "|") + entry.name;
        if (!flag) break;
    }
    names.empty() ? static_cast<void>(result.json += std::to_string(value)) : text(names);
}

const std::string* Schemas::registered(uint64_t handle) const {
    const auto found = registered_.find(handle);
    return found == registered_.end() ? nullptr : &found->second;
}

const Schemas::Schema* Schemas::find(uint32_t domain, uint64_t id) const {
    const auto found = schemas_.find({domain, id});
    return found == schemas_.end() ? nullptr : &found->second;
}

bool Schemas::define(uint32_t domain, uint64_t id, std::string_view blob, bool is_enum) {
    wire::NvtxSchemaHead head;
    if (blob.size() < sizeof head) return false;
    std::memcpy(&head, blob.data(), sizeof head);
    blob.remove_prefix(sizeof head);
    if (head.entries > wire::kMostSchemaEntries || blob.size() < head.entries * sizeof(wire::NvtxSchemaEntry))
        return false;
    std::string_view texts = blob.substr(head.entries * sizeof(wire::NvtxSchemaEntry));
    const auto next_text = [&texts](uint64_t length) {
        const std::string_view text = texts.substr(0, length);
        texts.remove_prefix(text.size());
        return std::string(text);
    };
    Schema schema;
    schema.is_enum = is_enum;
    schema.type = head.type;
    schema.size = std::min<uint64_t>(head.size, 1 << 20);
    schema.pack = head.pack;
    schema.name = next_text(head.name_length);
    for (uint32_t i = 0; i < head.entries; ++i) {
        wire::NvtxSchemaEntry entry;
        std::memcpy(&entry, blob.data() + i * sizeof entry, sizeof entry);
        schema.entries.push_back(
            {entry.flags, entry.type, entry.detail, entry.offset, next_text(entry.name_length)});
    }
    lay_out(domain, schema);
    schemas_[{domain, id}] = std::move(schema);
    return true;
}

// Sizes are settled when a schema is defined: one that names itself, or a later one, has none.
void Schemas::lay_out(uint32_t domain, Schema& schema) const {
    if (schema.is_enum) {
        schema.alignment = std::clamp<size_t>(schema.size, 1, 8);
        return;
    }
    constexpr uint64_t kMost = 1 << 20;
    uint64_t end = 0;
    for (const Entry& entry : schema.entries) {
        const bool address =
            (entry.flags & in::kPointer) != 0 || in::is_text_address(entry.type, entry.flags, entry.detail);
        const bool many = (entry.flags & in::kArrayMask) == in::kFixedArray || in::is_text(entry.type);
        const uint64_t count = many && !address && entry.detail > 0 ? std::min(entry.detail, kMost) : 1;
        const size_t alignment = address ? 8 : alignment_of(domain, entry.type);
        const uint64_t begin = entry.offset > 0 || is_union(schema.type)
                                   ? std::min(entry.offset, kMost)
                                   : (end + alignment - 1) / alignment * alignment;
        end = std::max(end, begin + (address ? 8 : size_of(domain, entry.type)) * count);
        schema.alignment = std::max(schema.alignment, alignment);
    }
    if (schema.pack > 0) schema.alignment = std::min<size_t>(schema.alignment, schema.pack);
    if (schema.size == 0) schema.size = std::min(end, kMost);
}

size_t Schemas::size_of(uint32_t domain, uint64_t type) const {
    if (const size_t size = in::size_of(type)) return size;
    const Schema* schema = find(domain, type);
    return schema ? static_cast<size_t>(schema->size) : 0;
}

size_t Schemas::alignment_of(uint32_t domain, uint64_t type) const {
    if (const size_t size = in::size_of(type)) return size;
    const Schema* schema = find(domain, type);
    return schema ? schema->alignment : 1;
}

Schemas::Decoded Schemas::decode(uint32_t domain, uint64_t schema, std::string_view bytes,
                                 const Texts& texts) const {
    Decoder decoder(*this, domain, texts, nullptr);
    const bool known = find(domain, schema) || in::size_of(schema) > 0;
    if (known) decoder.value(schema, bytes, {});
    decoder.result.whole &= known;
    return std::move(decoder.result);
}

void Schemas::numbers(uint32_t domain, uint64_t schema, std::string_view bytes,
                      const std::function<void(const std::string&, double)>& visit) const {
    static const Texts kNone;
    Decoder(*this, domain, kNone, &visit).value(schema, bytes, {});
}

}  // namespace opsight::nvtx
