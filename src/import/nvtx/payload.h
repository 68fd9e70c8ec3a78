// Payloads of NVTX events: binary data whose layout a schema tells, as JSON. Nothing in it is trusted: what
// does not fit the bytes is left out and told, and the text stays below a limit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "import/nvtx/schema.h"

namespace opsight::nvtx {

// The text that a payload names by its handle or address; empty: not known. `type` is the entry's.
using TextOf = std::function<std::string(uint64_t type, uint64_t value)>;
// Called with every number in a payload, named by its place ("temperature", "loads.2").
using VisitNumber = std::function<void(const std::string& place, double value)>;

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
};

// `schema` may be a predefined type.
Decoded decode(const Schemas& schemas, uint64_t domain, uint64_t schema, std::string_view bytes,
               const TextOf& text_of, const VisitNumber& visit = {});

}  // namespace opsight::nvtx
