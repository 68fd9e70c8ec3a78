// The counter extension.
#include "collect/nvtx/schemas.h"
#include "collect/nvtx/session.h"

namespace opsight::nvtx {
namespace {

using wire::NvtxClock;
using wire::NvtxSampleType;

// Bytes of a sample of each counter, for batches.
struct KnownCounter {
    std::atomic<uint64_t> id{0};
    std::atomic<uint32_t> size{0};
};
constexpr size_t kCounters = 4096;
KnownCounter g_counters[kCounters];

void remember(uint64_t id, size_t size) {
    for (size_t i = 0; i < 16; ++i) {
        KnownCounter& at = g_counters[(collect::mix(id, collect::kMixA) + i) % kCounters];
        uint64_t empty = 0;
        if (!at.id.compare_exchange_strong(empty, id) && empty != id) continue;
        at.size = static_cast<uint32_t>(std::min<size_t>(size, wire::kMaxPayload));
        return;
    }
}
size_t size_of_counter(uint64_t id) {
    for (size_t i = 0; i < 16; ++i) {
        const KnownCounter& at = g_counters[(collect::mix(id, collect::kMixA) + i) % kCounters];
        if (at.id.load() == id) return at.size.load();
        if (at.id.load() == 0) break;
    }
    return 0;
}

const CounterSemantics* counter_semantics(const SemanticsHeader* semantics) {
    const CounterSemantics* told = nullptr;
    for (int i = 0; semantics && i < 8; ++i, semantics = semantics->next)
        if (semantics->id == kCounterSemantics && semantics->struct_size >= sizeof(CounterSemantics))
            told = reinterpret_cast<const CounterSemantics*>(semantics);
    return told;
}

void define_info(wire::NvtxFact fact, uint32_t domain, uint64_t id, wire::NvtxCounterInfo info,
                 const CounterSemantics* told, uint32_t entry) {
    const char* unit = told && told->unit ? told->unit : "";
    if (told) {
        info.flags = told->flags;
        info.numerator = told->numerator;
        info.denominator = told->denominator;
    }
    char blob[sizeof info + 64];
    const size_t length = strnlen(unit, sizeof blob - sizeof info);
    std::memcpy(blob, &info, sizeof info);
    std::memcpy(blob + sizeof info, unit, length);
    define(fact, domain, id, {blob, sizeof info + length}, 0, entry);
}

// `entry`: 0 for a counter, else the number of a schema's entry and 1.
void define_limits(uint32_t domain, uint64_t id, const CounterSemantics* told, uint32_t entry) {
    if (!told || told->limit_type == 0) return;
    const wire::NvtxCounterLimits limits{static_cast<uint64_t>(told->limit_type), told->least, told->most};
    define(wire::NvtxFact::kCounterLimits, domain, id,
           {reinterpret_cast<const char*>(&limits), sizeof limits}, 0, entry);
}

uint64_t counter_register(const void* domain, const CounterAttributes* from) {
    if (!from || from->struct_size < sizeof *from) return 0;
    const uint64_t id = from->id ? from->id : next_dynamic_id();
    const uint32_t number = domain_of(domain).number;
    remember(id, size_of_schema(number, from->schema));
    define(wire::NvtxFact::kCounter, number, id, from->name ? from->name : "", from->schema);
    const CounterSemantics* told = counter_semantics(from->semantics);
    define_info(wire::NvtxFact::kCounterInfo, number, id, {clock_of(from->semantics), from->scope, 0, 1, 1},
                told, 0);
    define_limits(number, id, told, 0);
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

void append(ThreadState& state, uint64_t counter, const void* from, size_t size, uint64_t time,
            NvtxClock clock) {
    if (size > wire::kMaxPayload) return state.stream.writer().count_refused();
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

// One time for each sample, or the first or last time and what lies between two, or the samples tell their
// times.
void submit_batch(const void*, const CounterBatch* batch) {
    if (!batch || !batch->samples) return;
    read_clocks();
    Call call;
    if (!call) return;
    const size_t times = batch->timestamps ? batch->timestamps_size / sizeof(int64_t) : 0;
    size_t size = size_of_counter(batch->counter);
    // NVIDIA's header has the flags as shifts of an int, which lose the bit: two times for more samples are
    // told by their number.
    const bool interval =
        (batch->timestamps && (batch->flags & (kBeginAndInterval | kEndAndInterval)) != 0) ||
        (times == 2 && size > 0 && batch->samples_size / size > 2);
    if (size == 0 && times > 0 && !interval) size = batch->samples_size / times;
    const size_t count = size > 0 ? batch->samples_size / size : 0;
    const bool enough = times == 0 || times >= (interval ? 2 : count);
    if (count == 0 || !enough) return call->stream.writer().count_refused();
    const char* at = static_cast<const char*>(batch->samples);
    for (size_t i = 0; i < count; ++i, at += size) {
        uint64_t time = 0;
        if (interval) {
            const auto first = static_cast<uint64_t>(batch->timestamps[0]);
            const auto step = static_cast<uint64_t>(batch->timestamps[1]);
            time = batch->flags & kEndAndInterval ? first - (count - 1 - i) * step : first + i * step;
        } else if (times > 0) {
            time = static_cast<uint64_t>(batch->timestamps[i]);
        }
        append(*call, batch->counter, at, size, time, times > 0 ? NvtxClock::kCounter : NvtxClock::kInSample);
    }
}

}  // namespace

void define_entry_counter(uint32_t domain, uint64_t schema, uint32_t entry,
                          const SemanticsHeader* semantics) {
    const CounterSemantics* told = counter_semantics(semantics);
    if (!told) return;
    define_info(wire::NvtxFact::kEntryCounter, domain, schema, {0, 0, 0, 1, 1}, told, entry);
    define_limits(domain, schema, told, entry + 1);
}

void fill_counters(const ExtensionSegment& segment) {
    fill(segment, kCounterRegister, counter_register);
    fill(segment, kCounterInt64, sample_int64);
    fill(segment, kCounterFloat64, sample_float64);
    fill(segment, kCounterSample, sample_group);
    fill(segment, kCounterNoValue, sample_no_value);
    fill(segment, kCounterBatch, submit_batch);
}

}  // namespace opsight::nvtx
