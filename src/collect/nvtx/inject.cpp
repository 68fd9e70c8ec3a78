// Where NVTX comes in: each copy of it in the program asks for our functions once.
#include "collect/nvtx/abi.h"
#include "collect/nvtx/session.h"

namespace opsight::nvtx {
namespace {

void fill_module(int module, Slots slots, unsigned count) {
    switch (module) {
        case kCore:
            return fill_core(slots, count);
        case kCore2:
            return fill_core2(slots, count);
        case kSync:
            return fill_sync(slots, count);
        default:
            return fill_names(module, slots, count);
    }
}

bool fill_all(GetTable get_table) {
    const auto* callbacks = static_cast<const CallbackTable*>(get_table(kCallbackTable));
    if (!callbacks || callbacks->struct_size < sizeof *callbacks || !callbacks->module) return false;
    for (const int module : {kCore, kCuda, kOpenCl, kCudaRt, kCore2, kSync}) {
        Slots slots = nullptr;
        unsigned count = 0;
        if (callbacks->module(module, &slots, &count) && slots) fill_module(module, slots, count);
    }
    const auto* version = static_cast<const VersionTable*>(get_table(kVersionTable));
    if (version && version->struct_size >= sizeof *version && version->set_tool_version)
        version->set_tool_version(kNvtxVersion);
    return true;
}

bool fill_extension(const ExtensionInfo& info) {
    if (info.struct_size < sizeof info || info.compatible >> 8 != kCompatible) return false;
    for (size_t i = 0; i < info.segment_count; ++i) {
        const ExtensionSegment& segment = info.segments[i];
        if (!segment.slot) continue;
        if (info.module == kPayload) fill_payload(segment);
        if (info.module == kCounters) fill_counters(segment);
        if (info.module == kMemory) fill_memory(segment);
    }
    return info.module == kPayload || info.module == kCounters || info.module == kMemory;
}

// Also where threads still run: they may go on to append while the process ends.
__attribute__((destructor)) void finish() {
    Recorder::finish();
}

}  // namespace
}  // namespace opsight::nvtx

extern "C" {

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(opsight::nvtx::GetTable get_table) {
    using namespace opsight::nvtx;
    return get_table && start_session() && fill_all(get_table);
}

__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    opsight::nvtx::ExtensionInfo* info) {
    using namespace opsight::nvtx;
    return info && start_session() && fill_extension(*info);
}
}
