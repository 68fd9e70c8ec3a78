// Names of functions of CUDA.
#pragma once

#include <string_view>

namespace opsight::importer {

// Of the driver ("cuLaunchKernel"), not of the runtime ("cudaLaunchKernel") or a library ("cublasCreate").
inline bool is_driver_call(std::string_view name) {
    return name.starts_with("cu") && name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z';
}

}  // namespace opsight::importer
