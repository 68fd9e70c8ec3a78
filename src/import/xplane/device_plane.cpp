#include "import/xplane/device_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include <absl/container/flat_hash_set.h>

#include "base/text.h"
#include "import/xplane/details.h"
#include "import/xplane/plane_ops.h"

namespace opsight::importer::xplane {
namespace {

constexpr std::string_view kStreamName = "Stream #";

enum class LineKind : uint8_t { kStream, kOps, kAsyncOps, kSteps, kView };

LineKind kind_of(const Line& line, DeviceType type) {
    if (type == DeviceType::kGpu && line.name.starts_with(kStreamName)) return LineKind::kStream;
    if (type == DeviceType::kTpu && (line.name == "XLA Ops" || line.name == "Sparse Core Ops"))
        return LineKind::kOps;
    if (type == DeviceType::kTpu && line.name == "Async XLA Ops") return LineKind::kAsyncOps;
    return line.name == "Steps" || line.name == "Sparse Core Steps" ? LineKind::kSteps : LineKind::kView;
}

// "Stream #14(Compute,Memset)": its number, and what lies in brackets as its name.
int64_t stream_number(const Line& line, std::string_view& label) {
    const std::string_view rest = line.name.substr(kStreamName.size());
    int64_t number = line.id;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    label = rest.substr(static_cast<size_t>(end - rest.data()));
    if (label.starts_with('(') && label.ends_with(')')) label = label.substr(1, label.size() - 2);
    return error == std::errc() ? number : line.id;
}

int64_t whole(double value, double factor) {
    constexpr double kMost = 9e18;
    const double scaled = value * factor;
    return scaled > 0 && scaled < kMost ? static_cast<int64_t>(scaled) : 0;
}

void describe(const Plane& plane, DeviceType type, Device& device) {
    device.declared = true;
    std::string_view vendor, name;
    for (const auto& [stat, value] : plane.stats()) {
        if (stat == Stat::kVendor) vendor = value.text;
        if (stat == Stat::kDeviceName || stat == Stat::kDeviceType) name = value.text;
        if (stat == Stat::kClockKhz) device.clock_hz = whole(value.real, 1e3);
        if (stat == Stat::kCoreCount) device.sm_count = whole(value.real, 1);
        if (stat == Stat::kMemoryBandwidth) device.memory_bandwidth = whole(value.real, 1);
        if (stat == Stat::kMemoryBytes) device.memory_bytes = whole(value.real, 1);
        if (stat == Stat::kPeakBandwidth) device.memory_bandwidth = whole(value.real, 1e9);
        if (stat == Stat::kPeakTeraflops && value.real > 0 && value.real < 1e12)
            device.matrix_flops = value.real * 1e12;
        const bool small = value.integer >= 0 && value.integer < 1000;
        if (stat == Stat::kMajor && small) device.compute_major = static_cast<int>(value.integer);
        if (stat == Stat::kMinor && small) device.compute_minor = static_cast<int>(value.integer);
    }
    const std::string_view kind = type == DeviceType::kTpu ? "TPU" : "GPU";
    device.name = name.empty()
                      ? fmt::format("{}{}{}", vendor.empty() && type == DeviceType::kTpu ? "Google" : vendor,
                                    vendor.empty() && type == DeviceType::kGpu ? "" : " ", kind)
                      : std::string(name);
    if (device.name == "GPU") device.name.clear();
}

// Of a list of intervals in which some hold others, those that are not to count, so that no time counts
// twice: of loops, branches and calls the outer one, of anything else what lies within it.
class Nesting {
  public:
    void add(int64_t begin, int64_t dur, bool is_control) {
        spans_.push_back({begin, begin + dur, spans_.size(), is_control});
    }
    std::vector<bool> not_counted() {
        std::vector<bool> out(spans_.size(), false);
        std::stable_sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
        });
        std::vector<const Span*> open;
        for (const Span& span : spans_) {
            while (!open.empty() && open.back()->end <= span.begin)
                open.pop_back();
            const bool within = !open.empty() && span.end > span.begin && span.end <= open.back()->end &&
                                span.end - span.begin < open.back()->end - open.back()->begin;
            if (within && open.back()->is_control) out[open.back()->index] = true;
            if (within && !open.back()->is_control) {
                out[span.index] = true;
                continue;
            }
            open.push_back(&span);
        }
        return out;
    }

  private:
    struct Span {
        int64_t begin, end;
        size_t index;
        bool is_control;
    };
    std::vector<Span> spans_;
};

bool is_control(std::string_view kind) {
    return kind.starts_with("while") || kind.starts_with("conditional") || kind.starts_with("call");
}

// "%copy-start.4" of "%copy-start.4 = (...) copy-start(f32[8]{0} %p)".
std::string_view result_of(std::string_view text) {
    return text.substr(0, text.find(" = "));
}

// Ops that the core only starts, and later waits for: when each of them ends, by its number in the line. That
// is how profilers make the line of asynchronous ops, which not all devices have. An op is not started again
// before it is waited for: where it is, that was not recorded.
class AsyncEnds {
  public:
    void add(size_t index, const Event& event, std::string_view kind) {
        if (kind.ends_with("-start")) open_[result_of(event.name)] = {index, event.begin};
        if (!kind.ends_with("-done")) return;
        const size_t operand = event.name.rfind('%');
        if (operand == 0 || operand == event.name.npos) return;  // the instruction is not told
        const std::string_view rest = event.name.substr(operand);
        const auto started = open_.find(rest.substr(0, rest.find_first_of(", )")));
        if (started == open_.end()) return;
        const Started begun = started->second;
        open_.erase(started);
        if (event.begin + event.dur >= begun.begin) ends_[begun.index] = event.begin + event.dur;
    }
    std::optional<int64_t> of(size_t index) const {
        const auto found = ends_.find(index);
        return found == ends_.end() ? std::nullopt : std::optional(found->second);
    }

  private:
    struct Started {
        size_t index = 0;
        int64_t begin = 0;
    };
    absl::flat_hash_map<std::string_view, Started> open_;
    absl::flat_hash_map<size_t, int64_t> ends_;
};

class Work {
  public:
    Work(const Plane& plane, const DevicePlane& device, Sink& sink)
        : plane_(plane), sink_(sink), ops_(plane, sink), type_(device.type), part_(device.part) {
        device_ = sink.builder.device(sink.rank, device.number);
        // A TPU's further cores describe themselves again.
        if (part_.empty()) describe(plane, type_, sink.builder.device_info(device_));
        sink.has_tpu |= type_ == DeviceType::kTpu;
        // Further cores have lines of the same numbers.
        context_ = part_.empty() ? 0 : static_cast<int64_t>(sink.text(part_).value);
    }

    void run() {
        for (const Line& line : plane_.lines())
            if (kind_of(line, type_) == LineKind::kAsyncOps) find_asynchronous(line);
        for (const Line& line : plane_.lines()) {
            if (line.events.empty()) continue;
            switch (kind_of(line, type_)) {
                case LineKind::kStream:
                    add_stream(line);
                    break;
                case LineKind::kOps:
                    add_ops(line);
                    break;
                case LineKind::kAsyncOps: {
                    const TrackId track = track_of(line, TrackKind::kDeviceStream);
                    sink_.each_event(plane_, line, [&](const Event& event) { add_async(event, track); });
                    break;
                }
                case LineKind::kSteps:
                    add_steps(line);
                    [[fallthrough]];
                case LineKind::kView:
                    add_view(line);
                    break;
            }
        }
    }

  private:
    TrackId track_of(const Line& line, TrackKind kind) {
        std::string_view label = line.name;
        int64_t number = line.id;
        if (line.name.starts_with(kStreamName)) number = stream_number(line, label);
        const TrackId track = sink_.builder.stream_track(kind, device_, context_, number);
        Track& facts = sink_.builder.track(track);
        if (facts.name.value == 0 || !facts.name.valid())
            facts.name = sink_.text(part_.empty() ? std::string(label) : fmt::format("{} {}", part_, label));
        return track;
    }

    DeviceSpan span_of(const Event& event, TrackId track, DeviceKind kind, StringId name) {
        DeviceSpan span;
        span.begin = event.begin;
        span.dur = event.dur;
        span.track = track;
        span.kind = kind;
        span.name = name;
        span.correlation = event.facts.correlation;
        return span;
    }

    void add(const DeviceSpan& span, const Event& event) {
        sink_.builder.add_device(span);
        if (const ToldOpId op = ops_.op_of(event); op.valid()) sink_.builder.extend_device(op);
    }

    void add_stream(const Line& line) {
        const TrackId track = track_of(line, TrackKind::kDeviceStream);
        sink_.each_event(plane_, line, [&](const Event& event) {
            const Facts& facts = event.facts;
            if (!facts.copy.empty() || event.name.starts_with("Memcpy")) return add_copy(event, track);
            if (!facts.set.empty() || event.name.starts_with("Memset")) return add_set(event, track);
            std::string_view name = event.name;
            if (name.ends_with(".kd")) name.remove_suffix(3);  // ROCm: the descriptor of a kernel
            DeviceSpan span = span_of(event, track, DeviceKind::kKernel, sink_.text(name));
            if (!facts.kernel.empty()) span.config = config_of(facts.kernel);
            add(span, event);
        });
    }

    LaunchConfigId config_of(std::string_view details) {
        const auto [it, is_new] = configs_.try_emplace(details.data());
        if (is_new) {
            bool odd = false;
            it->second = sink_.builder.launch_config(read_launch(details, odd));
            if (odd) sink_.note(Diag::kReplacedValue, "registers and shared memory of kernels are not told");
        }
        return it->second;
    }

    void add_copy(const Event& event, TrackId track) {
        const Copy copy = read_copy(event.name, event.facts.copy);
        DeviceSpan span = span_of(event, track, DeviceKind::kMemcpy, sink_.text(name_of_copy(copy.transfer)));
        span.bytes = copy.bytes;
        span.transfer = sink_.builder.transfer(copy.transfer);
        add(span, event);
    }

    void add_set(const Event& event, TrackId track) {
        Copy set = read_copy({}, event.facts.set);
        set.transfer.copy = CopyKind::kUnspecified;
        DeviceSpan span = span_of(event, track, DeviceKind::kMemset, sink_.text(name_of_set(set.transfer)));
        span.bytes = set.bytes;
        span.transfer = sink_.builder.transfer(set.transfer);
        add(span, event);
    }

    // The core does one op after another; those whose name ends with "-done" wait for what runs beside.
    void add_ops(const Line& line) {
        const TrackId track = track_of(line, TrackKind::kDeviceStream);
        Nesting nesting;
        AsyncEnds ends;
        size_t number = 0;
        sink_.each_event(plane_, line, [&](const Event& event) {
            nesting.add(event.begin, event.dur, is_control(ops_.kind_of(event)));
            if (asynchronous_.empty()) ends.add(number, event, ops_.kind_of(event));
            ++number;
        });
        const std::vector<bool> not_counted = nesting.not_counted();
        size_t index = 0;
        Event event;
        for (const std::string_view bytes : line.events) {
            const Unusable why = plane_.read_event(line, bytes, event);
            if (why != Unusable::kNo && why != Unusable::kNegative) continue;  // noted above
            const size_t at = index++;
            if (const std::optional<int64_t> end = ends.of(at)) {
                event.dur = *end - event.begin;
                add_async(event, async_track());
            } else if (not_counted[at] || asynchronous_.contains(event.name)) {
                add_range(event, track_of(line, TrackKind::kDeviceAnnotation));
            } else {
                add_op(event, track);
            }
        }
    }

    void add_op(const Event& event, TrackId track) {
        const bool waits = ops_.kind_of(event).ends_with("-done");
        DeviceSpan span =
            span_of(event, track, waits ? DeviceKind::kSync : DeviceKind::kKernel, ops_.text_of(event));
        if (!waits) span.collective = ops_.collective_of(event);
        add(span, event);
    }

    // What the core only starts is counted once, by the line that has how long it takes.
    void find_asynchronous(const Line& line) {
        Event event;
        for (const std::string_view bytes : line.events)
            if (const Unusable why = plane_.read_event(line, bytes, event);
                why == Unusable::kNo || why == Unusable::kNegative)
                asynchronous_.insert(event.name);
    }

    // The line of asynchronous ops, also where it is empty or missing.
    TrackId async_track() {
        int64_t next = 0;
        for (const Line& line : plane_.lines()) {
            if (kind_of(line, type_) == LineKind::kAsyncOps) return track_of(line, TrackKind::kDeviceStream);
            next = std::max(next, line.id + (line.id < INT64_MAX));
        }
        Line line;
        line.id = next;
        line.name = "Async XLA Ops";
        return track_of(line, TrackKind::kDeviceStream);
    }

    // Copies and collectives that run while the core computes.
    void add_async(const Event& event, TrackId track) {
        const CollectiveId collective = ops_.collective_of(event);
        const std::string_view kind = ops_.kind_of(event);
        if (collective.valid() || (!kind.starts_with("copy") && !kind.starts_with("async-copy"))) {
            DeviceSpan span = span_of(event, track, DeviceKind::kKernel, ops_.text_of(event));
            span.collective = collective;
            return add(span, event);
        }
        Transfer transfer;
        transfer.copy = direction_of(event.name);
        DeviceSpan span = span_of(event, track, DeviceKind::kMemcpy, sink_.text(name_of_copy(transfer)));
        span.bytes = event.facts.bytes_accessed;
        span.transfer = sink_.builder.transfer(transfer);
        add(span, event);
    }

    // XLA's memory space 5 is the host's: "(f32[8]{0:T(8)}, f32[8]{0:T(8)S(5)}, ...) copy-start(...)" holds
    // the copy first, then what is copied.
    static CopyKind direction_of(std::string_view text) {
        const size_t parted = text.find("}, ");
        if (parted == text.npos) return CopyKind::kUnknown;
        const size_t end = text.find('}', parted + 1);
        const bool to_host = text::contains(text.substr(0, parted), "S(5)");
        const bool from_host = text::contains(text.substr(parted, end - parted), "S(5)");
        if (to_host && from_host) return CopyKind::kHostToHost;
        if (to_host) return CopyKind::kDeviceToHost;
        return from_host ? CopyKind::kHostToDevice : CopyKind::kDeviceToDevice;
    }

    void add_steps(const Line& line) {
        std::vector<Step> steps;
        sink_.each_event(plane_, line, [&](const Event& event) {
            --sink_.events;  // they come again as ranges
            int64_t number = event.facts.step;
            const std::string_view name = event.name;
            if (number < 0) std::from_chars(name.data(), name.data() + name.size(), number);
            if (number < 0) number = std::ssize(steps);
            steps.push_back({event.begin, event.dur, number, {}, {}});
        });
        sink_.device_steps.push_back(std::move(steps));
    }

    void add_view(const Line& line) {
        const TrackId track = track_of(line, TrackKind::kDeviceAnnotation);
        std::vector<Step> runs;
        sink_.each_event(plane_, line, [&](const Event& event) {
            add_range(event, track);
            if (line.name != "XLA Modules") return;
            const std::string_view program = program_of(event.name).first;
            runs.push_back(
                {event.begin, event.dur, -1, {}, std::string(program.empty() ? event.name : program)});
        });
        if (!runs.empty()) sink_.program_runs.push_back(std::move(runs));
    }

    void add_range(const Event& event, TrackId track) {
        sink_.builder.add_device(span_of(event, track, DeviceKind::kAnnotation, ops_.text_of(event)));
    }

    const Plane& plane_;
    Sink& sink_;
    PlaneOps ops_;
    const DeviceType type_;
    const std::string_view part_;
    DeviceId device_;
    int64_t context_ = 0;
    absl::flat_hash_map<const char*, LaunchConfigId> configs_;
    absl::flat_hash_set<std::string_view> asynchronous_;  // names of events
};

}  // namespace

DevicePlane device_of_name(std::string_view name) {
    DevicePlane plane;
    for (const auto& [prefix, type] : {std::pair{std::string_view("/device:GPU:"), DeviceType::kGpu},
                                       std::pair{std::string_view("/device:TPU:"), DeviceType::kTpu}}) {
        if (!name.starts_with(prefix)) continue;
        const std::string_view rest = name.substr(prefix.size());
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), plane.number);
        if (error != std::errc() || plane.number < 0) continue;
        plane.type = type;
        plane.part = rest.substr(static_cast<size_t>(end - rest.data()));
        if (plane.part.starts_with(' ')) plane.part.remove_prefix(1);
    }
    return plane;
}

void read_device_plane(const Plane& plane, const DevicePlane& device, Sink& sink) {
    Work(plane, device, sink).run();
}

}  // namespace opsight::importer::xplane
