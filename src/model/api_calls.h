// Calls of the APIs of devices by what they do, as regular expressions that C++ and SQL share: of CUDA, HIP,
// and SYCL's runtime (UR; before it PI). The latter's names: https://github.com/oneapi-src/unified-runtime.
// What UR calls of Level Zero in turn is left out: it would count twice.
#pragma once

namespace opsight {

// Wait until a device has done what it was given.
inline constexpr const char* kWaitCalls =
    "^(cuda|cu|hip)(Device|Stream|Ctx|Event|Thread)Synchronize|^(ur|pi)(QueueFinish|Events?Wait)$";

// Allocate or free memory of a device.
inline constexpr const char* kMemoryCalls =
    "^(cuda|hip)(Malloc|Free)(Async|Host|Managed|Pitch|Array|3D)?(_v[0-9]+)?$|^cuMem(Alloc|Free)|"
    "^ur(USM(Device|Host|Shared)Alloc|USMFree)$|^piextUSM((Device|Host|Shared)Alloc|Free)$";

}  // namespace opsight
