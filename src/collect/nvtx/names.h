// Names that programs give to objects of CUDA, OpenCL or their own.
#pragma once

#include "collect/nvtx/session.h"

namespace opsight::nvtx {

// Notes the name, which the object has from now on. Handles come again when their objects are gone.
void define_resource(wire::NvtxResource kind, uint32_t domain, uint64_t handle, std::string_view name);

}  // namespace opsight::nvtx
