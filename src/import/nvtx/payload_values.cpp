// Single values of payloads: numbers, texts, enums, and what they tell of their event.
#include <fmt/format.h>

#include <bit>

#include "import/nvtx/payload_decoder.h"
#include "import/text/clean_text.h"

namespace opsight::importer::nvtx {

namespace in = wire::schema;

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

namespace {

float half_of(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const auto fraction = static_cast<float>(bits & 1023);
    const float value = exponent == 31  ? (fraction != 0 ? NAN : HUGE_VALF)
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(fraction + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

}  // namespace

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

std::string hex_of_number(std::string_view bytes) {
    std::string out = "\"0x";
    for (size_t i = bytes.size(); i-- > 0;)
        out += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
    return out + '"';
}

void Decoder::text(std::string_view clean) {
    result.json += '"';
    for (const char c : clean) {
        if (c == '"' || c == '\\') result.json += '\\';
        result.json += c;
    }
    result.json += '"';
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

bool Decoder::scalar(uint64_t type, const std::string& place) {
    const Look look = look_of(type);
    const uint64_t size = look == Look::kHandle ? 8 : in::size_of(type);
    if (size == 0) return fail(fmt::format("a field has the type {}", type));
    const auto bytes = take(size);
    if (!bytes) return false;
    const uint64_t bits = unsigned_of(*bytes);
    switch (look) {
        case Look::kSigned:
            number(static_cast<double>(signed_of(*bytes)), type, place);
            result.json += std::to_string(signed_of(*bytes));
            if (signed_of(*bytes) >= 0) integer_ = bits;
            return true;
        case Look::kUnsigned:
            number(static_cast<double>(bits), type, place);
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
    number(value, type, place);
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

}  // namespace opsight::importer::nvtx
