#include "import/nsys/nvtx_payload.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

namespace opsight::importer::nsys {
namespace {

constexpr size_t kHeader = 32;

uint64_t word(std::string_view bytes, size_t at) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

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

// Schemas as the rows tell them, in any order and perhaps several times.
class Loader {
  public:
    explicit Loader(Report& report) : report_(report) {}

    Status run(nvtx::Schemas& into) {
        OPSIGHT_TRY(read("NVTX_PAYLOAD_SCHEMAS", {"domainId", "schemaId", "type", "payloadSize", "alignTo"},
                         [this](Table& row) { take_schema(row); }));
        OPSIGHT_TRY(
            read("NVTX_PAYLOAD_SCHEMA_ENTRIES",
                 {"domainId", "schemaId", "idx", "flags", "type", "name", "arrayOrUnionDetail", "offset"},
                 [this](Table& row) {
                     take_entry(row, {number(row, 3), number(row, 4), number(row, 6), offset(row),
                                      std::string(row.text(5))});
                 }));
        OPSIGHT_TRY(read("NVTX_PAYLOAD_ENUMS", {"domainId", "schemaId", "size"}, [this](Table& row) {
            enum_of(row).size = static_cast<uint64_t>(std::clamp<int64_t>(row.number(2, 4), 1, 8));
        }));
        OPSIGHT_TRY(read("NVTX_PAYLOAD_ENUM_ENTRIES", {"domainId", "schemaId", "name", "value", "isFlag"},
                         [this](Table& row) { take_enum_value(row); }));
        for (auto& [id, schema] : schemas_)
            into.define(static_cast<uint64_t>(id.first), static_cast<uint64_t>(id.second), std::move(schema));
        into.settle();
        return {};
    }

  private:
    using Id = std::pair<int64_t, int64_t>;  // domain and schema

    Status read(std::string_view table, const Columns& columns, const std::function<void(Table&)>& take) {
        return report_.read(table, columns, take, false).map([](bool) {});
    }
    static uint64_t number(const Table& row, size_t column) {
        return static_cast<uint64_t>(row.number(column, 0));
    }
    static uint64_t offset(const Table& row) {
        return static_cast<uint64_t>(std::clamp<int64_t>(row.number(7, 0), 0, INT32_MAX));
    }
    static Id id_of(const Table& row) { return {row.number(0, 0), row.number(1)}; }

    void take_schema(const Table& row) {
        nvtx::Schema schema;
        schema.type = static_cast<uint64_t>(row.number(2, 1));
        schema.size = static_cast<uint64_t>(std::clamp<int64_t>(row.number(3, 0), 0, INT32_MAX));
        schema.pack = static_cast<uint64_t>(std::clamp<int64_t>(row.number(4, 0), 0, 64));
        const auto [it, is_new] = schemas_.try_emplace(id_of(row), schema);
        it->second.ambiguous |= !is_new && (it->second.type != schema.type || it->second.size != schema.size);
    }

    void take_entry(const Table& row, nvtx::SchemaEntry entry) {
        nvtx::Schema& schema = schemas_[id_of(row)];
        const int64_t place = row.number(2, 0);
        if (place < 0 || place >= wire::kMostSchemaEntries) {
            schema.ambiguous = true;
            return;
        }
        const auto index = static_cast<size_t>(place);
        if (schema.entries.size() <= index) schema.entries.resize(index + 1);
        schema.ambiguous |= schema.entries[index] != nvtx::SchemaEntry() && schema.entries[index] != entry;
        schema.entries[index] = std::move(entry);
    }

    nvtx::Schema& enum_of(const Table& row) {
        nvtx::Schema& schema = schemas_[id_of(row)];
        if (!schema.is_enum) schema.size = 4;
        schema.is_enum = true;
        return schema;
    }

    void take_enum_value(const Table& row) {
        nvtx::Schema& schema = enum_of(row);
        nvtx::SchemaEntry value{number(row, 4), number(row, 3), 0, 0, std::string(row.text(2))};
        const auto same = std::find_if(schema.entries.begin(), schema.entries.end(),
                                       [&](const auto& known) { return known.type == value.type; });
        if (same == schema.entries.end())
            schema.entries.push_back(std::move(value));
        else
            schema.ambiguous |= *same != value;
    }

    Report& report_;
    std::map<Id, nvtx::Schema> schemas_;
};

}  // namespace

Status load_payload_schemas(Report& report, nvtx::Schemas& schemas) {
    return Loader(report).run(schemas);
}

nvtx::Decoded decode_payload(const nvtx::Schemas& schemas, int64_t domain, std::string_view binary,
                             const nvtx::TextOf& text_of) {
    nvtx::Decoded decoded;
    // In hex it is long enough to be taken for a blob, whose sizes then make no sense.
    std::string from_text;
    if (auto bytes = from_hex(binary)) {
        from_text = std::move(*bytes);
        binary = from_text;
    }
    if (binary.size() < kHeader) {
        decoded.problem = "it is shorter than its header";
        return decoded;
    }
    const uint64_t size = word(binary, 16);
    if (size > binary.size() - kHeader) {
        decoded.problem = "it is shorter than it says";
        return decoded;
    }
    decoded = nvtx::decode(schemas, static_cast<uint64_t>(domain), word(binary, 8),
                           binary.substr(kHeader, size), text_of);
    if (decoded.problem.empty() && size < binary.size() - kHeader)
        decoded.problem = "more payloads follow the first";
    return decoded;
}

}  // namespace opsight::importer::nsys
