#include "import/perfetto/annotations.h"

#include <simdjson.h>
#include <algorithm>
#include <bit>

#include "base/utf8.h"

namespace opsight::importer::perfetto {
namespace {

using protobuf::Field;
using protobuf::Fields;

enum {
    kKeyNumber = 1,
    kBool = 2,
    kUnsigned = 3,
    kSigned = 4,
    kReal = 5,
    kString = 6,
    kPointer = 7,
    kJson = 9,
    kKey = 10,
    kDict = 11,
    kList = 12,
    kTextNumber = 17
};

// Lists that PyTorch's traces have as JSON, and that others can only tell as texts.
constexpr std::string_view kLists[] = {"Input Dims", "Input type", "Concrete Inputs", "Input Strides",
                                       "grid",       "block",      "Input type ids",  "Process Group Ranks"};

bool is_json(std::string_view text) {
    if (text.empty() || (text[0] != '[' && text[0] != '{')) return false;
    simdjson::dom::parser parser;
    simdjson::dom::element element;
    return parser.parse(text.data(), text.size()).get(element) == simdjson::SUCCESS;
}

}  // namespace

std::string clean_bytes(std::string_view bytes, Diagnostics& diagnostics) {
    std::string text;
    bool changed = false;
    for (size_t i = 0; i < bytes.size();) {
        const Utf8Step step = read_utf8(bytes.substr(i));
        if (step.valid)
            text += bytes.substr(i, step.bytes);
        else
            text += '?';
        changed |= !step.valid;
        i += step.bytes;
    }
    if (changed) diagnostics.add(Diag::kUncleanText, {{}, -1, -1, text.substr(0, 60)});
    return text;
}

struct Annotations::Parts {
    std::string_view key;
    uint64_t key_number = 0;
    Field told;  // the value
    bool is_dict = false, is_list = false;
};

// Of a value that stands twice the last counts, as protobuf has it.
Annotations::Parts Annotations::parts_of(std::string_view message) const {
    Parts parts;
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (field.is(kKey, Field::Type::kBytes)) parts.key = field.bytes;
        if (field.is(kKeyNumber, Field::Type::kVarint)) parts.key_number = field.value;
        const bool is_value = (field.number >= kBool && field.number <= kJson) || field.number == kTextNumber;
        if (is_value) parts.told = field;
        parts.is_dict |= field.number == kDict;
        parts.is_list |= field.number == kList;
    }
    return parts;
}

std::string_view Annotations::text(uint64_t number, Interned kind) {
    if (const std::string* known = sequence_.find(kind, number)) return growth_.spend(*known);
    diagnostics_.add(Diag::kDanglingId, {{}, -1, -1, "text " + std::to_string(number)});
    return "(name lost)";
}

void Annotations::add(JsonWriter& json, std::string_view message, int depth) {
    const Parts parts = parts_of(message);
    const std::string own = parts.key.empty() ? std::string() : clean_bytes(parts.key, diagnostics_);
    const std::string_view key = parts.key.empty() ? text(parts.key_number, Interned::kKey) : own;
    json.key(key);
    const bool is_text = parts.told.number == kTextNumber || parts.told.number == kString;
    if (is_text && std::find(std::begin(kLists), std::end(kLists), key) != std::end(kLists)) {
        const std::string list = parts.told.number == kTextNumber
                                     ? std::string(text(parts.told.value, Interned::kText))
                                     : clean_bytes(parts.told.bytes, diagnostics_);
        if (is_json(list)) {
            json.raw(list);
            return;
        }
    }
    value(json, parts, message, depth);
}

void Annotations::value(JsonWriter& json, const Parts& parts, std::string_view message, int depth) {
    if ((parts.is_dict || parts.is_list) && depth < kDeepest) {
        parts.is_dict ? json.begin_object() : json.begin_list();
        Fields fields(message);
        for (Field field; fields.next(field);) {
            if (field.type != Field::Type::kBytes) continue;
            if (field.number == kDict && parts.is_dict) add(json, field.bytes, depth + 1);
            if (field.number == kList && !parts.is_dict)
                value(json, parts_of(field.bytes), field.bytes, depth + 1);
        }
        parts.is_dict ? json.end_object() : json.end_list();
        return;
    }
    const Field& told = parts.told;
    if (told.number == kBool)
        json.value(told.value != 0);
    else if (told.number == kUnsigned || told.number == kPointer)
        json.value(told.value);
    else if (told.number == kSigned)
        json.value(told.integer());
    else if (told.is(kReal, Field::Type::kFixed64))
        json.value(std::bit_cast<double>(told.value));
    else if (told.is(kString, Field::Type::kBytes) || told.is(kJson, Field::Type::kBytes))
        json.value(clean_bytes(told.bytes, diagnostics_));
    else if (told.number == kTextNumber)
        json.value(text(told.value, Interned::kText));
    else
        json.value(nullptr);
}

}  // namespace opsight::importer::perfetto
