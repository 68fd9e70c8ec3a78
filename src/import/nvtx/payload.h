// Payloads of NVTX events: binary data whose layout a schema tells, as JSON. Nothing in it is trusted: what
// does not fit the bytes is left out and told, and the text stays below a limit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "import/nvtx/schema.h"

namespace opsight::importer::nvtx {

// The text that a payload names by its handle or address; empty: not known. `type` is the entry's.
using TextOf = std::function<std::string(uint64_t type, uint64_t value)>;
// A number in a payload, named by its place ("temperature", "loads.2").
struct Number {
    const std::string& place;
    double value;
    uint64_t type;             // a predefined one
    const SchemaEntry* entry;  // null: it has no schema
};
using VisitNumber = std::function<void(const Number& number)>;

// What the entries of a payload may refer to outside of it.
struct Beyond {
    // The bytes from an address to the end of what was recorded there; nothing: nothing was.
    std::function<std::optional<std::string_view>(uint64_t address)> at = {};
    // The number in another payload of the event, of several their product: the length of an array.
    std::function<std::optional<uint64_t>(uint64_t payload)> length_in = {};
    // What offsets count in, if not in the payload itself; it begins at the offset `flexible_begin`.
    std::optional<std::string_view> flexible = std::nullopt;
    uint64_t flexible_begin = 0;
};

struct Decoded {
    struct Time {
        int64_t value;
        uint64_t clock;  // time domain; 0: not told
    };
    std::string json;     // empty: nothing could be read
    std::string problem;  // why it is not decoded, or not all of it
    // What entries tell of the event itself.
    std::string message;
    std::optional<Time> begin, end;
    std::optional<uint32_t> category, color;
    std::optional<uint64_t> thread;
    std::optional<uint64_t> integer;  // where the payload is one number, or an array: their product
};

// `schema` may be a predefined type.
Decoded decode(const Schemas& schemas, uint64_t domain, uint64_t schema, std::string_view bytes,
               const TextOf& text_of, const VisitNumber& visit = {}, const Beyond& beyond = {});

// UTF-8 of a text in 1, 2 or 4 bytes a character, as far as the first zero.
std::string text_of_bytes(size_t width, std::string_view bytes);

}  // namespace opsight::importer::nvtx
