// One event of rocprof's trace of Chrome, and which rows it may stand in.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace opsight::importer::rocprof {

enum class ChromeRow : uint8_t { kUnknown, kHip, kHsa, kKfd, kMarkers, kCopies, kGpu };

// Of the name that the trace gives a process: "CPU HIP API", "GPU0".
ChromeRow row_of_name(std::string_view name);

// Numbers may be texts.
std::optional<int64_t> number_in(const simdjson::dom::object& from, std::string_view key);

// What work the name of a record of a device's queue tells: of "CopyHostToDevice", "FillBuffer",
// "<barrier packet>"; all others are kernels.
enum class QueueWork : uint8_t { kKernel, kCopy, kFill, kWait };
QueueWork work_of_name(std::string_view name);

}  // namespace opsight::importer::rocprof
