// The counter extension.
#include "collect/nvtx/session.h"

namespace opsight::nvtx {
namespace {

using wire::NvtxClock;
using wire::NvtxSampleType;

// The clock of a counter's batches, as far as its semantics tell one that can be related to ours.
NvtxClock clock_of(const SemanticsHeader* semantics) {
    for (int i = 0; semantics && i < 8; ++i, semantics = semantics->next) {
        if (semantics->id != kTimeSemantics || semantics->struct_size < sizeof(TimeSemantics)) continue;
        switch (reinterpret_cast<const TimeSemantics*>(semantics)->domain) {
            case kToolClock:
            case kTscClock:
                return NvtxClock::kTicks;
            case kRealtimeClock:
                return NvtxClock::kRealtimeNs;
            case kMonotonicClock:
                return NvtxClock::kMonotonicNs;
            default:
                return NvtxClock::kOther;
        }
    }
    return NvtxClock::kTicks;
}

uint64_t counter_register(const void* domain, const CounterAttributes* from) {
    if (!from || from->struct_size < sizeof *from) return 0;
    const uint64_t id = from->id ? from->id : next_dynamic_id();
    define(wire::NvtxFact::kCounter, domain_of(domain).number, id, from->name ? from->name : "", from->schema,
           clock_of(from->semantics));
    return id;
}

void sample(uint64_t counter, NvtxSampleType type, uint64_t bits) {
    Call call;
    if (!call) return;
    auto* record = call->stream.begin_record<wire::NvtxCounterRecord>(wire::RecordType::kNvtxCounter);
    if (!record) return;
    record->type = type;
    record->counter = counter;
    record->bits = bits;
    record->time = call->stream.writer().ticks();
    call->stream.commit(sizeof *record);
}

void sample_int64(const void*, uint64_t counter, int64_t value) {
    sample(counter, NvtxSampleType::kInt64, static_cast<uint64_t>(value));
}
void sample_float64(const void*, uint64_t counter, double value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    sample(counter, NvtxSampleType::kDouble, bits);
}
void sample_no_value(const void*, uint64_t counter, uint8_t reason) {
    constexpr uint8_t kReasons = 3;
    if (reason < kReasons)
        sample(counter, static_cast<NvtxSampleType>(static_cast<uint32_t>(NvtxSampleType::kZero) + reason),
               0);
}

// `clock`: kOther leaves the decision to the counter's definition.
void append(ThreadState& state, uint64_t counter, const void* from, size_t size, uint64_t time,
            NvtxClock clock) {
    if (size > wire::kMaxPayload) return state.stream.writer().count_lost();
    const size_t bytes = sizeof(wire::NvtxSampleRecord) + ((size + 7) & ~size_t{7});
    char* at = state.stream.reserve(bytes);
    if (!at) return;
    wire::NvtxSampleRecord record{};
    record.header = {static_cast<uint16_t>(wire::RecordType::kNvtxSample), static_cast<uint16_t>(bytes)};
    record.clock = clock;
    record.counter = counter;
    record.time = time;
    record.length = static_cast<uint32_t>(size);
    std::memcpy(at, &record, sizeof record);
    std::memcpy(at + sizeof record, from, size);
    state.stream.commit(bytes);
}

void sample_group(const void*, uint64_t counter, const void* values, size_t size) {
    Call call;
    if (call && values)
        append(*call, counter, values, size, call->stream.writer().ticks(), NvtxClock::kTicks);
}

// One time stamp for each sample, or first time and interval.
void submit_batch(const void*, const CounterBatch* batch) {
    if (!batch || !batch->samples) return;
    Call call;
    if (!call) return;
    constexpr uint64_t kFirstAndInterval = uint64_t{3} << 32;
    const size_t times = batch->timestamps ? batch->timestamps_size / sizeof(int64_t) : 0;
    const bool interval = (batch->flags & kFirstAndInterval) != 0;
    if (times == 0 || interval) return call->stream.writer().count_lost();
    const size_t size = batch->samples_size / times;
    const char* at = static_cast<const char*>(batch->samples);
    for (size_t i = 0; i < times && size > 0; ++i, at += size)
        append(*call, batch->counter, at, size, static_cast<uint64_t>(batch->timestamps[i]),
               NvtxClock::kOther);
}

}  // namespace

void fill_counters(const ExtensionSegment& segment) {
    fill(segment, kCounterRegister, counter_register);
    fill(segment, kCounterInt64, sample_int64);
    fill(segment, kCounterFloat64, sample_float64);
    fill(segment, kCounterSample, sample_group);
    fill(segment, kCounterNoValue, sample_no_value);
    fill(segment, kCounterBatch, submit_batch);
}

}  // namespace opsight::nvtx
