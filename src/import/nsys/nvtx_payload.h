// Payloads of NVTX ranges that a schema describes (NCCL's message sizes, for one), as JSON.
//
// An export made with --include-blobs has them in NVTX_EVENTS.binaryData, as a blob or in hex: a header of
// four 64-bit numbers, of which the second is the id of the schema and the third the size of the payload,
// then the payload. This form is not documented; what does not fit it is not decoded. Schemas stand in
// NVTX_PAYLOAD_SCHEMAS and NVTX_PAYLOAD_SCHEMA_ENTRIES, enumerations in NVTX_PAYLOAD_ENUMS and
// NVTX_PAYLOAD_ENUM_ENTRIES; their types and flags are those of NVTX' header nvToolsExtPayload.h. These
// tables do not tell processes apart: where two of one domain and id differ, neither is used.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "import/nsys/report.h"

namespace opsight::nsys {

struct PayloadEntry {
    int64_t type = 0, flags = 0, detail = 0, offset = 0;
    std::string name;
    friend bool operator==(const PayloadEntry&, const PayloadEntry&) = default;
};

struct PayloadSchema {
    int64_t type = 1, size = 0, align = 0;
    std::map<int64_t, PayloadEntry> entries;  // by place
    bool ambiguous = false;
};

struct PayloadEnum {
    struct Value {
        std::string name;
        bool is_flag = false;
        friend bool operator==(const Value&, const Value&) = default;
    };
    int64_t size = 4;
    std::map<uint64_t, Value> values;
    bool ambiguous = false;
};

class PayloadSchemas {
  public:
    // Nothing where the export has no such tables.
    Status load(Report& report);

    struct Decoded {
        std::string json;
        std::string problem;  // why it is not decoded, or not all of it is
    };
    // `text_of`: the text of a string's id; empty: there is none.
    using TextOf = std::function<std::string(int64_t)>;
    Decoded decode(int64_t domain, std::string_view binary, const TextOf& text_of) const;

    using Id = std::pair<int64_t, int64_t>;  // domain and schema
    absl::flat_hash_map<Id, PayloadSchema> schemas;
    absl::flat_hash_map<Id, PayloadEnum> enums;
};

}  // namespace opsight::nsys
