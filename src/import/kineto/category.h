// What an event's category says it is, in the spellings of all generations (2020 to 2026).
#pragma once

#include <cstdint>
#include <string_view>

namespace opsight::importer::kineto {

enum class Category : uint8_t {
    kNone,  // the event has no category
    kOp,
    kRuntime,
    kDriver,
    kKernel,
    kMemcpy,
    kMemset,
    kSync,
    kEvent,  // a device came by an event of CUDA: a moment, written as a nanosecond
    kAnnotation,
    kDeviceAnnotation,
    kPython,
    kOverhead,
    kProfilerRange,  // counters of one kernel, measured by replay; its times are not the kernel's
    kProfilerCurve,  // the same counters once more, drawn as a curve with zeros between kernels
    kCollective,     // a call of oneCCL
    kMtiaDevice,     // MTIA's control processor: kernels, and copies named dma_request
    kDataLoading,    // this and what follows: in what 'opsight export' wrote
    kFileIo,
    kOsRuntime,
    kMessagePassing,
    kLibrary,
    kGraph,       // a graph that was recorded as a whole
    kOtherKnown,  // the profiler's own marks
    kUnknown
};

Category find_category(std::string_view text);

}  // namespace opsight::importer::kineto
