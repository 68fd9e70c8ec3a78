// Counters, locks and heaps that a program describes through NVTX.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "import/capture/nvtx.h"
#include "wire/nvtx_schema.h"

namespace opsight::importer::capture {

namespace {

// NVTX_COUNTER_FLAG_*
constexpr uint64_t kNormalize = 1 << 1, kLeast = 1 << 2, kMost = 1 << 3;
constexpr uint64_t kValueType = 3 << 4, kDifference = 2 << 4;
constexpr unsigned kBetweenShift = 8;

// The largest value of an integer type, which is shown as 1; 0: not an integer.
double largest_of(uint64_t type) {
    constexpr uint64_t kLastInteger = 18, kSize = 22, kLastSigned = 17;
    if (type == 0 || (type > kLastInteger && type != kSize)) return 0;
    const bool with_sign = type <= kLastSigned && type % 2 == 1;
    const int bits = static_cast<int>(8 * wire::schema::size_of(type)) - (with_sign ? 1 : 0);
    return std::ldexp(1.0, bits) - 1;
}

std::string limit_text(uint64_t type, uint64_t bits) {
    switch (type) {
        case 1:
            return std::to_string(static_cast<int64_t>(bits));
        case 2:
            return std::to_string(bits);
        case 3:
            return fmt::format("{}", std::bit_cast<double>(bits));
        default:
            return {};
    }
}

}  // namespace

// What is for those who draw the series: its limits, and what holds between two samples.
void NvtxImport::tell_meaning(const std::string& name, const nvtx::CounterMeaning& meaning) {
    constexpr std::string_view kBetween[] = {"", "only at the samples", "since the sample before",
                                             "until the next sample", "linear between samples"};
    std::vector<std::string> facts;
    const std::string least = limit_text(meaning.limit_type, meaning.least);
    const std::string most = limit_text(meaning.limit_type, meaning.most);
    if ((meaning.flags & kLeast) != 0 && !least.empty()) facts.push_back("at least " + least);
    if ((meaning.flags & kMost) != 0 && !most.empty()) facts.push_back("at most " + most);
    const uint64_t between = meaning.flags >> kBetweenShift & 7;
    if (between > 0 && between < std::size(kBetween)) facts.emplace_back(kBetween[between]);
    if (facts.empty() || !told_.insert(name).second) return;
    builder_.info().properties.emplace_back("nvtx_counter " + name,
                                            fmt::format("{}", fmt::join(facts, ", ")));
}

// The series is named by domain, counter, place in a group, and unit.
void NvtxImport::add_sample(int64_t ns, const NvtxFacts::Counter& counter, const nvtx::Number& number) {
    const nvtx::CounterMeaning& meaning =
        number.entry && number.entry->meaning ? *number.entry->meaning : counter.meaning;
    double value = number.value;
    const std::string& place = number.place;
    const std::string domain = facts_.domain_name(counter.domain);
    std::string name = counter.name;
    if (!place.empty()) name += (name.empty() ? "" : ".") + place;
    if (name.empty()) name = "(no name)";
    if (!domain.empty()) name = domain + "/" + name;
    if (!meaning.unit.empty()) name += " (" + meaning.unit + ")";
    const double largest = largest_of(number.type);
    if ((meaning.flags & kNormalize) != 0 && largest > 0) value = std::max(-1.0, value / largest);
    if (meaning.numerator > 0 && meaning.denominator > 0)
        value *= static_cast<double>(meaning.numerator) / static_cast<double>(meaning.denominator);
    if ((meaning.flags & kValueType) == kDifference) value = sums_[name] += value;
    if (!std::isfinite(value)) return;
    tell_meaning(name, meaning);
    add_counter(ns, name, value);
}

void NvtxImport::add_counter(int64_t ns, const std::string& name, double value) {
    if (!counter_track_.valid())
        counter_track_ = builder_.other_track(rank_, std::to_string(pid_), "counters");
    builder_.add_counter(ns, counter_track_, builder_.text(name), value);
}

void NvtxImport::take_counter(const wire::NvtxCounterRecord& sample) {
    const auto counter = facts_.counters.find(sample.counter);
    if (counter == facts_.counters.end()) return note(Diag::kDanglingId, "a sample of an NVTX counter");
    int64_t ns = 0;
    if (!times_.ns(sample.time, ns)) return;
    double& value = last_values_[sample.counter];
    uint64_t type = counter->second.schema;
    switch (sample.type) {
        case wire::NvtxSampleType::kInt64:
            value = static_cast<double>(static_cast<int64_t>(sample.bits));
            break;
        case wire::NvtxSampleType::kDouble:
            std::memcpy(&value, &sample.bits, sizeof value);
            type = 0;
            break;
        case wire::NvtxSampleType::kZero:
            value = 0;
            break;
        case wire::NvtxSampleType::kUnchanged:
            break;
        default:
            return;  // the program could not read it
    }
    const std::string nowhere;
    add_sample(ns, counter->second, {nowhere, value, type, nullptr});
}

bool NvtxImport::sample_time(const NvtxFacts::Counter& counter, const wire::NvtxSampleRecord& head,
                             const nvtx::Decoded& sample, int64_t& ns) {
    if (head.clock == wire::NvtxClock::kTicks) return times_.ns(head.time, ns);
    uint64_t clock = counter.clock;
    auto time = static_cast<int64_t>(head.time);
    if (head.clock == wire::NvtxClock::kInSample) {
        if (!sample.begin) {
            note(Diag::kBadTime, "an NVTX sample without a time");
            return false;
        }
        time = sample.begin->value;
        if (sample.begin->clock != 0) clock = sample.begin->clock;
    }
    if (clocks_.ns(clock_of(clock, counter.scope), time, ns)) return true;
    note(Diag::kBadTime, "an NVTX sample on a clock that nothing relates to ours");
    return false;
}

void NvtxImport::take_sample(const wire::RecordView& record) {
    const auto head = record.as<wire::NvtxSampleRecord>();
    const auto counter = facts_.counters.find(head.counter);
    if (counter == facts_.counters.end()) return note(Diag::kDanglingId, "a sample of an NVTX counter");
    struct Value {
        std::string place;
        double value;
        uint64_t type;
        const nvtx::SchemaEntry* entry;
    };
    std::vector<Value> values;
    const nvtx::Decoded sample = nvtx::decode(
        facts_.schemas, counter->second.domain, counter->second.schema,
        record.blob_of<wire::NvtxSampleRecord>(), text_of(payloads_), [&](const nvtx::Number& number) {
            values.push_back({number.place, number.value, number.type, number.entry});
        });
    if (!sample.problem.empty()) note(Diag::kUnreadRow, "an NVTX sample: " + sample.problem);
    int64_t ns = 0;
    if (!sample_time(counter->second, head, sample, ns)) return;
    for (const Value& one : values)
        add_sample(ns, counter->second, {one.place, one.value, one.type, one.entry});
}

// Waiting for a lock becomes a range.
void NvtxImport::take_lock(const wire::NvtxSyncRecord& sync) {
    if (sync.what == wire::NvtxSync::kAcquireStart) {
        waits_[sync.object] = sync.time;
        return;
    }
    if (sync.what == wire::NvtxSync::kReleasing) return;
    const auto wait = waits_.find(sync.object);
    if (wait == waits_.end()) return;
    HostSpan span;
    const uint64_t dur = sync.time > wait->second ? sync.time - wait->second : 1;
    const bool known = times_.set(span, wait->second, dur);
    waits_.erase(wait);
    if (!known) return;
    const auto lock = facts_.locks.find(sync.object);
    span.name = builder_.text("wait for " + (lock == facts_.locks.end() ? "a lock" : lock->second));
    span.kind = HostKind::kAnnotation;
    span.track = track_;
    flush();
    builder_.add_host(span);
}

// Regions of each heap, summed up over time.
void NvtxImport::finish_memory() {
    std::stable_sort(memory_.begin(), memory_.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    struct Region {
        uint64_t heap;
        uint64_t bytes;
    };
    std::map<uint64_t, Region> regions;
    std::map<uint64_t, double> totals;
    constexpr uint64_t kMostBytes = uint64_t{1} << 48;
    for (const wire::NvtxMemoryRecord& event : memory_) {
        int64_t ns = 0;
        if (event.what > wire::NvtxMemory::kResetHeap) continue;
        if (!times_.ns(event.time, ns)) continue;
        const auto known = regions.find(event.address);
        uint64_t heap = event.heap;
        if (event.what != wire::NvtxMemory::kResetHeap && known != regions.end()) {
            heap = known->second.heap;
            totals[heap] -= static_cast<double>(known->second.bytes);
            regions.erase(known);
        }
        if (event.what == wire::NvtxMemory::kResetHeap) {
            std::erase_if(regions, [&](const auto& region) { return region.second.heap == heap; });
            totals[heap] = 0;
        } else if (event.what != wire::NvtxMemory::kUnregister) {
            const uint64_t bytes = std::min(event.bytes, kMostBytes);
            regions[event.address] = {heap, bytes};
            totals[heap] += static_cast<double>(bytes);
        }
        const auto name = facts_.heaps.find(heap);
        add_counter(ns, "heap " + (name == facts_.heaps.end() ? "of the process" : name->second) + " (bytes)",
                    totals[heap]);
    }
}

// What a program tells of who may use which region. Nothing is computed from it.
void NvtxImport::tell_permissions() {
    size_t assigned = 0, created = 0, bound = 0, flags[3] = {};
    for (const wire::NvtxMemoryRecord& event : memory_) {
        created += event.what == wire::NvtxMemory::kCreate;
        bound += event.what == wire::NvtxMemory::kBind;
        if (event.what != wire::NvtxMemory::kAssign) continue;
        ++assigned;
        for (size_t flag = 0; flag < std::size(flags); ++flag)
            flags[flag] += event.bytes >> flag & 1;
    }
    if (assigned + created + bound == 0) return;
    builder_.info().properties.emplace_back(
        "nvtx_memory_permissions",
        fmt::format("{} regions assigned ({} to read, {} to write, {} for atomics), {} sets made, {} bound",
                    assigned, flags[0], flags[1], flags[2], created, bound));
}

}  // namespace opsight::importer::capture
