#include "import/kineto/category.h"

#include <absl/container/flat_hash_map.h>

namespace opsight::importer::kineto {

Category find_category(std::string_view text) {
    using enum Category;
    static const absl::flat_hash_map<std::string_view, Category> names = {
        {"", kNone},
        {"cpu_op", kOp},
        {"Operator", kOp},
        {"hpu_op", kOp},
        {"cuda_runtime", kRuntime},
        {"Runtime", kRuntime},
        {"mtia_runtime", kRuntime},
        {"xpu_runtime", kRuntime},
        {"glow_runtime", kRuntime},
        {"privateuse1_runtime", kRuntime},
        {"cuda_driver", kDriver},
        {"xpu_driver", kDriver},
        {"xpu_sync", kDriver},
        {"privateuse1_driver", kDriver},
        {"kernel", kKernel},
        {"Kernel", kKernel},
        {"gpu_memcpy", kMemcpy},
        {"Memcpy", kMemcpy},
        {"gpu_memset", kMemset},
        {"Memset", kMemset},
        {"cuda_sync", kSync},
        {"cuda_event", kEvent},
        {"user_annotation", kAnnotation},
        {"gpu_user_annotation", kDeviceAnnotation},
        {"python_function", kPython},
        {"overhead", kOverhead},
        {"cuda_profiler_range", kProfilerRange},
        {"xpu_scope_profiler", kProfilerCurve},
        {"mtia_ccp_events", kMtiaDevice},
        {"data_loading", kDataLoading},
        {"file_io", kFileIo},
        {"os_runtime", kOsRuntime},
        {"message_passing", kMessagePassing},
        {"library", kLibrary},
        {"collective_comm", kCollective},
        {"cuda_graph", kGraph},
        {"Trace", kOtherKnown},
        {"cpu_instant_event", kOtherKnown},
        {"other", kOtherKnown},  // as `opsight export` calls what has no category of Kineto's
    };
    const auto found = names.find(text);
    return found == names.end() ? kUnknown : found->second;
}

}  // namespace opsight::importer::kineto
