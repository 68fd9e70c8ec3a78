#include "import/nvtx/payload.h"

#include <fmt/format.h>

#include "import/nvtx/payload_decoder.h"
#include "import/text/clean_text.h"

namespace opsight::importer::nvtx {

namespace in = wire::schema;

// To where an entry begins: as it is told, or after the one before it, by the rules of C.
bool Decoder::seek(const Schema& schema, size_t index, uint64_t base) {
    const SchemaEntry& entry = schema.entries[index];
    if (entry.offset > 0 || index == 0 || is_union(schema)) {
        lost_ = false;
        const uint64_t offset = is_union(schema) ? member_offset(schema, entry) : entry.offset;
        if (offset > bytes_.size() || base + offset > bytes_.size()) return fail("it ends too early");
        at_ = base + offset;
        return true;
    }
    if (lost_) return false;
    const bool letters = in::is_text(entry.type) && !is_elsewhere(entry);
    uint64_t unit = letters ? in::size_of(entry.type) : schemas_.alignment_of(domain_, entry);
    if (schema.pack > 0) unit = std::min(unit, schema.pack);
    at_ = base + (at_ - base + unit - 1) / unit * unit;
    return true;
}

// The member that the selector in a union names. No schema tells how wide the selector is: its lowest bytes
// are enough.
std::optional<uint64_t> Decoder::selected(const Schema& schema, uint64_t base) const {
    const auto selector = std::find_if(schema.entries.begin(), schema.entries.end(), is_selector);
    if (selector == schema.entries.end()) return std::nullopt;
    const uint64_t at = base + selector->offset, width = schema.entries.size() <= 256 ? 1 : 2;
    if (selector->offset > bytes_.size() || at > bytes_.size() || width > bytes_.size() - at)
        return std::nullopt;
    const uint64_t member = unsigned_of(bytes_.substr(at, width));
    if (member >= schema.entries.size() || is_selector(schema.entries[member])) return std::nullopt;
    return member;
}

bool Decoder::object(uint64_t id, const Schema& schema, const std::string& place,
                     std::optional<uint64_t> member) {
    if (schema.ambiguous) return fail(fmt::format("there are several schemas {}", id));
    if (schema.type == in::kUnionWithSelector) member = selected(schema, at_);
    const bool by_member = is_union(schema) && member && *member < schema.entries.size();
    if (is_union(schema) && !by_member) return fail("nothing tells which member of a union is meant");
    if (schema.type != in::kStatic && schema.type != in::kDynamic && !is_union(schema))
        return fail(fmt::format("schema {} has the type {}", id, schema.type));
    if (depth_ >= kDeepest) return fail("schemas lie too deep in each other");
    ++depth_;
    const uint64_t base = at_;
    Integers integers(schema.entries.size());
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
        entry_ = &one;
        const bool written = entry(one, integers, place.empty() ? name : place + "." + name);
        integers[i] = integer_;
        quiet_ = was_quiet;
        if (!written || (one.flags & in::kHide) != 0)
            result.json.resize(before);
        else
            any = true;
    }
    --depth_;
    // A payload of one entry may be the length of an array in another.
    integer_ = integers.size() == 1 ? integers[0] : std::nullopt;
    result.json += '}';
    if (!any && lost_) result.json.resize(begin);
    if (schema.extent > 0 && (at_ < base + schema.extent || is_union(schema))) at_ = base + schema.extent;
    // Where its size is known, what follows it can be found.
    lost_ = lost_ && (schema.extent == 0 || values_ > kMostValues || at_ > bytes_.size());
    return result.json.size() > begin;
}

// Where the value of such an entry lies, and all that is known behind it.
std::optional<std::string_view> Decoder::target(const SchemaEntry& entry, uint64_t value) const {
    if ((entry.flags & in::kPointer) != 0) return beyond_.at ? beyond_.at(value) : std::nullopt;
    std::string_view from = bytes_;
    uint64_t at = value;
    if ((entry.flags & in::kOffsetFromHere) != 0) {
        at = at_ + value;  // which may be negative
    } else if (beyond_.flexible) {
        from = *beyond_.flexible;
        at = value - beyond_.flexible_begin;
    }
    if (at >= from.size()) return std::nullopt;
    return from.substr(at);
}

// An entry whose value lies elsewhere, and is shown in its place.
bool Decoder::pointed(const SchemaEntry& entry, const Integers& before, const std::string& place) {
    const auto bytes = take(8);
    if (!bytes) return false;
    constexpr size_t kMostBehind = 1 << 16;  // bytes that one pointer may lead to
    if (++values_ > kMostValues || result.json.size() > kMostText) {
        values_ = kMostValues + 1;
        return fail("it has too many values");
    }
    const uint64_t value = unsigned_of(*bytes);
    if ((entry.flags & in::kPointer) != 0 && value == 0) {
        result.json += "null";
        return true;
    }
    const size_t begin = result.json.size();
    const std::optional<std::string_view> there = target(entry, value);
    bool written = false;
    if (there && depth_ < kDeepest) {
        SchemaEntry direct = entry;
        direct.flags &= ~(in::kPointer | in::kOffsetFromBase | in::kOffsetFromHere);
        const bool open_text = in::is_text(entry.type) && (entry.flags & in::kArrayMask) == 0;
        if (open_text && entry.detail == 0) direct.flags |= in::kZeroTerminated;
        const std::string_view here = bytes_;
        const uint64_t after = at_;
        bytes_ = there->substr(0, kMostBehind);
        at_ = 0;
        written = this->entry(direct, before, place);
        bytes_ = here;
        at_ = after;
        lost_ = values_ > kMostValues;
    }
    if (written) return true;
    tell("what a field points to was not recorded");
    result.json.resize(begin);
    result.json += hex_of_number(*bytes);
    return true;
}

bool Decoder::entry(const SchemaEntry& entry, const Integers& before, const std::string& place) {
    const auto told = [&]() -> std::optional<uint64_t> {
        return entry.detail < before.size() ? before[entry.detail] : std::nullopt;
    };
    const bool is_letter = in::size_of(entry.type) > 0 && look_of(entry.type) == Look::kLetter;
    const uint64_t form = entry.flags & in::kArrayMask;
    if (is_elsewhere(entry) && !in::is_text_address(entry.type, entry.flags, entry.detail))
        return pointed(entry, before, place);
    std::optional<uint64_t> count = entry.detail;
    if (form == in::kLengthIndex) count = told();
    if (form == in::kLengthPayload)
        count = beyond_.length_in ? beyond_.length_in(entry.detail) : std::nullopt;
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

// How many elements lie before one that is zero; at_ is moved past neither.
std::optional<uint64_t> Decoder::zero_terminated(uint64_t size) {
    if (size == 0) return std::nullopt;
    for (uint64_t at = at_, count = 0; at <= bytes_.size() && bytes_.size() - at >= size; at += size, ++count)
        if (bytes_.substr(at, size).find_first_not_of('\0') == bytes_.npos) return count;
    return std::nullopt;
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
        if (!value(entry.type, (place.empty() ? "" : place + ".") + std::to_string(i)))
            result.json.resize(before);
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

Decoded decode(const Schemas& schemas, uint64_t domain, uint64_t schema, std::string_view bytes,
               const TextOf& text_of, const VisitNumber& visit, const Beyond& beyond) {
    if (schema == in::kReferenced) return {};  // for other payloads of the event
    Decoder decoder(schemas, domain, bytes, text_of, visit, beyond);
    if (schema >= in::kFirstSchemaId) {
        decoder.value(schema, {});
    } else {  // values without a schema
        SchemaEntry entry;
        entry.type = schema == in::kRaw ? in::kByte : schema;
        const uint64_t width = std::max<uint64_t>(1, in::size_of(entry.type));
        const bool text = in::is_text(schema), many = schema == in::kRaw || text || bytes.size() >= 2 * width;
        if (many) entry.detail = bytes.size() / width;
        if (many && entry.detail == 0) return {};
        if (many && !text) entry.flags = in::kFixedArray;
        decoder.entry(entry, {}, {});
    }
    decoder.result.integer = decoder.integer();
    return std::move(decoder.result);
}

}  // namespace opsight::importer::nvtx
