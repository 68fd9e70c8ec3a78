// Events on streams, ids that programs tie to their calls, and names of streams.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "import/capture/cuda.h"

namespace opsight::importer::capture {

// One id of each call: that of the lowest kind.
void CudaFacts::take_external(const wire::CudaExternalRecord& record) {
    ++external_kinds[record.kind];
    if (record.correlation == 0) return;
    const auto [known, is_new] =
        external_ids.try_emplace(record.correlation, ExternalId{record.kind, record.external});
    if (!is_new && record.kind < known->second.kind) known->second = {record.kind, record.external};
}

void CudaImport::take_event(const wire::CudaEventRecord& event) {
    if (facts_.ranges.has(event.correlation)) events_.push_back(event);
}

// Where the device tells when it came by an event, the event stands there on its stream; else when the call
// was made that recorded it, which is earlier. A time of the device that cannot be one is not believed.
void CudaImport::finish_events() {
    constexpr int64_t kLongest = 3'600'000'000'000;  // from the call until the device comes by
    for (const wire::CudaEventRecord& event : events_) {
        const auto call = event_calls_.find(event.correlation);
        if (call == event_calls_.end()) {
            note(Diag::kDanglingId, "an event on a stream, recorded by a call that is not there");
            continue;
        }
        const auto context = facts_.contexts.find(event.context);
        uint32_t device = event.device;
        if (device == wire::kNoCudaId && context != facts_.contexts.end()) device = context->second.device;
        if (device == wire::kNoCudaId) {
            note(Diag::kDanglingId, "an event on a stream of an unknown context");
            continue;
        }
        DeviceSpan span;
        span.begin = call->second;
        int64_t passed = 0;
        const bool told = event.device_time != 0 && times_.ns(event.device_time, passed) &&
                          passed >= call->second && passed - call->second < kLongest;
        if (told) span.begin = passed;
        span.kind = DeviceKind::kOther;
        span.flags |= kInstant;
        span.name = builder_.text(told ? "Event Record" : "Event Record (when called)");
        span.track = stream_of(device, event.context, event.stream);
        set_call(span, event.correlation);
        DeviceExtra extra;
        extra.event = event.event == wire::kNoCudaId ? -1 : int64_t{event.event};
        add(span, extra);
    }
}

// Ids that programs tie to their calls stand with what the calls put on devices.
void CudaImport::set_call(DeviceSpan& span, uint32_t correlation) {
    span.correlation = correlation ? int64_t{correlation} : -1;
    const auto external = facts_.external_ids.find(correlation);
    if (external != facts_.external_ids.end() && external->second.id <= INT64_MAX)
        span.external_id = static_cast<int64_t>(external->second.id);
}

void CudaImport::tell_external_ids() {
    constexpr std::string_view kKinds[] = {"invalid",  "unknown",  "OpenACC",
                                           "custom 0", "custom 1", "custom 2"};
    std::vector<std::string> kinds;
    for (const auto& [kind, count] : facts_.external_kinds)
        kinds.push_back(
            fmt::format("{} of {}", count,
                        kind < std::size(kKinds) ? std::string(kKinds[kind]) : fmt::format("kind {}", kind)));
    if (kinds.empty()) return;
    builder_.info().properties.emplace_back(fmt::format("cuda_external_ids_of_process_{}", place_.pid),
                                            fmt::format("{}", fmt::join(kinds, ", ")));
}

CudaStreamNames name_streams(const std::vector<NvtxFacts::Name>& names, const CudaFacts& facts) {
    constexpr uint64_t kLegacyStream = 1;  // cudaStreamLegacy
    CudaStreamNames result;
    std::multimap<uint64_t, const wire::CudaHandleRecord*> streams;
    for (const wire::CudaHandleRecord& handle : facts.handles)
        if (handle.what == wire::CudaObject::kStream) streams.emplace(handle.handle, &handle);
    for (const NvtxFacts::Name& name : names) {
        if (name.kind != wire::NvtxResource::kStream || name.text.empty()) continue;
        if (name.handle <= kLegacyStream) {
            if (facts.contexts.size() != 1) continue;
            const auto& [number, context] = *facts.contexts.begin();
            result[{number, context.null_stream}] = name.text;
            continue;
        }
        const wire::CudaHandleRecord* meant = nullptr;
        for (auto [at, end] = streams.equal_range(name.handle); at != end; ++at) {
            const bool was_there = name.ticks == 0 || at->second->time <= (name.ticks | wire::kResourceMask);
            if (was_there && (!meant || at->second->time >= meant->time)) meant = at->second;
        }
        if (meant) result[{meant->context, meant->stream}] = name.text;
    }
    return result;
}

}  // namespace opsight::importer::capture
