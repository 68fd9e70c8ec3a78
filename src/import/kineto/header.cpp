#include "import/kineto/header.h"

#include <simdjson.h>
#include <algorithm>

#include "import/kineto/numbers.h"
#include "import/kineto/text.h"

namespace opsight::importer::kineto {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kMaxProperty = 4096;  // longer values are not facts of the machine but logs

int64_t number(const dom::object& object, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        int64_t value = 0;
        if (!object[key].get(value)) return value;
    }
    return 0;
}

Device read_device(const dom::object& o, size_t index) {
    Device d;
    int64_t id = 0;
    d.number = o["id"].get(id) ? static_cast<int64_t>(index) : id;
    std::string_view name;
    if (!o["name"].get(name)) d.name = name;
    d.compute_major = static_cast<int>(std::clamp<int64_t>(number(o, {"computeMajor"}), 0, 999));
    d.compute_minor = static_cast<int>(std::clamp<int64_t>(number(o, {"computeMinor"}), 0, 999));
    d.sm_count = number(o, {"numSms"});
    d.memory_bytes = number(o, {"totalGlobalMem"});
    d.max_threads_per_sm = number(o, {"maxThreadsPerMultiprocessor"});
    d.max_threads_per_block = number(o, {"maxThreadsPerBlock"});
    d.registers_per_sm = number(o, {"regsPerMultiprocessor"});
    d.registers_per_block = number(o, {"regsPerBlock"});
    d.shared_memory_per_sm = number(o, {"sharedMemPerMultiprocessor", "maxSharedMemoryPerMultiProcessor"});
    d.shared_memory_per_block = number(o, {"sharedMemPerBlock"});
    d.shared_memory_per_block_optin = number(o, {"sharedMemPerBlockOptin"});
    d.warp_size = number(o, {"warpSize"});
    d.declared = true;
    return d;
}

bool read_devices(dom::element json, Header& header) {
    dom::array list;
    if (json.get(list)) return false;
    for (const dom::element element : list) {
        dom::object object;
        if (!element.get(object)) header.devices.push_back(read_device(object, header.devices.size()));
    }
    return true;
}

bool read_distributed(dom::element json, Header& header) {
    dom::object o;
    if (json.get(o)) return false;
    int64_t value = 0;
    if (!o["rank"].get(value)) header.rank = value;
    if (!o["world_size"].get(value)) header.world_size = value;
    std::string_view text;
    if (!o["backend"].get(text)) header.backend = text;
    if (!o["nccl_version"].get(text)) header.properties.emplace_back("nccl_version", text);
    return true;
}

bool read_base(std::string_view value, Header& header) {
    const std::optional<int64_t> base = parse_int(value);
    if (!base) return false;
    header.base_ns = *base;
    header.has_base = true;
    return true;
}

}  // namespace

Header read_header(const std::vector<std::pair<std::string, std::string>>& members,
                   Diagnostics& diagnostics) {
    Header header;
    dom::parser parser;
    std::string scratch;
    for (const auto& [key, value] : members) {
        bool good = true;
        dom::element json;
        if (key == "deviceProperties") {
            good = !parser.parse(value).get(json) && read_devices(json, header);
        } else if (key == "distributedInfo") {
            good = value == "null" || (!parser.parse(value).get(json) && read_distributed(json, header));
        } else if (key == "baseTimeNanoseconds") {
            good = read_base(value, header);
        } else {
            header.has_schema_version |= key == "schemaVersion";
            const std::string text(plain_text(value, scratch));
            if (key == "host_name" || key == "hostname") header.host = text;
            if (!text.empty() && text.size() <= kMaxProperty) header.properties.emplace_back(key, text);
        }
        if (!good) diagnostics.add(Diag::kBadHeader, {{}, -1, -1, key + ": " + value.substr(0, 80)});
    }
    return header;
}

}  // namespace opsight::importer::kineto
