// The memory extension: heaps of the program's own allocators, and the regions in them.
#include "collect/nvtx/ranges.h"

namespace opsight::nvtx {
namespace {

void append(wire::NvtxMemory what, const void* heap, const void* address, size_t bytes) {
    Call call;
    if (!call) return;
    auto* record = call->stream.begin_record<wire::NvtxMemoryRecord>(wire::RecordType::kNvtxMemory);
    if (!record) return;
    record->what = what;
    record->heap = reinterpret_cast<uintptr_t>(heap);
    record->address = reinterpret_cast<uintptr_t>(address);
    record->bytes = bytes;
    record->time = call->stream.writer().ticks();
    call->stream.commit(sizeof *record);
}

void define_named(wire::NvtxFact fact, const void* domain, uint64_t id, uint32_t message_type,
                  Message message, uint64_t detail) {
    Attributes as_event{};
    as_event.size = sizeof as_event;
    as_event.message_type = static_cast<int32_t>(message_type);
    as_event.message = message;
    with_event(domain_of(domain), &as_event, [&](const Event& event) {
        define(fact, event.domain->number, id, event.text.view(), detail);
    });
}

const void* heap_register(const void* domain, const HeapDescription* from) {
    if (!from || from->struct_size < sizeof *from) return nullptr;
    const uint64_t id = next_dynamic_id();
    const bool sized =
        from->type == kVirtualAddress && from->range && from->range_size >= sizeof(VirtualRange);
    define_named(wire::NvtxFact::kHeap, domain, id, from->message_type, from->message,
                 sized ? static_cast<const VirtualRange*>(from->range)->size : 0);
    return reinterpret_cast<const void*>(id);
}
void heap_gone(const void*, const void* heap) {
    append(wire::NvtxMemory::kResetHeap, heap, nullptr, 0);
}

// Handles of regions are their addresses.
void regions_register(const void*, const RegionsRegister* from) {
    if (!from || from->struct_size < sizeof *from || !from->elements) return;
    const char* at = static_cast<const char*>(from->elements);
    for (size_t i = 0; i < from->count; ++i, at += from->element_size) {
        const bool known = from->type == kVirtualAddress && from->element_size >= sizeof(VirtualRange);
        VirtualRange range{};
        if (known) std::memcpy(&range, at, sizeof range);
        if (from->handles) from->handles[i] = range.address;
        if (known) append(wire::NvtxMemory::kRegister, from->heap, range.address, range.size);
    }
}
void regions_resize(const void*, const RegionsResize* from) {
    if (!from || from->struct_size < sizeof *from || !from->elements || from->type != kVirtualAddress) return;
    if (from->element_size < sizeof(VirtualRange)) return;
    const char* at = static_cast<const char*>(from->elements);
    for (size_t i = 0; i < from->count; ++i, at += from->element_size) {
        VirtualRange range{};
        std::memcpy(&range, at, sizeof range);
        append(wire::NvtxMemory::kResize, nullptr, range.address, range.size);
    }
}
void regions_unregister(const void*, const RegionsUnregister* from) {
    if (!from || from->struct_size < sizeof *from || !from->elements) return;
    if (from->element_size < sizeof(void*)) return;
    const char* at = static_cast<const char*>(from->elements);
    for (size_t i = 0; i < from->count; ++i, at += from->element_size) {
        const void* address = nullptr;
        std::memcpy(&address, at, sizeof address);
        append(wire::NvtxMemory::kUnregister, nullptr, address, 0);
    }
}
void regions_name(const void* domain, const RegionsName* from) {
    if (!from || from->struct_size < sizeof *from || !from->elements) return;
    if (from->element_size < sizeof(RegionName)) return;
    const char* at = reinterpret_cast<const char*>(from->elements);
    for (size_t i = 0; i < from->count; ++i, at += from->element_size) {
        RegionName name{};
        std::memcpy(&name, at, sizeof name);
        define_named(wire::NvtxFact::kRegion, domain, reinterpret_cast<uintptr_t>(name.region),
                     name.message_type, name.name, 0);
    }
}

// What code may do with regions: kept as facts, since nothing here checks it.
void permissions_assign(const void*, const PermissionsAssign* from) {
    if (!from || from->struct_size < sizeof *from || !from->elements) return;
    if (from->element_size < sizeof(PermissionsRegion)) return;
    const char* at = reinterpret_cast<const char*>(from->elements);
    for (size_t i = 0; i < from->count; ++i, at += from->element_size) {
        PermissionsRegion region{};
        std::memcpy(&region, at, sizeof region);
        append(wire::NvtxMemory::kAssign, from->permissions, region.region, region.flags);
    }
}
const void* permissions_create(const void*, int32_t flags) {
    const auto* handle = reinterpret_cast<const void*>(next_dynamic_id());
    append(wire::NvtxMemory::kCreate, handle, nullptr, static_cast<uint32_t>(flags));
    return handle;
}
void permissions_destroy(const void*, const void* permissions) {
    append(wire::NvtxMemory::kDestroy, permissions, nullptr, 0);
}
void permissions_reset(const void*, const void* permissions) {
    append(wire::NvtxMemory::kReset, permissions, nullptr, 0);
}
void permissions_bind(const void*, const void* permissions, uint32_t, uint32_t flags) {
    append(wire::NvtxMemory::kBind, permissions, nullptr, flags);
}
void permissions_unbind(const void*, uint32_t) {
    append(wire::NvtxMemory::kUnbind, nullptr, nullptr, 0);
}

}  // namespace

void fill_memory(const ExtensionSegment& segment) {
    fill(segment, kHeapRegister, heap_register);
    fill(segment, kHeapUnregister, heap_gone);
    fill(segment, kHeapReset, heap_gone);
    fill(segment, kRegionsRegister, regions_register);
    fill(segment, kRegionsResize, regions_resize);
    fill(segment, kRegionsUnregister, regions_unregister);
    fill(segment, kRegionsName, regions_name);
    fill(segment, kPermissionsAssign, permissions_assign);
    fill(segment, kPermissionsCreate, permissions_create);
    fill(segment, kPermissionsDestroy, permissions_destroy);
    fill(segment, kPermissionsReset, permissions_reset);
    fill(segment, kPermissionsBind, permissions_bind);
    fill(segment, kPermissionsUnbind, permissions_unbind);
}

}  // namespace opsight::nvtx
