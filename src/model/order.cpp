#include "model/order.h"

#include <algorithm>
#include <limits>

#include "base/task_group.h"

namespace opsight {
namespace {

constexpr std::ptrdiff_t kLongTrack = 1 << 16;

// A stable sort; of a long range each half in a thread of its own.
template <class Before>
void sort_rows(std::vector<uint32_t>::iterator first, std::vector<uint32_t>::iterator last, Before before) {
    if (std::is_sorted(first, last, before)) return;
    if (last - first < kLongTrack) return std::stable_sort(first, last, before);
    const auto middle = first + (last - first) / 2;
    TaskGroup half;
    half.start([&] { std::stable_sort(first, middle, before); });
    std::stable_sort(middle, last, before);
    half.join();
    std::inplace_merge(first, middle, last, before);
}

// Row numbers in their final order: counting sort by track, then a stable sort of each track that is not in
// order. `inner(a, b)`: whether row a belongs before row b at equal intervals.
template <class Inner>
std::vector<uint32_t> final_order(const std::vector<TrackId>& track, const std::vector<int64_t>& begin,
                                  const std::vector<int64_t>& dur, size_t track_count, Inner inner) {
    std::vector<size_t> start(track_count + 1, 0);
    for (TrackId id : track)
        ++start[id.index() + 1];
    for (size_t i = 0; i < track_count; ++i)
        start[i + 1] += start[i];
    std::vector<uint32_t> order(track.size());
    std::vector<size_t> next(start.begin(), start.end() - 1);
    for (size_t row = 0; row < track.size(); ++row)
        order[next[track[row].index()]++] = static_cast<uint32_t>(row);

    auto before = [&](uint32_t a, uint32_t b) {
        if (begin[a] != begin[b]) return begin[a] < begin[b];
        return dur[a] != dur[b] ? dur[a] > dur[b] : inner(a, b);
    };
    for (size_t i = 0; i < track_count; ++i) {
        auto first = order.begin() + static_cast<std::ptrdiff_t>(start[i]);
        auto last = order.begin() + static_cast<std::ptrdiff_t>(start[i + 1]);
        sort_rows(first, last, before);
    }
    return order;
}

template <class T>
void permute(std::vector<T>& column, const std::vector<uint32_t>& order) {
    std::vector<T> sorted(column.size());
    for (size_t i = 0; i < order.size(); ++i)
        sorted[i] = column[order[i]];
    column = std::move(sorted);
}

// Where each row went.
std::vector<uint32_t> inverse(const std::vector<uint32_t>& order) {
    std::vector<uint32_t> place(order.size());
    for (uint32_t i = 0; i < order.size(); ++i)
        place[order[i]] = i;
    return place;
}

template <class Entry>
void follow(std::vector<Entry>& entries, const std::vector<uint32_t>& place) {
    for (Entry& entry : entries)
        entry.row = place[entry.row];
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.row < b.row; });
}

// Entries by the row of their span: linear, since each row has at most one.
std::vector<uint32_t> by_row(const std::vector<uint32_t>& rows, size_t row_count) {
    constexpr uint32_t kNone = UINT32_MAX;
    std::vector<uint32_t> entry_of(row_count, kNone);
    for (uint32_t i = 0; i < rows.size(); ++i)
        entry_of[rows[i]] = i;
    std::erase(entry_of, kNone);
    return entry_of;
}

void order_nvtx(NvtxRanges& n, const HostSpans& h, const std::vector<uint32_t>& place) {
    for (uint32_t& row : n.row)
        row = place[row];
    std::vector<uint32_t> order = by_row(n.row, h.size());
    const auto before = [&](uint32_t a, uint32_t b) {
        const uint32_t x = n.row[a], y = n.row[b];
        if (n.track[a] != n.track[b]) return n.track[a] < n.track[b];
        if (h.begin[x] != h.begin[y]) return h.begin[x] < h.begin[y];
        return h.dur[x] > h.dur[y];
    };
    // Only ranges that cross threads have their spans elsewhere.
    if (!std::is_sorted(order.begin(), order.end(), before))
        std::stable_sort(order.begin(), order.end(), before);
    permute(n.row, order);
    permute(n.track, order);
    permute(n.end_track, order);
    permute(n.text, order);
    permute(n.attributes, order);
}

void order_counters(OpCounters& c, const std::vector<uint32_t>& place) {
    for (uint32_t& row : c.row)
        row = place[row];
    const std::vector<uint32_t> order = by_row(c.row, place.size());
    permute(c.row, order);
    for (std::vector<int64_t>& values : c.slots)
        if (!values.empty()) permute(values, order);
}

void order_host(Profile& p) {
    HostSpans& h = p.host;
    const size_t track_count = p.tracks.size();
    const std::vector<uint32_t> order =
        final_order(h.track, h.begin, h.dur, track_count,
                    [&h](uint32_t a, uint32_t b) { return inwardness(h.kind[a]) < inwardness(h.kind[b]); });
    TaskGroup half;
    half.start([&] {
        permute(h.begin, order);
        permute(h.track, order);
        permute(h.name, order);
    });
    permute(h.dur, order);
    permute(h.kind, order);
    permute(h.flags, order);
    permute(h.detail, order);
    half.join();
    if (p.nvtx.size() == 0 && p.nvtx_payloads.empty() && p.messages.empty() && p.call_chains.empty() &&
        p.op_counters.size() == 0)
        return;
    const std::vector<uint32_t> place = inverse(order);
    order_nvtx(p.nvtx, h, place);
    follow(p.nvtx_payloads, place);
    follow(p.messages, place);
    follow(p.call_chains, place);
    order_counters(p.op_counters, place);
}

void order_extras(DeviceExtras& e, const std::vector<uint32_t>& place) {
    for (uint32_t& row : e.row)
        row = place[row];
    const std::vector<uint32_t> order = by_row(e.row, place.size());
    permute(e.row, order);
    permute(e.graph, order);
    permute(e.graph_node, order);
    permute(e.green_context, order);
    permute(e.address, order);
    permute(e.event, order);
}

void order_device(Profile& p) {
    DeviceSpans& d = p.device;
    const size_t track_count = p.tracks.size();
    const std::vector<uint32_t> order =
        final_order(d.track, d.begin, d.dur, track_count, [](uint32_t, uint32_t) { return false; });
    permute(d.begin, order);
    permute(d.dur, order);
    permute(d.track, order);
    permute(d.name, order);
    permute(d.kind, order);
    permute(d.flags, order);
    permute(d.correlation, order);
    permute(d.external_id, order);
    permute(d.config, order);
    permute(d.bytes, order);
    permute(d.collective, order);
    permute(d.transfer, order);
    if (!d.collective_numbers.empty()) {
        d.collective_numbers.resize(d.size(), -1);
        permute(d.collective_numbers, order);
    }
    if (!d.exchanges.empty()) {
        d.exchanges.resize(d.size());
        permute(d.exchanges, order);
    }
    if (!d.ranges.empty()) {
        d.ranges.resize(d.size());
        permute(d.ranges, order);
    }
    if (p.device_extras.size() == 0 && p.told_work.size() == 0) return;
    const std::vector<uint32_t> place = inverse(order);
    order_extras(p.device_extras, place);
    for (uint32_t& row : p.told_work.row)
        row = place[row];
    const std::vector<uint32_t> by_rows = by_row(p.told_work.row, place.size());
    permute(p.told_work.row, by_rows);
    permute(p.told_work.op, by_rows);
}

struct Range {
    int64_t first = std::numeric_limits<int64_t>::max();
    int64_t last = std::numeric_limits<int64_t>::min();
    void take(int64_t begin, int64_t end) {
        first = std::min(first, begin);
        last = std::max(last, end);
    }
};

void shift(std::vector<int64_t>& times, int64_t by) {
    for (int64_t& time : times)
        time -= by;
}

// What the program did; what the profiler does itself where that counts, too.
void take_work(const Profile& p, bool of_profiler, Range& range) {
    for (size_t i = 0; i < p.host.size(); ++i)
        if (p.tracks[p.host.track[i].index()].kind != TrackKind::kOther &&
            (of_profiler || p.host.kind[i] != HostKind::kOverhead))
            range.take(p.host.begin[i], p.host.begin[i] + p.host.dur[i]);
    for (size_t i = 0; i < p.device.size(); ++i)
        range.take(p.device.begin[i], p.device.begin[i] + p.device.dur[i]);
    for (const int64_t time : p.memory.time)
        range.take(time, time);
}

// Rows of the source without thread or stream (the trace's own "record window") do not stretch the profile,
// unless there is nothing else.
void move_to_origin(Profile& p) {
    Range range;
    take_work(p, true, range);
    for (int64_t time : p.counters.time)
        range.take(time, time);
    for (int64_t time : p.samples.time)
        range.take(time, time);
    for (const PageFault& fault : p.page_faults)
        range.take(fault.time, fault.time + fault.dur);
    if (range.first > range.last)
        for (size_t i = 0; i < p.host.size(); ++i)
            range.take(p.host.begin[i], p.host.begin[i] + p.host.dur[i]);
    if (range.first > range.last) range = {0, 0};

    shift(p.host.begin, range.first);
    shift(p.device.begin, range.first);
    shift(p.memory.time, range.first);
    shift(p.counters.time, range.first);
    shift(p.samples.time, range.first);
    for (FlowEnd& flow : p.flows)
        flow.time -= range.first;
    for (PageFault& fault : p.page_faults)
        fault.time -= range.first;
    for (GraphNode& node : p.graph_nodes)
        node.time -= range.first;
    for (Rank& rank : p.ranks)
        if (rank.kept_from_ns) *rank.kept_from_ns -= range.first;
    for (RecordingPause& pause : p.pauses) {
        pause.begin -= range.first;
        pause.end -= range.first;
    }
    std::sort(p.pauses.begin(), p.pauses.end(), [](const RecordingPause& a, const RecordingPause& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.begin < b.begin;
    });
    p.info.origin_ns += range.first;
    p.info.begin_ns = 0;
    p.info.end_ns = range.last - range.first;
}

// They last until the last work of the program. What the profiler does after that, and the counters that it
// reads until then, are none of it.
void end_unfinished(Profile& p) {
    const auto unfinished = [](uint8_t flags) { return (flags & kUnfinished) != 0; };
    if (std::none_of(p.host.flags.begin(), p.host.flags.end(), unfinished)) return;
    Range range;
    take_work(p, false, range);
    const int64_t end = range.first <= range.last ? range.last : p.info.end_ns;
    for (size_t i = 0; i < p.host.size(); ++i)
        if (p.host.flags[i] & kUnfinished) p.host.dur[i] = std::max<int64_t>(0, end - p.host.begin[i]);
}

}  // namespace

void order_profile(Profile& p) {
    move_to_origin(p);
    end_unfinished(p);
    TaskGroup device;
    device.start([&] { order_device(p); });
    order_host(p);
    device.join();
}

}  // namespace opsight
