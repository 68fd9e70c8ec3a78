// Counters, locks and heaps that a program describes through NVTX.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "import/capture/nvtx.h"

namespace opsight::capture {

std::string NvtxImport::counter_name(const NvtxFacts::Counter& counter) const {
    const std::string domain = facts_.domain_name(counter.domain);
    const std::string name = counter.name.empty() ? "(no name)" : counter.name;
    return domain.empty() ? name : domain + "/" + name;
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
    switch (sample.type) {
        case wire::NvtxSampleType::kInt64:
            value = static_cast<double>(static_cast<int64_t>(sample.bits));
            break;
        case wire::NvtxSampleType::kDouble:
            std::memcpy(&value, &sample.bits, sizeof value);
            break;
        case wire::NvtxSampleType::kZero:
            value = 0;
            break;
        case wire::NvtxSampleType::kUnchanged:
            break;
        default:
            return;  // the program could not read it
    }
    if (std::isfinite(value)) add_counter(ns, counter_name(counter->second), value);
}

bool NvtxImport::sample_time(const NvtxFacts::Counter& counter, const wire::NvtxSampleRecord& head,
                             int64_t& ns) {
    const wire::NvtxClock clock = head.clock == wire::NvtxClock::kTicks ? head.clock : counter.clock;
    const auto time = static_cast<int64_t>(head.time);
    constexpr int64_t kMost = int64_t{1} << 61;
    const bool sane = time > 0 && time < kMost;
    if (clock == wire::NvtxClock::kTicks) return times_.ns(head.time, ns);
    if (sane && clock == wire::NvtxClock::kMonotonicNs) {
        ns = times_.from_monotonic(time);
        return true;
    }
    if (sane && clock == wire::NvtxClock::kRealtimeNs) {
        ns = time + realtime_offset_ns_;
        return true;
    }
    note(Diag::kBadTime, "an NVTX sample on a clock that is not known");
    return false;
}

void NvtxImport::take_sample(const wire::RecordView& record) {
    const auto head = record.as<wire::NvtxSampleRecord>();
    const auto counter = facts_.counters.find(head.counter);
    if (counter == facts_.counters.end()) return note(Diag::kDanglingId, "a sample of an NVTX counter");
    int64_t ns = 0;
    if (!sample_time(counter->second, head, ns)) return;
    const std::string name = counter_name(counter->second);
    nvtx::decode(facts_.schemas, counter->second.domain, counter->second.schema,
                 record.blob_of<wire::NvtxSampleRecord>(), {}, [&](const std::string& place, double value) {
                     add_counter(ns, place.empty() ? name : name + "." + place, value);
                 });
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
                     [](const Memory& a, const Memory& b) { return a.record.time < b.record.time; });
    struct Region {
        uint64_t heap;
        uint64_t bytes;
    };
    std::map<uint64_t, Region> regions;
    std::map<uint64_t, double> totals;
    constexpr uint64_t kMostBytes = uint64_t{1} << 48;
    for (const Memory& memory : memory_) {
        const wire::NvtxMemoryRecord& event = memory.record;
        int64_t ns = 0;
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

}  // namespace opsight::capture
