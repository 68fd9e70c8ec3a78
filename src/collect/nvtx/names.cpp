// Names of CUDA and OpenCL objects, and locks that a program describes.
#include "collect/nvtx/names.h"

#include "collect/nvtx/ranges.h"

namespace opsight::nvtx {
namespace {

using wire::NvtxResource;

template <NvtxResource kind>
void name_handle(const void* object, const char* name) {
    if (name) define_resource(kind, 0, reinterpret_cast<uintptr_t>(object), name);
}
template <NvtxResource kind>
void name_handle_wide(const void* object, const wchar_t* name) {
    const Narrow narrow(name);
    name_handle<kind>(object, narrow.c_str());
}
void name_device(int device, const char* name) {
    name_handle<NvtxResource::kDevice>(reinterpret_cast<const void*>(intptr_t{device}), name);
}
void name_device_wide(int device, const wchar_t* name) {
    const Narrow narrow(name);
    name_device(device, narrow.c_str());
}

template <NvtxResource kind>
void fill_pair(Function** slots, unsigned count, unsigned first) {
    fill(slots, count, first, name_handle<kind>);
    fill(slots, count, first + 1, name_handle_wide<kind>);
}

// ---- locks

const void* sync_create(const void* domain, const SyncAttributes* attributes) {
    if (!attributes || attributes->size < sizeof *attributes) return nullptr;
    Attributes as_event{};
    as_event.size = sizeof as_event;
    as_event.message_type = attributes->message_type;
    as_event.message = attributes->message;
    const uint64_t id = next_dynamic_id();
    with_event(domain_of(domain), &as_event, [&](const Event& event) {
        define(wire::NvtxFact::kSync, event.domain->number, id, event.text.view());
    });
    return reinterpret_cast<const void*>(id);
}
void sync_destroy(const void*) {}

template <wire::NvtxSync what>
void sync(const void* object) {
    Call call;
    if (!call) return;
    auto* record = call->stream.begin_record<wire::NvtxSyncRecord>(wire::RecordType::kNvtxSync);
    if (!record) return;
    record->what = what;
    record->time = call->stream.writer().ticks();
    record->object = reinterpret_cast<uintptr_t>(object);
    call->stream.commit(sizeof *record);
}

}  // namespace

void define_resource(NvtxResource kind, uint32_t domain, uint64_t handle, std::string_view name) {
    const uint64_t now = wire::read_ticks(wire::best_clock()) & ~wire::kResourceMask;
    define(wire::NvtxFact::kResource, domain, handle, name, now | static_cast<uint64_t>(kind));
}

void fill_names(int module, Function** slots, unsigned count) {
    if (module == kCuda) {
        fill(slots, count, kNameCuDeviceA, name_device);
        fill(slots, count, kNameCuDeviceA + 1, name_device_wide);
        fill_pair<NvtxResource::kContext>(slots, count, kNameCuContextA);
        fill_pair<NvtxResource::kStream>(slots, count, kNameCuStreamA);
        fill_pair<NvtxResource::kEvent>(slots, count, kNameCuEventA);
    } else if (module == kCudaRt) {
        fill(slots, count, kNameCudaDeviceA, name_device);
        fill(slots, count, kNameCudaDeviceA + 1, name_device_wide);
        fill_pair<NvtxResource::kStream>(slots, count, kNameCudaStreamA);
        fill_pair<NvtxResource::kEvent>(slots, count, kNameCudaEventA);
    } else {
        for (unsigned id = 1; id < kOpenClCalls; id += 2)
            fill_pair<NvtxResource::kOpenCl>(slots, count, id);
    }
}

void fill_sync(Function** slots, unsigned count) {
    fill(slots, count, kSyncCreate, sync_create);
    fill(slots, count, kSyncDestroy, sync_destroy);
    fill(slots, count, kSyncAcquireStart, sync<wire::NvtxSync::kAcquireStart>);
    fill(slots, count, kSyncAcquireFailed, sync<wire::NvtxSync::kAcquireFailed>);
    fill(slots, count, kSyncAcquireSuccess, sync<wire::NvtxSync::kAcquired>);
    fill(slots, count, kSyncReleasing, sync<wire::NvtxSync::kReleasing>);
}

}  // namespace opsight::nvtx
