// What stands around the events of a trace: devices, rank, base of the times, facts of the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/profile_builder.h"

namespace opsight::importer::kineto {

struct Header {
    std::vector<Device> devices;
    std::optional<int64_t> rank, world_size;
    std::string backend, host;
    int64_t base_ns = 0;
    bool has_base = false;
    bool has_schema_version = false;
    std::vector<std::pair<std::string, std::string>> properties;
};

// `members`: raw JSON by key. What cannot be read is reported and left out.
Header read_header(const std::vector<std::pair<std::string, std::string>>& members, Diagnostics& diagnostics);

}  // namespace opsight::importer::kineto
