// Ranges and marks: what every call of NVTX that makes an event comes down to.
#pragma once

#include "collect/nvtx/abi.h"
#include "collect/nvtx/session.h"

namespace opsight::nvtx {

// What an event says, whichever call made it.
struct Event {
    const Domain* domain;
    HashedText text;
    uint32_t category = 0, color = 0;
    bool has_color = false;
    const Attributes* attributes = nullptr;  // for its payload
    const PayloadData* payloads = nullptr;   // of the payload extension
    size_t payload_count = 0;
};

// Calls `then` with the event that the attributes tell.
template <class Then>
auto with_event(const Domain& domain, const Attributes* attributes, Then&& then) {
    Event event{&domain, {}, 0, 0, false, nullptr, nullptr, 0};
    if (!attributes || attributes->size < sizeof(Attributes)) return then(event);
    event.category = attributes->category;
    event.has_color = attributes->color_type == kArgb;
    event.color = event.has_color ? attributes->color : 0;
    if (attributes->payload_type != 0) event.attributes = attributes;
    const Message message = attributes->message;
    if (attributes->message_type == kAscii && message.ascii) {
        event.text = hashed(message.ascii);
    } else if (attributes->message_type == kRegistered && message.registered) {
        event.text = static_cast<const Registered*>(message.registered)->text;
    } else if (attributes->message_type == kUnicode && message.unicode) {
        const Narrow narrow(message.unicode);
        event.text = hashed(narrow.c_str());
        return then(event);
    }
    return then(event);
}

int push(const Event& event);
int push_text(const char* text);  // the quickest way, for a text alone in the default domain
int pop(const Domain& domain, const PayloadData* payloads = nullptr, size_t count = 0);
uint64_t start(const Event& event);
void end(uint64_t id, const Domain* domain = nullptr, const PayloadData* payloads = nullptr,
         size_t count = 0);
void mark(const Event& event);

// Payloads of the event that was recorded last; see payload.cpp.
void append_payloads(ThreadState& state, const PayloadData* payloads, size_t count, uint32_t domain);
// Payloads of an earlier range, told by its id, or its beginning on this thread.
void amend(ThreadState& state, uint64_t id, uint64_t begin, const PayloadData* payloads, size_t count,
           uint32_t domain);

}  // namespace opsight::nvtx
