// Names of the calls that CUPTI knows by number.
#pragma once

#include <cstdint>
#include <string_view>

namespace opsight::importer::nvprof {

enum class Api : uint8_t { kRuntime, kDriver };

// "cudaLaunchKernel" for 211 of the runtime; empty: no call has the number.
std::string_view api_name(Api api, int64_t number);

}  // namespace opsight::importer::nvprof
