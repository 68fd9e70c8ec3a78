// The hot path: a push is a look-up of its text, a reading of the clock and an append; a pop is a reading of
// the clock and a store into the record of its push.
#include "collect/nvtx/ranges.h"

namespace opsight::nvtx {
namespace {

using collect::Frame;
using wire::RecordType;

// Ids of ranges that may end on another thread: a thread and a number. What a program gets where they are not
// recorded is 0.
constexpr uint64_t kAwaitedBit = uint64_t{1} << 62;
constexpr unsigned kThreadShift = 40;
constexpr uint64_t kNumberMask = (uint64_t{1} << kThreadShift) - 1;

uint32_t define_kind(ThreadState& state, const Event& event) {
    const std::string_view text = event.text.view().substr(0, wire::kMaxBlob);
    const size_t bytes = sizeof(wire::NvtxKindRecord) + ((text.size() + 7) & ~size_t{7});
    state.stream.make_room(bytes + wire::ThreadStream::kRoomForRecord);
    char* at = state.stream.reserve_definition(bytes);
    if (!at) return wire::kNoId;
    if (text.size() < event.text.length) state.stream.writer().count_cut_text();
    wire::NvtxKindRecord record{};
    record.header = {static_cast<uint16_t>(RecordType::kNvtxKind), static_cast<uint16_t>(bytes)};
    record.id = state.stream.next_id();
    record.domain = event.domain->number;
    record.category = event.category;
    record.color = event.color;
    record.has_color = event.has_color;
    record.length = static_cast<uint16_t>(text.size());
    std::memcpy(at, &record, sizeof record);
    std::memcpy(at + sizeof record, text.data(), text.size());
    state.stream.commit(bytes);
    return record.id;
}

uint64_t hash_of(const Event& event) {
    const uint64_t place = uint64_t{event.domain->number} << 32 | event.category;
    if (place == 0 && !event.has_color) return event.text.hash;
    return hash_words(event.text.hash, place, uint64_t{event.color} << 1 | event.has_color);
}

uint32_t kind_of(ThreadState& state, const Event& event) {
    return state.kinds.get(state.kind_hash(hash_of(event)), [&] { return define_kind(state, event); });
}

// The event has begun: its payload follows it in the stream.
void append_payload(ThreadState& state, const Event& event) {
    if (event.payload_count > 0)
        append_payloads(state, event.payloads, event.payload_count, event.domain->number);
    if (!event.attributes) return;
    const Attributes& from = *event.attributes;
    if (from.payload_type == kSchemaPayload) {
        const size_t count = from.payload_count > 0 ? static_cast<size_t>(from.payload_count) : 0;
        return append_payloads(state, reinterpret_cast<const PayloadData*>(from.payload), count,
                               event.domain->number);
    }
    auto* record = state.stream.begin_record<wire::NvtxNumberRecord>(RecordType::kNvtxNumber);
    if (!record) return;
    record->type = static_cast<wire::NvtxNumber>(from.payload_type);
    record->bits = from.payload;
    state.stream.commit(sizeof *record);
}

bool is_awaited(const Event& event) {
    const AwaitedRange& awaited = awaited_range();
    return event.domain->awaited && event.text.hash == awaited.name.hash &&
           event.text.view() == awaited.name.view();
}

// True where this range opens the gate: recording lasts until it ends.
bool opens_gate(const Event& event) {
    collect::Gate* gate = Recorder::gate();
    if (!gate || !is_awaited(event)) return false;
    if (awaited_range().once && gate->ended.load() > 0) return false;
    gate->opened_at = wire::read_ticks(wire::best_clock());
    ++gate->open;
    return true;
}

void close_gate() {
    if (collect::Gate* gate = Recorder::gate()) {
        ++gate->ended;
        if (--gate->open == 0) gate->closed_at = wire::read_ticks(wire::best_clock());
    }
}

// Whether an event of a domain that is filtered or sampled is kept.
bool in_sample(ThreadState& state, const Domain& domain) {
    collect::DomainCount& count = state.domains[domain.number];
    if (domain.every == 0) return false;
    if (count.depth > 0) return !count.skipping;
    return count.seen++ % domain.every == 0;
}

int count_push(ThreadState& state, const Domain& domain) {
    return static_cast<int>(state.domains[domain.number].depth++);
}

int push_skipped(ThreadState& state, const Domain& domain) {
    if (domain.every == 0) return kNoTracking;
    state.domains[domain.number].skipping = true;
    state.push({&domain, nullptr, 0, false, false});
    return count_push(state, domain);
}

// This thread's state where a push needs nothing but a record: else null.
ThreadState* quick_state(const Domain& domain) {
    ThreadState* state = Recorder::recording();
    const bool quick = state && !state->busy && domain.every == 1 && !Recorder::gate() &&
                       state->depth < ThreadState::kDeepest && !state->stream.recycles();
    return quick ? state : nullptr;
}

int push_quick(ThreadState& state, const Domain& domain, uint32_t kind) {
    state.busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    uint64_t* dur = nullptr;
    uint64_t now = 0;
    if (auto* record = state.stream.begin_record<wire::OpRecord>(RecordType::kNvtxRange)) [[likely]] {
        record->kind = kind;
        record->begin = now = state.stream.writer().ticks();
        dur = &record->dur;
        state.stream.commit(sizeof *record);
        state.stream.snapshot_if_due(now);
        Recorder::in_window(now);
    }
    state.push({&domain, dur, now, false, false});
    const int depth = count_push(state, domain);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    state.busy = false;
    return depth;
}

int push_recorded(ThreadState& state, const Event& event, bool awaited) {
    const Domain& domain = *event.domain;
    if (domain.every != 1) [[unlikely]] {
        if (!in_sample(state, domain)) return push_skipped(state, domain);
        state.domains[domain.number].skipping = false;
    }
    const uint32_t kind = kind_of(state, event);
    auto* record = state.stream.begin_record<wire::OpRecord>(RecordType::kNvtxRange);
    const int depth = count_push(state, domain);
    if (!record) {
        state.push({&domain, nullptr, 0, awaited, false});
        return depth;
    }
    record->kind = kind;
    const uint64_t now = state.stream.writer().ticks();
    record->begin = now;
    state.stream.commit(sizeof *record);
    state.push({&domain, &record->dur, now, awaited, false});
    if (event.attributes || event.payload_count > 0) [[unlikely]]
        append_payload(state, event);
    state.stream.snapshot_if_due(now);
    Recorder::in_window(now);
    return depth;
}

// Outside of the window: only what makes the pops come out right, and the range that opens the gate.
int push_unrecorded(const Event& event) {
    const bool opens = opens_gate(event);
    if (opens) {
        Call call;
        if (call) return push_recorded(*call, event, true);
    }
    Call call(opens ? Recorder::state() : Recorder::existing_state());
    if (!call) {
        if (opens) close_gate();
        return kNoTracking;
    }
    if (!opens && call->depth == 0 && call->deeper == 0) return kNoTracking;
    call->push({event.domain, nullptr, 0, opens, false});
    return count_push(*call, *event.domain);
}

// A signal may come between any two of these stores: the id makes the others valid.
void remember(ThreadState& state, const collect::Started& range) {
    collect::Started& slot = state.started[range.id % ThreadState::kMostStarted];
    slot.id = 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    slot.dur = range.dur;
    slot.begin = range.begin;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    slot.id = range.id;
}

// Ends a range that this thread began and still knows; nothing is appended.
bool end_remembered(uint64_t id) {
    ThreadState* state = Recorder::existing_state();
    if (!state) return false;
    collect::Started& slot = state->started[id % ThreadState::kMostStarted];
    if (slot.id != id || !slot.dur) return false;
    // Where open ranges move to newer blocks no signal handler may make them move now, nor interrupt that.
    if (state->stream.recycles() && state->busy) return false;
    const Call call(state->stream.recycles() ? state : nullptr);
    const uint64_t now = state->stream.writer().ticks();
    *slot.dur = now > slot.begin ? now - slot.begin : 1;
    slot.id = 0;
    return true;
}

void append_end(ThreadState& state, uint64_t id) {
    auto* record = state.stream.begin_record<wire::NvtxEndRecord>(RecordType::kNvtxEnd);
    if (!record) return;
    record->time = state.stream.writer().ticks();
    record->id = id;
    state.stream.commit(sizeof *record);
}

}  // namespace

int push(const Event& event) {
    if (ThreadState* state = quick_state(*event.domain);
        state && !event.attributes && event.payload_count == 0)
        if (const uint32_t kind = state->kinds.quick(hash_of(event)))
            return push_quick(*state, *event.domain, kind);
    if (ThreadState* state = Recorder::existing_state(); state && state->busy) [[unlikely]] {
        // In a signal handler, within a call of ours: the pop to come must end nothing else.
        ++state->pushed_within;
        state->stream.writer().count_interrupted();
        return kNoTracking;
    }
    Call call;
    if (!call) [[unlikely]]
        return push_unrecorded(event);
    return push_recorded(*call, event, Recorder::gate() && opens_gate(event));
}

int push_text(const char* text) {
    const Domain& domain = domain_of(nullptr);
    const HashedText found = hashed(text);
    if (ThreadState* state = quick_state(domain)) [[likely]]
        if (const uint32_t kind = state->kinds.quick(found.hash)) [[likely]]
            return push_quick(*state, domain, kind);
    return push({&domain, found, 0, 0, false, nullptr, nullptr, 0});
}

int pop(const Domain& domain, const PayloadData* payloads, size_t payload_count) {
    ThreadState* const quick = Recorder::existing_state();
    if (quick && quick->pushed_within > 0) [[unlikely]] {
        --quick->pushed_within;
        return kNoTracking;
    }
    if (quick && quick->depth > 0 && quick->deeper == 0 && payload_count == 0 && !quick->stream.recycles())
        [[likely]] {
        // Nothing is appended, and no open range moves, so that a signal may come at any time.
        const Frame& top = quick->frames[quick->depth - 1];
        if (top.key == &domain && !top.is_step && !top.done) [[likely]] {
            const uint64_t now = quick->stream.writer().ticks();
            if (top.dur) *top.dur = now > top.begin ? now - top.begin : 1;
            --quick->depth;
            while (quick->depth > 0 && quick->frames[quick->depth - 1].done)
                --quick->depth;
            uint32_t& depth = quick->domains[domain.number].depth;
            depth -= depth > 0;
            return static_cast<int>(depth);
        }
    }
    Call call(Recorder::existing_state());
    if (!call) return kNoTracking;
    ThreadState& state = *call;
    const uint64_t now = state.stream.writer().ticks();
    bool was_awaited = false;
    const bool too_deep = state.deeper > 0;
    const uint64_t begin = payload_count > 0 ? state.begin_of(&domain) : 0;
    if (!state.pop(&domain, now, was_awaited) && !too_deep) return kNoTracking;
    uint32_t& depth = state.domains[domain.number].depth;
    depth -= depth > 0;
    if (begin > 0) amend(state, 0, begin, payloads, payload_count, domain.number);
    if (was_awaited) [[unlikely]]
        close_gate();
    return static_cast<int>(depth);
}

uint64_t start(const Event& event) {
    const bool awaited = opens_gate(event);
    Call call;
    if (!call || (event.domain->every != 1 && !in_sample(*call, *event.domain)))
        return awaited ? kAwaitedBit : 0;
    ThreadState& state = *call;
    const uint32_t kind = kind_of(state, event);
    auto* record = state.stream.begin_record<wire::NvtxStartRecord>(RecordType::kNvtxStart);
    if (!record) return awaited ? kAwaitedBit : 0;
    const uint64_t id = (awaited ? kAwaitedBit : 0) | (uint64_t{state.stream.number()} + 1) << kThreadShift |
                        (++state.last_range & kNumberMask);
    record->range.kind = kind;
    record->id = id;
    const uint64_t now = record->range.begin = state.stream.writer().ticks();
    state.stream.commit(sizeof *record);
    remember(state, {id, &record->range.dur, now});
    if (event.attributes || event.payload_count > 0) append_payload(state, event);
    state.stream.snapshot_if_due(now);
    Recorder::in_window(now);
    return id;
}

void end(uint64_t id, const Domain* domain, const PayloadData* payloads, size_t payload_count) {
    if (id == 0) return;
    // Also where the window is over: the range began within it.
    if (const bool ended = end_remembered(id); !ended || payload_count > 0) {
        Call call(Recorder::state());
        if (call && !ended) append_end(*call, id);
        if (call && payload_count > 0) amend(*call, id, 0, payloads, payload_count, domain->number);
    }
    if (id & kAwaitedBit) close_gate();
}

void mark(const Event& event) {
    Call call;
    if (!call || (event.domain->every != 1 && !in_sample(*call, *event.domain))) return;
    ThreadState& state = *call;
    const uint32_t kind = kind_of(state, event);
    auto* record = state.stream.begin_record<wire::NvtxMarkRecord>(RecordType::kNvtxMark);
    if (!record) return;
    record->kind = kind;
    const uint64_t now = record->time = state.stream.writer().ticks();
    state.stream.commit(sizeof *record);
    if (event.attributes || event.payload_count > 0) append_payload(state, event);
    state.stream.snapshot_if_due(now);
    Recorder::in_window(now);
}

}  // namespace opsight::nvtx
