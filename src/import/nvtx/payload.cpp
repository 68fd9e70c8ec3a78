#include "import/nvtx/payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "import/clean_text.h"

namespace opsight::nvtx {
namespace {

namespace in = wire::schema;

constexpr size_t kMostText = 16 << 10, kMostValues = 4096;  // of one payload
constexpr int kDeepest = 8;                                 // schemas in each other

// How the values of a predefined type read.
enum class Look { kUnsigned, kSigned, kReal, kLetter, kHex, kHandle };

Look look_of(uint64_t type) {
    switch (type) {
        case 3:  // short, int, long, long long
        case 5:
        case 7:
        case 9:
        case 11:  // and those with their size in their name
        case 13:
        case 15:
        case 17:
            return Look::kSigned;
        case 19:  // float, double, long double
        case 20:
        case 21:
        case 42:  // half
        case 43:
        case 44:
        case 50:  // bfloat16
        case 52:  // TF32
            return Look::kReal;
        case 1:  // char
        case 24:
        case 25:
        case 26:
        case 27:
            return Look::kLetter;
        case 23:  // address
        case 32:  // byte
        case 33:  // 128 bits
        case 34:
        case 45:
        case 69:  // colour
            return Look::kHex;
        case in::kText:
        case in::kText8:
        case in::kText16:
        case in::kText32:
        case in::kRegisteredText:
            return Look::kHandle;
        default:
            return Look::kUnsigned;
    }
}

uint64_t unsigned_of(std::string_view bytes) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    return value;
}

int64_t signed_of(std::string_view bytes) {
    if (bytes.empty()) return 0;
    const auto unused = static_cast<unsigned>(64 - 8 * std::min<size_t>(bytes.size(), 8));
    return static_cast<int64_t>(unsigned_of(bytes) << unused) >> unused;
}

float half_of(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const auto fraction = static_cast<float>(bits & 1023);
    const float value = exponent == 31  ? (fraction != 0 ? NAN : HUGE_VALF)
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

// Text in 1, 2 or 4 bytes a character, as far as the first zero.
std::string text_of_bytes(size_t width, std::string_view bytes) {
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
    clean_text(text);
    return text;
}

// Most significant digit first.
std::string hex_of_number(std::string_view bytes) {
    std::string out = "\"0x";
    for (size_t i = bytes.size(); i-- > 0;)
        out += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
    return out + '"';
}

// Reads one payload from front to back. The first problem is kept; after it, entries whose offset is told are
// still read.
class Decoder {
  public:
    Decoder(const Schemas& schemas, uint64_t domain, std::string_view bytes, const TextOf& text_of,
            const VisitNumber& visit)
        : schemas_(schemas), domain_(domain), bytes_(bytes), text_of_(text_of), visit_(visit) {}

    // Each appends to the JSON and moves on. False: nothing was appended.
    bool value(uint64_t type, const std::string& place, std::optional<uint64_t> member = std::nullopt);
    bool entry(const SchemaEntry& entry, const std::vector<std::optional<uint64_t>>& before,
               const std::string& place);
    Decoded result;

  private:
    bool fail(std::string why) {
        if (result.problem.empty()) result.problem = std::move(why);
        lost_ = true;
        return false;
    }
    // The next bytes; a problem where there are less.
    std::optional<std::string_view> take(uint64_t size) {
        if (at_ > bytes_.size() || size > bytes_.size() - at_) {
            fail("it ends too early");
            return std::nullopt;
        }
        at_ += size;
        return bytes_.substr(at_ - size, size);
    }
    bool object(uint64_t id, const Schema& schema, const std::string& place, std::optional<uint64_t> member);
    bool seek(const Schema& schema, size_t index, uint64_t base);
    bool array(const SchemaEntry& entry, std::optional<uint64_t> count, const std::string& place);
    std::optional<uint64_t> zero_terminated(uint64_t size);
    bool characters(const SchemaEntry& entry, uint64_t count);
    bool scalar(uint64_t type, const std::string& place);
    void real(uint64_t type, std::string_view bytes, const std::string& place);
    bool enum_value(const Schema& schema);
    void event_fact(const SchemaEntry& entry, std::string_view bytes);
    void text(std::string_view clean);
    void number(double number, const std::string& place) {
        if (visit_ && !quiet_ && std::isfinite(number)) visit_(place, number);
    }

    const Schemas& schemas_;
    const uint64_t domain_;
    const std::string_view bytes_;
    const TextOf& text_of_;
    const VisitNumber& visit_;
    uint64_t at_ = 0;
    size_t values_ = 0;
    int depth_ = 0;
    bool lost_ = false;                // where the next entry begins is not known
    bool quiet_ = false;               // in an entry that is no number of the program's
    std::optional<uint64_t> integer_;  // of the entry that was read last; of an array: the product
    std::string last_text_;
};

void Decoder::text(std::string_view clean) {
    result.json += '"';
    for (const char c : clean) {
        if (c == '"' || c == '\\') result.json += '\\';
        result.json += c;
    }
    result.json += '"';
}

// To where an entry begins: as it is told, or after the one before it, by the rules of C.
bool Decoder::seek(const Schema& schema, size_t index, uint64_t base) {
    const SchemaEntry& entry = schema.entries[index];
    if (entry.offset > 0 || index == 0 || is_union(schema)) {
        lost_ = false;
        if (entry.offset > bytes_.size() || base + entry.offset > bytes_.size())
            return fail("it ends too early");
        at_ = base + entry.offset;
        return true;
    }
    if (lost_) return false;
    const bool letters = in::is_text(entry.type) && !is_elsewhere(entry);
    uint64_t unit = letters ? in::size_of(entry.type) : schemas_.alignment_of(domain_, entry);
    if (schema.pack > 0) unit = std::min(unit, schema.pack);
    at_ = base + (at_ - base + unit - 1) / unit * unit;
    return true;
}

bool Decoder::object(uint64_t id, const Schema& schema, const std::string& place,
                     std::optional<uint64_t> member) {
    const bool by_member = schema.type == in::kUnion && member && *member < schema.entries.size();
    if (schema.ambiguous) return fail(fmt::format("there are several schemas {}", id));
    if (schema.type != in::kStatic && schema.type != in::kDynamic && !by_member)
        return fail(fmt::format("schema {} has the type {}", id, schema.type));
    if (depth_ >= kDeepest) return fail("schemas lie too deep in each other");
    ++depth_;
    const uint64_t base = at_;
    std::vector<std::optional<uint64_t>> integers(schema.entries.size());
    const size_t begin = result.json.size();
    result.json += '{';
    bool any = false;
    for (size_t i = 0; i < schema.entries.size() && values_ <= kMostValues; ++i) {
        if (by_member && i != *member) continue;
        if (!seek(schema, i, base)) continue;
        const SchemaEntry& one = schema.entries[i];
        const size_t before = result.json.size();
        const bool was_quiet = quiet_;
        quiet_ = quiet_ || (one.flags & in::kHide) != 0;
        std::string name = one.name.empty() ? fmt::format("field {}", i) : one.name;
        clean_text(name);
        if (any) result.json += ',';
        text(name);
        result.json += ':';
        integer_.reset();
        const bool written = entry(one, integers, place.empty() ? name : place + "." + name);
        integers[i] = integer_;
        quiet_ = was_quiet;
        if (!written || (one.flags & in::kHide) != 0)
            result.json.resize(before);
        else
            any = true;
    }
    --depth_;
    integer_.reset();
    result.json += '}';
    if (!any && lost_) result.json.resize(begin);
    if (schema.extent > 0 && (at_ < base + schema.extent || is_union(schema))) at_ = base + schema.extent;
    // Where its size is known, what follows it can be found.
    lost_ = lost_ && (schema.extent == 0 || values_ > kMostValues || at_ > bytes_.size());
    return result.json.size() > begin;
}

bool Decoder::entry(const SchemaEntry& entry, const std::vector<std::optional<uint64_t>>& before,
                    const std::string& place) {
    const auto told = [&]() -> std::optional<uint64_t> {
        return entry.detail < before.size() ? before[entry.detail] : std::nullopt;
    };
    const bool is_letter = in::size_of(entry.type) > 0 && look_of(entry.type) == Look::kLetter;
    const uint64_t form = entry.flags & in::kArrayMask;
    if (is_elsewhere(entry) && !in::is_text_address(entry.type, entry.flags, entry.detail)) {
        const bool address = (entry.flags & in::kPointer) != 0;
        const auto bytes = address ? take(8) : std::nullopt;
        if (bytes) result.json += hex_of_number(*bytes);
        const bool known = !lost_ && address;
        fail("a field points to another payload");
        lost_ = !known;
        return bytes.has_value();
    }
    std::optional<uint64_t> count = entry.detail;
    if (form == in::kLengthIndex) count = told();
    if (form == in::kLengthPayload) count.reset();
    if ((in::is_text(entry.type) && !is_elsewhere(entry)) || (is_letter && form != 0)) {
        const uint64_t width = in::size_of(entry.type);
        if (form == in::kZeroTerminated) count = entry.detail > 0 ? std::nullopt : zero_terminated(width);
        if (!count) return fail("an array of a form that is not read");
        return characters(entry, *count);
    }
    const bool quiet = quiet_;
    quiet_ = quiet_ || (entry.flags & in::kRoleMask) == in::kTimestamp || entry.type == in::kCategory ||
             entry.type == in::kColor || (entry.type >= in::kScopeId && entry.type <= in::kThread64);
    const uint64_t from = at_;
    bool written = false;
    if (form != 0)
        written = array(
            entry,
            form == in::kZeroTerminated ? zero_terminated(schemas_.size_of(domain_, entry.type)) : count,
            place);
    else
        written = value(entry.type, place, told());
    quiet_ = quiet;
    if (written && form == 0 && at_ > from && at_ <= bytes_.size())
        event_fact(entry, bytes_.substr(from, at_ - from));
    return written;
}

// What the entry tells of its event.
void Decoder::event_fact(const SchemaEntry& entry, std::string_view bytes) {
    const uint64_t role = entry.flags & in::kRoleMask;
    if (role == in::kEventMessage && look_of(entry.type) == Look::kHandle) result.message = last_text_;
    if (role == in::kTimestamp) {
        const bool is_end = (entry.flags & in::kEventMask) == in::kRangeEnd;
        (is_end ? result.end : result.begin) = {signed_of(bytes), entry.clock};
    }
    if (entry.type == in::kCategory) result.category = static_cast<uint32_t>(unsigned_of(bytes));
    if (entry.type == in::kColor) result.color = static_cast<uint32_t>(unsigned_of(bytes));
    if (entry.type == in::kThread32 || entry.type == in::kThread64) result.thread = unsigned_of(bytes);
}

// How many elements lie before one that is zero; at_ is moved past neither.
std::optional<uint64_t> Decoder::zero_terminated(uint64_t size) {
    if (size == 0) return std::nullopt;
    for (uint64_t at = at_, count = 0; at <= bytes_.size() && bytes_.size() - at >= size; at += size, ++count)
        if (bytes_.substr(at, size).find_first_not_of('\0') == bytes_.npos) return count;
    return std::nullopt;
}

bool Decoder::characters(const SchemaEntry& entry, uint64_t count) {
    const uint64_t width = in::size_of(entry.type);
    const bool terminated = (entry.flags & in::kArrayMask) == in::kZeroTerminated;
    if (count > bytes_.size()) return fail("it ends too early");
    const auto bytes = take(count * width);
    if (!bytes) return false;
    if (terminated) at_ += width;
    last_text_ = text_of_bytes(width, *bytes);
    if ((entry.flags & in::kRoleMask) == in::kEventMessage) result.message = last_text_;
    text(last_text_);
    return true;
}

bool Decoder::array(const SchemaEntry& entry, std::optional<uint64_t> count, const std::string& place) {
    if (!count) return fail("an array of a form that is not read");
    if (look_of(entry.type) == Look::kHex && in::size_of(entry.type) == 1) {
        const auto bytes = take(std::min<uint64_t>(*count, bytes_.size() + 1));
        if (!bytes) return false;
        result.json += '"';
        for (const char c : *bytes)
            result.json += fmt::format("{:02x}", static_cast<unsigned char>(c));
        result.json += '"';
        return true;
    }
    uint64_t product = 1;
    bool whole_numbers = true;
    result.json += '[';
    for (uint64_t i = 0; i < *count && !lost_; ++i) {
        const size_t before = result.json.size();
        if (i > 0) result.json += ',';
        integer_.reset();
        if (!value(entry.type, place + "." + std::to_string(i))) result.json.resize(before);
        whole_numbers = whole_numbers && integer_.has_value() && *integer_ < UINT32_MAX;
        product = whole_numbers ? std::min<uint64_t>(product * *integer_, UINT32_MAX) : 0;
    }
    result.json += ']';
    integer_ = whole_numbers && !lost_ ? std::optional(product) : std::nullopt;
    if ((entry.flags & in::kArrayMask) == in::kZeroTerminated && !lost_)
        at_ += schemas_.size_of(domain_, entry.type);
    return true;
}

bool Decoder::value(uint64_t type, const std::string& place, std::optional<uint64_t> member) {
    if (++values_ > kMostValues || result.json.size() > kMostText) {
        values_ = kMostValues + 1;
        return fail("it has too many values");
    }
    if (type < in::kFirstSchemaId) return scalar(type, place);
    const Schema* schema = schemas_.find(domain_, type);
    if (!schema) return fail(fmt::format("there is no schema {}", type));
    return schema->is_enum ? enum_value(*schema) : object(type, *schema, place, member);
}

bool Decoder::scalar(uint64_t type, const std::string& place) {
    const Look look = look_of(type);
    const uint64_t size = look == Look::kHandle ? 8 : in::size_of(type);
    if (size == 0) return fail(fmt::format("a field has the type {}", type));
    const auto bytes = take(size);
    if (!bytes) return false;
    const uint64_t bits = unsigned_of(*bytes);
    switch (look) {
        case Look::kSigned:
            number(static_cast<double>(signed_of(*bytes)), place);
            result.json += std::to_string(signed_of(*bytes));
            if (signed_of(*bytes) >= 0) integer_ = bits;
            return true;
        case Look::kUnsigned:
            number(static_cast<double>(bits), place);
            result.json += std::to_string(bits);
            integer_ = bits;
            return true;
        case Look::kReal:
            real(type, *bytes, place);
            return true;
        case Look::kLetter:
            if (bits >= 32 && bits < 127)
                text(std::string(1, static_cast<char>(bits)));
            else
                result.json += std::to_string(bits);
            return true;
        case Look::kHex:
            result.json += hex_of_number(*bytes);
            return true;
        case Look::kHandle:
            last_text_ = text_of_ ? text_of_(type, bits) : std::string();
            clean_text(last_text_);
            last_text_.empty() ? static_cast<void>(result.json += hex_of_number(*bytes)) : text(last_text_);
            return true;
    }
    return false;
}

void Decoder::real(uint64_t type, std::string_view bytes, const std::string& place) {
    const uint64_t bits = unsigned_of(bytes);
    std::string shown;
    double value = 0;
    if (bytes.size() == 16) {
        long double wide = 0;
        std::memcpy(&wide, bytes.data(), sizeof wide);
        value = static_cast<double>(wide);
        shown = fmt::format("{}", value);
    } else if (bytes.size() == 8) {
        value = std::bit_cast<double>(bits);
        shown = fmt::format("{}", value);
    } else {
        const float narrow = type == 42   ? half_of(static_cast<uint16_t>(bits))
                             : type == 50 ? std::bit_cast<float>(static_cast<uint32_t>(bits) << 16)
                                          : std::bit_cast<float>(static_cast<uint32_t>(bits));
        value = narrow;
        shown = fmt::format("{}", narrow);
    }
    number(value, place);
    if (!std::isfinite(value))
        shown = '"' + shown + '"';
    else if (shown.find_first_of(".e") == shown.npos)
        shown += ".0";
    result.json += shown;
}

// The name of the value, or those of its flags.
bool Decoder::enum_value(const Schema& schema) {
    const auto bytes = take(schema.extent > 0 ? schema.extent : 4);
    if (!bytes) return false;
    const uint64_t value = unsigned_of(*bytes);
    integer_ = value;
    std::string names;
    uint64_t rest = value;
    for (const SchemaEntry& known : schema.entries) {
        if (schema.ambiguous) break;
        if (known.type == value) {
            names = known.name;
            rest = 0;
            break;
        }
        if (known.flags == 0 || known.type == 0 || (value & known.type) != known.type) continue;
        names += (names.empty() ? "" : " | ") + known.name;
        rest &= ~known.type;
    }
    clean_text(names);
    names.empty() || rest != 0 ? static_cast<void>(result.json += std::to_string(value)) : text(names);
    return true;
}

}  // namespace

Decoded decode(const Schemas& schemas, uint64_t domain, uint64_t schema, std::string_view bytes,
               const TextOf& text_of, const VisitNumber& visit) {
    if (schema == in::kReferenced) return {};  // for other payloads of the event
    Decoder decoder(schemas, domain, bytes, text_of, visit);
    if (schema >= in::kFirstSchemaId) {
        decoder.value(schema, {});
    } else {  // a value without a schema
        SchemaEntry entry;
        entry.type = schema == in::kRaw ? in::kByte : schema;
        const bool many = schema == in::kRaw || in::is_text(schema);
        if (many) entry.detail = bytes.size() / std::max<uint64_t>(1, in::size_of(entry.type));
        if (many && entry.detail == 0) return {};
        if (schema == in::kRaw) entry.flags = in::kFixedArray;
        decoder.entry(entry, {}, {});
    }
    return std::move(decoder.result);
}

}  // namespace opsight::nvtx
