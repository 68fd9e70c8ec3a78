#include "import/nsys/nvtx_payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "import/clean_text.h"

namespace opsight::nsys {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kHeader = 32;
constexpr size_t kMostValues = 4096;  // of one payload
constexpr int kMostDepth = 8;         // of schemas in each other
constexpr int64_t kFirstSchema = 1 << 24;

enum Flag : int64_t {
    kPointers = (1 << 1) | (1 << 2) | (1 << 3),  // what it points to is elsewhere
    kArrays = 7 << 4,
    kFixedSize = 1 << 4,
    kZeroTerminated = 2 << 4,
    kLengthIndex = 3 << 4,
};
enum SchemaType : int64_t { kStatic = 1, kDynamic = 2 };
enum EntryType : int64_t {
    kChar = 1,
    kChar8 = 25,
    kByte = 32,
    kFloat16 = 42,
    kBf16 = 50,
    kCstring = 75,
    kCstringUtf8 = 76,
};

// Size of a value on 64-bit Linux, and how it reads. 0: not a value of its own.
struct TypeFacts {
    enum Kind : char {
        kNone,
        kSigned = 'S',
        kUnsigned = 'U',
        kReal = 'R',
        kLetter = 'L',
        kHex = 'H',
        kString = 'T'
    };
    Kind kind = kNone;
    size_t size = 0;
};

TypeFacts facts_of(int64_t type) {
    // C's types, from char to char32_t; those with their size in their name; what NVTX itself has names for.
    static constexpr std::pair<int64_t, std::string_view> kTypes[] = {
        {1, "L1"},  {2, "U1"},   {3, "S2"},  {4, "U2"},  {5, "S4"},   {6, "U4"},   {7, "S8"},  {8, "U8"},
        {9, "S8"},  {10, "U8"},  {11, "S1"}, {12, "U1"}, {13, "S2"},  {14, "U2"},  {15, "S4"}, {16, "U4"},
        {17, "S8"}, {18, "U8"},  {19, "R4"}, {20, "R8"}, {21, "H16"}, {22, "U8"},  {23, "H8"}, {24, "L4"},
        {25, "L1"}, {26, "L2"},  {27, "L4"}, {32, "H1"}, {33, "H16"}, {34, "H16"}, {42, "R2"}, {43, "R4"},
        {44, "R8"}, {45, "H16"}, {50, "R2"}, {52, "R4"}, {68, "U4"},  {69, "H4"},  {70, "U8"}, {71, "U4"},
        {72, "U8"}, {73, "U4"},  {74, "U8"}, {75, "T8"}, {76, "T8"},  {80, "T8"}};
    const auto found =
        std::lower_bound(std::begin(kTypes), std::end(kTypes), type,
                         [](const auto& known, int64_t wanted) { return known.first < wanted; });
    if (found == std::end(kTypes) || found->first != type) return {};
    TypeFacts facts;
    facts.kind = static_cast<TypeFacts::Kind>(found->second.front());
    for (const char digit : found->second.substr(1))
        facts.size = facts.size * 10 + static_cast<size_t>(digit - '0');
    return facts;
}

uint64_t little_endian(std::string_view bytes) {
    uint64_t value = 0;
    for (size_t i = std::min<size_t>(bytes.size(), 8); i-- > 0;)
        value = (value << 8) | static_cast<unsigned char>(bytes[i]);
    return value;
}

std::string hex(std::string_view bytes) {  // most significant digit first
    std::string out = "0x";
    for (size_t i = bytes.size(); i-- > 0;)
        out += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
    return out;
}

double half(uint16_t bits) {
    const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    const double value = exponent == 31  ? (fraction ? std::nan("") : HUGE_VAL)
                         : exponent == 0 ? std::ldexp(fraction, -24)
                                         : std::ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

double real_of(int64_t type, uint64_t bits, size_t size) {
    if (type == kFloat16) return half(static_cast<uint16_t>(bits));
    if (type == kBf16) return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    return size == 8 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<uint32_t>(bits));
}

std::string clean(std::string_view bytes) {
    std::string text(bytes.substr(0, bytes.find('\0')));
    if (!is_clean(text)) clean_text(text);
    return text;
}

// One payload. A value that cannot be read ends it with a problem; what was read before stays.
class Decoder {
  public:
    Decoder(const PayloadSchemas& schemas, int64_t domain, std::string_view bytes,
            const PayloadSchemas::TextOf& text_of)
        : schemas_(schemas), domain_(domain), bytes_(bytes), text_of_(text_of) {}

    Json of_schema(int64_t id, size_t begin, int depth) {
        const auto found = schemas_.schemas.find(PayloadSchemas::Id(domain_, id));
        Json object = Json::object();
        if (found == schemas_.schemas.end()) return stop(fmt::format("there is no schema {}", id), object);
        const PayloadSchema& schema = found->second;
        if (schema.ambiguous) return stop(fmt::format("there are several schemas {}", id), object);
        if (schema.type != kStatic && schema.type != kDynamic)
            return stop(fmt::format("schema {} has the type {}", id, schema.type), object);
        if (depth > kMostDepth) return stop("schemas lie too deep in each other", object);
        size_t at = begin;
        std::map<int64_t, Json> by_place;
        for (const auto& [place, entry] : schema.entries) {
            if (entry.offset > 0) at = begin + static_cast<size_t>(entry.offset);
            const bool natural = entry.offset <= 0;
            Json value = of_entry(entry, by_place, at, natural ? schema.align : -1, begin, depth);
            if (!problem.empty()) break;
            by_place[place] = value;
            object[entry.name.empty() ? fmt::format("field {}", place) : entry.name] = std::move(value);
        }
        end_ = std::max(at, schema.size > 0 ? begin + static_cast<size_t>(schema.size) : at);
        return object;
    }

    Json of_entry(const PayloadEntry& entry, const std::map<int64_t, Json>& before, size_t& at, int64_t align,
                  size_t base, int depth) {
        if (entry.flags & kPointers) return stop("a field points to another payload", {});
        if (align >= 0) at = aligned(entry, at, align, base);
        const int64_t array = entry.flags & kArrays;
        const bool text = entry.type == kCstring || entry.type == kCstringUtf8 || entry.type == kChar ||
                          entry.type == kChar8;
        const bool embedded =
            (entry.type == kCstring || entry.type == kCstringUtf8) && array == 0 && entry.detail > 0;
        if (array == 0 && !embedded) return of_value(entry.type, at, depth);
        if (array == kZeroTerminated) {
            if (!text || at > bytes_.size()) return stop("an array of a form that is not read", {});
            const size_t end = bytes_.find('\0', at);
            if (end == bytes_.npos) return stop("it ends too early", {});
            return take_text(at, end + 1 - at);
        }
        std::optional<int64_t> count = entry.detail;
        if (array == kLengthIndex) count = whole(before, entry.detail);
        if ((array != kFixedSize && array != kLengthIndex && !embedded) || !count || *count < 0)
            return stop("an array of a form that is not read", {});
        if (text) return take_text(at, static_cast<size_t>(*count));
        if (entry.type == kByte) return hex_of(at, static_cast<size_t>(*count));
        Json list = Json::array();
        for (int64_t i = 0; i < *count && problem.empty(); ++i)
            list.push_back(of_value(entry.type, at, depth));
        return list;
    }

    std::string problem;

  private:
    Json stop(std::string why, Json so_far) {
        if (problem.empty()) problem = std::move(why);
        return so_far;
    }

    std::optional<std::string_view> take(size_t& at, size_t size) {
        if (at > bytes_.size() || size > bytes_.size() - at) {
            stop("it ends too early", {});
            return std::nullopt;
        }
        at += size;
        return bytes_.substr(at - size, size);
    }
    Json take_text(size_t& at, size_t size) {
        const auto bytes = take(at, size);
        return bytes ? Json(clean(*bytes)) : Json();
    }
    Json hex_of(size_t& at, size_t size) {
        const auto bytes = take(at, size);
        if (!bytes) return {};
        std::string out;
        for (const char c : *bytes)
            out += fmt::format("{:02x}", static_cast<unsigned char>(c));
        return out;
    }

    static std::optional<int64_t> whole(const std::map<int64_t, Json>& before, int64_t place) {
        const auto found = before.find(place);
        if (found == before.end() || !found->second.is_number_integer()) return std::nullopt;
        return found->second.get<int64_t>();
    }

    // Where a field without an offset begins: by its own size, but no further than the schema packs.
    size_t aligned(const PayloadEntry& entry, size_t at, int64_t pack, size_t base) const {
        size_t unit = facts_of(entry.type).size;
        if (const auto found = schemas_.enums.find({domain_, entry.type}); found != schemas_.enums.end())
            unit = static_cast<size_t>(found->second.size);
        if (entry.type >= kFirstSchema && unit == 0) unit = 8;
        if ((entry.type == kCstring || entry.type == kCstringUtf8) &&
            (entry.detail > 0 || entry.flags & kArrays))
            unit = 1;
        if (pack > 0) unit = std::min(unit, static_cast<size_t>(pack));
        return unit > 1 ? base + (at - base + unit - 1) / unit * unit : at;
    }

    Json of_value(int64_t type, size_t& at, int depth) {
        if (++values_ > kMostValues) return stop("it has too many values", {});
        if (type >= kFirstSchema) {
            if (const auto found = schemas_.enums.find({domain_, type}); found != schemas_.enums.end())
                return of_enum(found->second, at);
            Json nested = of_schema(type, at, depth + 1);
            at = end_;
            return nested;
        }
        const TypeFacts facts = facts_of(type);
        if (facts.size == 0) return stop(fmt::format("a field has the type {}", type), {});
        const auto bytes = take(at, facts.size);
        if (!bytes) return {};
        const uint64_t bits = little_endian(*bytes);
        switch (facts.kind) {
            case TypeFacts::kSigned: {
                const int unused = 64 - 8 * static_cast<int>(facts.size);
                return static_cast<int64_t>(bits << unused) >> unused;
            }
            case TypeFacts::kUnsigned:
                return bits;
            case TypeFacts::kReal: {
                const double value = real_of(type, bits, facts.size);
                return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
            }
            case TypeFacts::kLetter:
                return bits >= 32 && bits < 127 ? Json(std::string(1, static_cast<char>(bits))) : Json(bits);
            case TypeFacts::kHex:
                return hex(*bytes);
            case TypeFacts::kString: {
                const std::string text = text_of_(static_cast<int64_t>(bits));
                return text.empty() ? hex(*bytes) : text;
            }
            case TypeFacts::kNone:
                break;
        }
        return {};
    }

    // The name of the value, or those of its flags.
    Json of_enum(const PayloadEnum& of, size_t& at) {
        const auto bytes = take(at, static_cast<size_t>(of.size));
        if (!bytes) return {};
        const uint64_t value = little_endian(*bytes);
        if (of.ambiguous) return value;
        if (const auto named = of.values.find(value); named != of.values.end()) return named->second.name;
        std::string names;
        uint64_t rest = value;
        for (const auto& [bits, entry] : of.values) {
            if (!entry.is_flag || bits == 0 || (value & bits) != bits) continue;
            names += (names.empty() ? "" : " | ") + entry.name;
            rest &= ~bits;
        }
        return names.empty() || rest != 0 ? Json(value) : Json(names);
    }

    const PayloadSchemas& schemas_;
    int64_t domain_;
    std::string_view bytes_;
    const PayloadSchemas::TextOf& text_of_;
    size_t values_ = 0, end_ = 0;
};

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// No value: it is not in hex.
std::optional<std::string> from_hex(std::string_view text) {
    if (text.starts_with("0x")) text.remove_prefix(2);
    if (text.empty() || text.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (size_t i = 0; i < text.size(); i += 2) {
        const int high = digit(text[i]), low = digit(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

}  // namespace

Status PayloadSchemas::load(Report& report) {
    OPSIGHT_TRY(report.read(
        "NVTX_PAYLOAD_SCHEMAS", {"domainId", "schemaId", "type", "payloadSize", "alignTo"},
        [this](Table& row) {
            PayloadSchema schema;
            schema.type = row.number(2, kStatic);
            schema.size = std::clamp<int64_t>(row.number(3, 0), 0, INT32_MAX);
            schema.align = std::clamp<int64_t>(row.number(4, 0), 0, 64);
            const auto [it, is_new] = schemas.try_emplace(Id(row.number(0, 0), row.number(1)), schema);
            it->second.ambiguous |=
                !is_new && (it->second.type != schema.type || it->second.size != schema.size);
        },
        false));
    OPSIGHT_TRY(report.read(
        "NVTX_PAYLOAD_SCHEMA_ENTRIES",
        {"domainId", "schemaId", "idx", "flags", "type", "name", "arrayOrUnionDetail", "offset"},
        [this](Table& row) {
            PayloadEntry entry;
            entry.flags = row.number(3, 0);
            entry.type = row.number(4, 0);
            entry.name = clean(row.text(5));
            entry.detail = row.number(6, 0);
            entry.offset = std::clamp<int64_t>(row.number(7, 0), 0, INT32_MAX);
            PayloadSchema& schema = schemas[Id(row.number(0, 0), row.number(1))];
            const auto [it, is_new] = schema.entries.try_emplace(row.number(2, 0), entry);
            schema.ambiguous |= !is_new && it->second != entry;
        },
        false));
    OPSIGHT_TRY(report.read(
        "NVTX_PAYLOAD_ENUMS", {"domainId", "schemaId", "size"},
        [this](Table& row) {
            PayloadEnum& of = enums[Id(row.number(0, 0), row.number(1))];
            of.size = std::clamp<int64_t>(row.number(2, of.size), 1, 8);
        },
        false));
    return report
        .read(
            "NVTX_PAYLOAD_ENUM_ENTRIES", {"domainId", "schemaId", "name", "value", "isFlag"},
            [this](Table& row) {
                PayloadEnum& of = enums[Id(row.number(0, 0), row.number(1))];
                const PayloadEnum::Value value{clean(row.text(2)), row.number(4, 0) != 0};
                const auto [it, is_new] =
                    of.values.try_emplace(static_cast<uint64_t>(row.number(3, 0)), value);
                of.ambiguous |= !is_new && it->second != value;
            },
            false)
        .map([](bool) {});
}

PayloadSchemas::Decoded PayloadSchemas::decode(int64_t domain, std::string_view binary,
                                               const TextOf& text_of) const {
    // In hex it is long enough to be taken for a blob, whose sizes then make no sense.
    std::string from_text;
    if (auto bytes = from_hex(binary)) {
        from_text = std::move(*bytes);
        binary = from_text;
    }
    if (binary.size() < kHeader) return {{}, "it is shorter than its header"};
    const auto id = static_cast<int64_t>(little_endian(binary.substr(8)));
    const uint64_t size = little_endian(binary.substr(16));
    if (size > binary.size() - kHeader) return {{}, "it is shorter than it says"};
    Decoder decoder(*this, domain, binary.substr(kHeader, size), text_of);
    Decoded decoded;
    Json value;
    if (id >= kFirstSchema) {
        value = decoder.of_schema(id, 0, 0);
    } else {  // a value without a schema
        PayloadEntry entry;
        entry.type = id;
        if (id == kCstring || id == kCstringUtf8) entry.detail = static_cast<int64_t>(size);
        size_t at = 0;
        value = decoder.of_entry(entry, {}, at, -1, 0, 0);
    }
    decoded.problem = decoder.problem;
    if (decoded.problem.empty() && size < binary.size() - kHeader)
        decoded.problem = "more payloads follow the first";
    if (!value.is_null() && !(value.is_object() && value.empty()))
        decoded.json = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return decoded;
}

}  // namespace opsight::nsys
