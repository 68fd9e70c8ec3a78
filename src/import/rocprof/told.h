// What rocprofv3 tells of GPUs and copies, in its JSON and in its databases alike.
#pragma once

#include <simdjson.h>

#include <string_view>

#include "model/entities.h"

namespace opsight::importer::rocprof {

int64_t number_of(const simdjson::dom::object& from, std::string_view key, int64_t otherwise = 0);

// Fills in what the agent tells, but its names.
void describe_agent(const simdjson::dom::object& agent, Device& device);

// A grid that is told in threads, in blocks.
void count_blocks(LaunchConfig& config);

// Of "MEMORY_COPY_HOST_TO_DEVICE" and the like.
CopyKind copy_kind(std::string_view operation);

}  // namespace opsight::importer::rocprof
