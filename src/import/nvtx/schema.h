// Payloads of NVTX events: binary data whose layout a schema tells, as JSON. Nothing in it is trusted: what
// does not fit the bytes is left out, and the text stays below a limit.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/nvtx_schema.h"

namespace opsight::nvtx {

class Schemas {
  public:
    // Texts that payloads point to, by address.
    using Texts = std::map<uint64_t, std::string>;

    // A schema or enum as a capture holds it (wire/nvtx_schema.h); false where it does not hold together.
    bool define(uint32_t domain, uint64_t id, std::string_view blob, bool is_enum);
    void define_text(uint64_t handle, std::string_view text) { registered_.emplace(handle, text); }
    const std::string* registered(uint64_t handle) const;

    struct Decoded {
        std::string json;
        std::string message;           // the entry that is the event's text; empty: none
        int64_t begin = -1, end = -1;  // entries that are the event's times; -1: none
        bool whole = true;             // false: unknown schema, or bytes that are missing
    };
    Decoded decode(uint32_t domain, uint64_t schema, std::string_view bytes, const Texts& texts) const;
    // Calls `visit` with every number in the payload, named by its place ("temperature", "loads.2"). `schema`
    // may be a predefined type.
    void numbers(uint32_t domain, uint64_t schema, std::string_view bytes,
                 const std::function<void(const std::string&, double)>& visit) const;

  private:
    friend class Decoder;
    struct Entry {
        uint64_t flags, type, detail, offset;
        std::string name;
    };
    struct Schema {
        bool is_enum = false;
        std::string name;
        uint64_t type = 0, size = 0, pack = 0;
        size_t alignment = 1;
        std::vector<Entry> entries;
    };
    const Schema* find(uint32_t domain, uint64_t id) const;
    void lay_out(uint32_t domain, Schema& schema) const;
    // Of a value of a type: predefined, or a schema that is known by now.
    size_t size_of(uint32_t domain, uint64_t type) const;
    size_t alignment_of(uint32_t domain, uint64_t type) const;

    std::map<std::pair<uint32_t, uint64_t>, Schema> schemas_;
    Texts registered_;
};

}  // namespace opsight::nvtx
