// The calls of NVTX's modules CORE and CORE2.
#include "collect/nvtx/names.h"
#include "collect/nvtx/ranges.h"

namespace opsight::nvtx {
namespace {

HashedText text_of(const char* text) {
    return text ? hashed(text) : HashedText{};
}

const Domain& default_domain() {
    return domain_of(nullptr);
}

Event plain(const char* text) {
    return {&default_domain(), text_of(text), 0, 0, false, nullptr, nullptr, 0};
}

// ---- CORE: the default domain

void mark_ex(const Attributes* attributes) {
    with_event(default_domain(), attributes, [](const Event& event) { mark(event); });
}
void mark_a(const char* text) {
    mark(plain(text));
}
void mark_w(const wchar_t* text) {
    const Narrow narrow(text);
    mark(plain(narrow.c_str()));
}
uint64_t start_ex(const Attributes* attributes) {
    return with_event(default_domain(), attributes, [](const Event& event) { return start(event); });
}
uint64_t start_a(const char* text) {
    return start(plain(text));
}
uint64_t start_w(const wchar_t* text) {
    const Narrow narrow(text);
    return start(plain(narrow.c_str()));
}
void end_range(uint64_t id) {
    end(id);
}
int push_ex(const Attributes* attributes) {
    return with_event(default_domain(), attributes, [](const Event& event) { return push(event); });
}
int push_a(const char* text) {
    return text ? push_text(text) : push(plain(text));
}
int push_w(const wchar_t* text) {
    const Narrow narrow(text);
    return push(plain(narrow.c_str()));
}
int pop_range() {
    return pop(default_domain());
}

// ---- CORE2: domains

void domain_mark_ex(const void* domain, const Attributes* attributes) {
    with_event(domain_of(domain), attributes, [](const Event& event) { mark(event); });
}
uint64_t domain_start_ex(const void* domain, const Attributes* attributes) {
    return with_event(domain_of(domain), attributes, [](const Event& event) { return start(event); });
}
void domain_end(const void*, uint64_t id) {
    end(id);
}
int domain_push_ex(const void* domain, const Attributes* attributes) {
    return with_event(domain_of(domain), attributes, [](const Event& event) { return push(event); });
}
int domain_pop(const void* domain) {
    return pop(domain_of(domain));
}
void domain_category_a(const void* domain, uint32_t category, const char* name) {
    if (name) define(wire::NvtxFact::kCategory, domain_of(domain).number, category, name);
}
void domain_category_w(const void* domain, uint32_t category, const wchar_t* name) {
    const Narrow narrow(name);
    domain_category_a(domain, category, narrow.c_str());
}
void category_a(uint32_t category, const char* name) {
    domain_category_a(nullptr, category, name);
}
void category_w(uint32_t category, const wchar_t* name) {
    domain_category_w(nullptr, category, name);
}
void thread_a(uint32_t thread, const char* name) {
    if (name) define(wire::NvtxFact::kThread, 0, thread, name);
}
void thread_w(uint32_t thread, const wchar_t* name) {
    const Narrow narrow(name);
    thread_a(thread, narrow.c_str());
}
const void* create_a(const char* name) {
    return make_domain(name);
}
const void* create_w(const wchar_t* name) {
    const Narrow narrow(name);
    return make_domain(narrow.c_str());
}
const void* string_a(const void* domain, const char* text) {
    return register_text(domain_of(domain), text);
}
const void* string_w(const void* domain, const wchar_t* text) {
    const Narrow narrow(text);
    return register_text(domain_of(domain), narrow.c_str());
}

wire::NvtxResource kind_of(int32_t type) {
    using wire::NvtxResource;
    constexpr NvtxResource kCuda[] = {NvtxResource::kDevice, NvtxResource::kContext, NvtxResource::kStream,
                                      NvtxResource::kEvent};
    constexpr NvtxResource kRuntime[] = {NvtxResource::kDevice, NvtxResource::kStream, NvtxResource::kEvent};
    const int32_t index = type & 0xffff;
    switch (type >> 16) {
        case kCudaClass:
            return index >= kCudaDeviceIndex && index < kCudaDeviceIndex + 4 ? kCuda[index - kCudaDeviceIndex]
                                                                             : NvtxResource::kOther;
        case kCudaRtClass:
            return index < 3 ? kRuntime[index] : NvtxResource::kOther;
        case kOpenClClass:
            return NvtxResource::kOpenCl;
        default:
            return NvtxResource::kOther;
    }
}

// Handles of resources are numbers: nothing is kept for them here.
const void* resource_create(const void* domain, const ResourceAttributes* attributes) {
    if (!attributes || attributes->size < sizeof *attributes) return nullptr;
    Attributes as_event{};
    as_event.size = sizeof as_event;
    as_event.message_type = attributes->message_type;
    as_event.message = attributes->message;
    with_event(domain_of(domain), &as_event, [&](const Event& event) {
        if (attributes->type == kNativeThread)
            define(wire::NvtxFact::kThread, event.domain->number, attributes->identifier, event.text.view());
        else
            define_resource(kind_of(attributes->type), event.domain->number, attributes->identifier,
                            event.text.view());
    });
    return reinterpret_cast<const void*>(next_dynamic_id());
}
void resource_destroy(const void*) {}
void initialize(const void*) {}

}  // namespace

void fill_core(Function** slots, unsigned count) {
    fill(slots, count, kMarkEx, mark_ex);
    fill(slots, count, kMarkA, mark_a);
    fill(slots, count, kMarkW, mark_w);
    fill(slots, count, kRangeStartEx, start_ex);
    fill(slots, count, kRangeStartA, start_a);
    fill(slots, count, kRangeStartW, start_w);
    fill(slots, count, kRangeEnd, end_range);
    fill(slots, count, kRangePushEx, push_ex);
    fill(slots, count, kRangePushA, push_a);
    fill(slots, count, kRangePushW, push_w);
    fill(slots, count, kRangePop, pop_range);
    fill(slots, count, kNameCategoryA, category_a);
    fill(slots, count, kNameCategoryW, category_w);
    fill(slots, count, kNameOsThreadA, thread_a);
    fill(slots, count, kNameOsThreadW, thread_w);
}

void fill_core2(Function** slots, unsigned count) {
    fill(slots, count, kDomainMarkEx, domain_mark_ex);
    fill(slots, count, kDomainRangeStartEx, domain_start_ex);
    fill(slots, count, kDomainRangeEnd, domain_end);
    fill(slots, count, kDomainRangePushEx, domain_push_ex);
    fill(slots, count, kDomainRangePop, domain_pop);
    fill(slots, count, kDomainResourceCreate, resource_create);
    fill(slots, count, kDomainResourceDestroy, resource_destroy);
    fill(slots, count, kDomainNameCategoryA, domain_category_a);
    fill(slots, count, kDomainNameCategoryW, domain_category_w);
    fill(slots, count, kDomainRegisterStringA, string_a);
    fill(slots, count, kDomainRegisterStringW, string_w);
    fill(slots, count, kDomainCreateA, create_a);
    fill(slots, count, kDomainCreateW, create_w);
    fill(slots, count, kDomainDestroy, destroy_domain);
    fill(slots, count, kInitialize, initialize);
}

}  // namespace opsight::nvtx
