// Rows that were something that happened: calls, markers, kernels, copies.
#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "import/rocprof/rocpd_process.h"
#include "import/rocprof/told.h"

namespace opsight::importer::rocprof {
namespace {

// Columns in which rows say when and where they were; they come first in every list.
enum { kStart, kEnd, kStartId, kEndId, kTrack, kPid, kTid, kAgent, kQueue, kStream, kEvent, kShared };
const nsys::Columns kSharedColumns = {"start", "end",      "start_id", "end_id",    "track_id", "pid",
                                      "tid",   "agent_id", "queue_id", "stream_id", "event_id"};

}  // namespace

Status RocpdProcess::each_record(std::string_view table, Columns own,
                                 const std::function<void(Table&)>& row) {
    own.insert(own.begin(), kSharedColumns.begin(), kSharedColumns.end());
    return each(table, own, row, true);
}

bool RocpdProcess::stamp(int64_t id, int64_t& time) {
    const int64_t* found = find(stamps_, id, "timestamp");
    if (!found) return false;
    if (*found < 0 || *found > kMaxNs / 2) {
        report_.note(Diag::kBadTime, std::to_string(*found));
        return false;
    }
    time = *found;
    return true;
}

bool RocpdProcess::times(Table& row, int64_t& begin, int64_t& dur) {
    if (row.has_column(kStart)) {
        if (!report_.ended_times(row, kStart, kEnd, begin, dur)) return false;
    } else {
        int64_t end = 0;
        if (!stamp(row.number(kStartId), begin) || !stamp(row.number(kEndId), end)) return false;
        if (end < begin) report_.note(Diag::kNegativeDuration, fmt::format("{} ns", end - begin));
        dur = std::max<int64_t>(0, end - begin);
    }
    if (begin == 0 && dur == 0) {  // what could not be timed
        report_.note(Diag::kMissingEnd, "a record without times");
        return false;
    }
    return true;
}

RocpdProcess::Place RocpdProcess::place_of(Table& row) {
    if (row.has(kTrack)) {
        const Place* told = find(places_, row.number(kTrack), "track");
        return told ? *told : Place{};
    }
    return {row.number(kPid), row.number(kTid), row.number(kAgent), row.number(kQueue), row.number(kStream)};
}

RocpdProcess::Event RocpdProcess::event_of(Table& row) {
    const Event* told = row.has(kEvent) ? find(events_, row.number(kEvent), "event") : nullptr;
    return told ? *told : Event{};
}

TrackId RocpdProcess::thread(const Place& place) {
    const auto pid = pids_.find(place.pid), tid = tids_.find(place.tid);
    const int64_t number = tid == tids_.end() ? place.tid : tid->second;
    const TrackId track = builder_.host_track(rank_, pid == pids_.end() ? place.pid : pid->second, number);
    if (const auto name = thread_names_.find(number); name != thread_names_.end())
        builder_.track(track).name = name->second;
    return track;
}

bool RocpdProcess::is_gpu(int64_t agent) const {
    const auto found = agents_.find(agent);
    return found != agents_.end() && found->second.is_gpu;
}

int64_t RocpdProcess::number_of(int64_t agent) {
    const Agent* found = find(agents_, agent, "agent");
    return found ? found->number : 0;
}

// What a thread did, by the category of its event; a mark and a call without duration are moments.
void RocpdProcess::add_call(HostSpan span, const Event& event, StringId name) {
    const std::string_view category = builder_.view(event.category);
    span.name = name;
    if (category.starts_with("HIP_") || category.starts_with("HSA_")) {
        span.kind = category.starts_with("HIP_") ? HostKind::kRuntimeApi : HostKind::kDriverApi;
        return builder_.add_api(span, event.call);
    }
    if (category.starts_with("MARKER_CORE") || event.message.value != 0)
        return roctx_.add(span, event.message.value != 0 ? event.message : name);
    span.kind = HostKind::kLibrary;
    builder_.add_host(span, event.category.value);
}

void RocpdProcess::take_region(Table& row) {
    HostSpan span;
    if (!times(row, span.begin, span.dur)) return;
    span.track = thread(place_of(row));
    add_call(span, event_of(row), report_.string(row.number(kShared)));
}

void RocpdProcess::take_sample(Table& row) {
    enum { kTime = kShared, kTimeId, kName };
    HostSpan span;
    if (row.has_column(kTime) ? !report_.time(row, kTime, span.begin)
                              : !stamp(row.number(kTimeId), span.begin))
        return;
    const Event event = event_of(row);
    span.track = thread(place_of(row));
    add_call(span, event, row.has(kName) ? report_.string(row.number(kName)) : event.category);
}

void RocpdProcess::take_kernel(Table& row) {
    enum { kKernel = kShared, kBlock, kGrid = kBlock + 3, kSharedBytes = kGrid + 3, kPrivateBytes };
    DeviceSpan span;
    if (!times(row, span.begin, span.dur)) return;
    span.kind = DeviceKind::kKernel;
    const Symbol* symbol = find(symbols_, row.number(kKernel), "kernel");
    span.name = symbol ? symbol->name : builder_.text("(name lost)");
    LaunchConfig config;
    for (size_t axis = 0; axis < 3; ++axis) {
        config.block[axis] = row.number(kBlock + axis);
        config.grid[axis] = row.number(kGrid + axis);
    }
    count_blocks(config);
    config.static_shared_bytes = row.number(kSharedBytes);
    config.local_bytes_per_thread = row.number(kPrivateBytes);
    if (symbol) config.registers_per_thread = symbol->registers;
    span.config = builder_.launch_config(config);
    const Place place = place_of(row);
    add_device(row, span, place, place.agent);
}

void RocpdProcess::take_copy(Table& row) {
    enum { kSize = kShared, kFrom, kTo, kName };
    DeviceSpan span;
    if (!times(row, span.begin, span.dur)) return;
    const int64_t from = row.number(kFrom), to = row.number(kTo);
    span.kind = DeviceKind::kMemcpy;
    span.bytes = std::max<int64_t>(-1, row.number(kSize));
    Transfer transfer;
    transfer.copy = copy_kind(builder_.view(report_.string(row.number(kName))));
    if (is_gpu(from)) transfer.from_device = number_of(from);
    if (is_gpu(to)) transfer.to_device = number_of(to);
    span.transfer = builder_.transfer(transfer);
    span.name = builder_.text(name_of_copy(transfer));
    Place place = place_of(row);
    place.queue = 0;  // copies are of none
    add_device(row, span, place, is_gpu(to) ? to : from);
}

void RocpdProcess::add_device(Table& row, DeviceSpan& span, const Place& place, int64_t agent) {
    span.correlation = event_of(row).call;
    const auto pid = pids_.find(place.pid);
    span.track =
        builder_.stream_track(TrackKind::kDeviceStream, builder_.device(rank_, number_of(agent)), place.queue,
                              place.stream, pid == pids_.end() ? place.pid : pid->second);
    if (const auto name = stream_names_.find(place.stream); name != stream_names_.end())
        builder_.track(span.track).name = name->second;
    builder_.add_device(span);
}

}  // namespace opsight::importer::rocprof
