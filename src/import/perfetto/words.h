// The words of other profilers that write traces of Perfetto, in those of PyTorch's traces.
#pragma once

#include <string>
#include <string_view>

namespace opsight::importer::perfetto {

// "kernel" of rocprofv3's "kernel_dispatch"; others stay as they are.
std::string_view category_of(std::string_view told);

// Two ways in which rocprofv2 tells of kernels, which are the same ones where a trace has both.
inline constexpr std::string_view kDispatches = "KERNELS", kHipOps = "HIP_OPS";

// An object of JSON with what the arguments of an event of another profiler say, in PyTorch's words.
// `arguments`: such an object, `category`: in PyTorch's words.
std::string more_arguments(std::string_view arguments, std::string_view category);

// Whether work of that category (in PyTorch's words) ran on a device, or is a call on the host.
bool is_device_work(std::string_view category);
bool is_call(std::string_view category);

}  // namespace opsight::importer::perfetto
