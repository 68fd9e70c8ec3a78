// Short names of kernels and their class.
#pragma once

#include <string>
#include <string_view>

#include "analyze/results.h"

namespace opsight::analyze {

// The name that people know a kernel by: without return type, arguments, template arguments and namespaces.
// `void at::native::vectorized_elementwise_kernel<4, ...>(...)` -> `vectorized_elementwise_kernel`. Where
// that would be a mere wrapper (`cutlass::Kernel2<X>`), the name of what it wraps. Mangled names are read as
// far as their identifiers go.
std::string short_kernel_name(std::string_view name);

// Communication kernels are known by the names that NCCL, RCCL and their relatives give.
KernelClass kernel_class(std::string_view name);

}  // namespace opsight::analyze
