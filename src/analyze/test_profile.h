// A few words to build small profiles with, for the tests of this room. Times are in ns.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "model/profile_builder.h"

namespace opsight::analyze {

class TestProfile {
  public:
    TestProfile() { rank_ = builder.begin_rank(Rank{.number = 0, .number_known = true}); }

    RankId add_rank(int64_t number) {
        return rank_ = builder.begin_rank(Rank{.number = number, .number_known = true});
    }
    TrackId thread(int64_t tid = 1, int64_t pid = 100) { return builder.host_track(rank_, pid, tid); }
    TrackId stream(int64_t stream = 7, int64_t device = 0) {
        return builder.stream_track(TrackKind::kDeviceStream, builder.device(rank_, device), 1, stream);
    }
    Device& gpu(int64_t number, std::string_view name, int major, int minor) {
        Device& device = builder.device_info(builder.device(rank_, number));
        device.name = name;
        device.compute_major = major;
        device.compute_minor = minor;
        return device;
    }

    void op(std::string_view name, int64_t begin, int64_t dur, TrackId track, OpDetail detail = {}) {
        builder.add_op(span(name, begin, dur, track, HostKind::kOp), detail);
    }
    void op(std::string_view name, int64_t begin, int64_t dur) { op(name, begin, dur, thread()); }
    void host(HostKind kind, std::string_view name, int64_t begin, int64_t dur, TrackId track) {
        builder.add_host(span(name, begin, dur, track, kind));
    }
    void annotation(std::string_view name, int64_t begin, int64_t dur, TrackId track) {
        host(HostKind::kAnnotation, name, begin, dur, track);
    }
    void api(std::string_view name, int64_t begin, int64_t dur, TrackId track, int64_t correlation = -1) {
        builder.add_api(span(name, begin, dur, track, HostKind::kRuntimeApi), correlation);
    }
    void kernel(std::string_view name, int64_t begin, int64_t dur, TrackId track, int64_t correlation = -1,
                DeviceKind kind = DeviceKind::kKernel) {
        DeviceSpan s;
        s.begin = begin;
        s.dur = dur;
        s.track = track;
        s.name = builder.text(name);
        s.kind = kind;
        s.correlation = correlation;
        builder.add_device(s);
    }
    void device(DeviceSpan span, std::string_view name) {
        span.name = builder.text(name);
        builder.add_device(span);
    }
    Profile finish() { return std::move(builder).finish(); }

    ProfileBuilder builder;

  private:
    HostSpan span(std::string_view name, int64_t begin, int64_t dur, TrackId track, HostKind kind) {
        return {begin, dur, track, builder.text(name), kind, 0};
    }
    RankId rank_;
};

// Row of the n-th host span of that name.
inline uint32_t host_row(const Profile& p, std::string_view name, size_t nth = 0) {
    for (uint32_t row = 0; row < p.host.size(); ++row)
        if (p.strings.view(p.host.name[row]) == name && nth-- == 0) return row;
    return HostSpanId::kNone;
}

}  // namespace opsight::analyze
