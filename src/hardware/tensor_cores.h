// Tensor Cores (NVIDIA) and matrix cores (AMD): which devices have them, and which kernels use them, by name.
//
// AMD's matrix cores (MFMA instructions, CDNA and later) do the same work and are reported under the same
// name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace opsight::hardware {

enum class NameVerdict : uint8_t {
    kNo,       // the name is of a kernel without matrix instructions, or tells of none
    kYes,      // the name tells
    kUnknown,  // generated or hand-written code whose name does not tell, or of a product without saying how
};

struct TensorCoreVerdict {
    NameVerdict verdict = NameVerdict::kNo;
    std::string_view pattern;  // the part of the name that told; empty where none did
};

// Whether an op, named as our readers do ("trt::max_pooling"), is known to hold no product: its kernels use
// no Tensor Cores whatever their names. Of TensorRT's layers only, which are timed without a kernel's name.
bool holds_no_product(std::string_view op_name);
// Whether a kernel is by its name known to hold no product, so that it could not use Tensor Cores whatever
// launched it: Inductor's pointwise kernels and reductions, XLA's own fusions, ROCm's copies by kernels.
bool is_plain_kernel(std::string_view full_kernel_name);
// Judges a kernel by its full name, mangled or not. The view points into static storage or into `name`.
TensorCoreVerdict tensor_core_use(std::string_view full_kernel_name);

// Whether a kernel of Tensile (rocBLAS, hipBLASLt) multiplies 32-bit floats as they are: the matrix cores of
// CDNA do. "S_B", "SB": single precision; "S_MX_B" rounds them to XF32.
bool is_fp32_tensile(std::string_view full_kernel_name);

// Whether a device has such units: by the table of devices, else by its compute capability and, where that
// does not tell, its name. Nothing where none of these does. Compares with the whole table: ask once for a
// device.
std::optional<bool> has_tensor_cores(std::string_view device_name, int compute_major, int compute_minor);
// Whether they take doubles.
std::optional<bool> has_fp64_tensor_cores(std::string_view device_name, int compute_major, int compute_minor);
// Numbers of AMD's devices look like compute capabilities of NVIDIA's.
bool is_amd(std::string_view device_name);
// Whether tensor_core_use() knows the kernels of a device: those of NVIDIA's and AMD's, not those of another
// maker. Nothing where the device does not tell whose it is.
std::optional<bool> has_known_kernels(std::string_view device_name, int compute_major);

}  // namespace opsight::hardware
