#include "import/snapshot/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/time.h"
#include "import/snapshot/device_trace.h"
#include "import/snapshot/pickle.h"
#include "import/text/clean_text.h"
#include "model/source_limits.h"

namespace opsight::importer::snapshot {
namespace {

using Value = Pickle::Value;

constexpr size_t kMostFrames = 256, kLongestName = 4096, kLongestStack = 65536;
constexpr int64_t kMostDevices = 4096;
constexpr int64_t kMicrosecond = 1000;  // in ns
constexpr int32_t kCuda = 1;            // c10::DeviceType; PyTorch calls AMD's devices so, too

std::string size(int64_t bytes) {
    const double mib = static_cast<double>(bytes) / (1 << 20);
    return mib < 1024 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.2f} GiB", mib / 1024);
}

class Import {
  public:
    Import(const OneFile& file, const Pickle& pickle, ProfileBuilder& builder)
        : file_(file), pickle_(pickle), builder_(builder) {}

    Result<ImportFacts> run() {
        const std::vector<DeviceTrace> traces = read_traces(pickle_);
        rank_ = file_.begin_rank(builder_);
        builder_.info().sources.push_back(file_.name);
        if (builder_.info().producer.empty()) builder_.info().producer = "PyTorch memory snapshot";
        if (builder_.info().frameworks.empty()) builder_.info().frameworks.emplace_back("PyTorch");
        for (const DeviceTrace& trace : traces) {
            if (trace.device < 0 || trace.device > kMostDevices) {
                note(Diag::kBadEvent, 0, fmt::format("memory of the device {}", trace.device));
                continue;
            }
            take(trace);
        }
        take_annotations();
        if (events_ == 0)
            return fail("is a snapshot of PyTorch's memory that holds no allocation", file_.name, {},
                        "call torch.cuda.memory._record_memory_history() before the work, and "
                        "_dump_snapshot() behind it");
        file_.tell_progress();
        return ImportFacts{1, pickle_.bytes(), events_};
    }

  private:
    void note(Diag diag, int64_t time, std::string what) {
        builder_.diagnostics().add(diag, {file_.name, -1, time, std::move(what)});
    }

    void take(const DeviceTrace& trace) {
        builder_.device_info(builder_.device(rank_, trace.device)).declared = true;
        track_ = builder_.other_track(rank_, "memory", fmt::format("allocator of GPU {}", trace.device));
        allocated_ = 0;
        reserved_ = trace.reserved_before;
        const int64_t scale = trace.timed ? kMicrosecond : 1;
        if (!trace.timed) set_durations_only(builder_.info());
        for (const Change& change : trace.held_before)
            put(trace, change, scale);
        for (const Change& change : trace.changes)
            put(trace, change, scale);
        for (const OutOfMemory& each : trace.out_of_memory)
            put(each, scale);
        say_what_is_odd(trace);
    }

    void put(const DeviceTrace& trace, const Change& change, int64_t scale) {
        MemoryEvent event;
        if (!to_ns(change.time_us, scale, event.time) ||
            __builtin_add_overflow(allocated_, change.bytes, &allocated_) ||
            __builtin_add_overflow(reserved_, change.reserved_bytes, &reserved_))
            return note(Diag::kBadTime, 0,
                        "a change of memory at an impossible time or of an impossible size");
        event.track = track_;
        event.address = static_cast<int64_t>(change.address);
        event.bytes = change.bytes;
        event.total_allocated = std::max<int64_t>(0, allocated_);
        event.total_reserved = std::max<int64_t>(0, reserved_);
        event.device_type = kCuda;
        event.device = static_cast<int32_t>(trace.device);
        event.stack = stack_of(change.frames);
        builder_.add_memory(event);
        ++events_;
    }

    void put(const OutOfMemory& each, int64_t scale) {
        HostSpan span;
        if (!to_ns(each.time_us, scale, span.begin)) return note(Diag::kBadTime, 0, "an end of memory");
        span.track = track_;
        span.kind = HostKind::kOther;
        span.flags = kInstant;
        const std::string free = each.device_free < 0
                                     ? std::string()
                                     : fmt::format(", {} free on the device", size(each.device_free));
        span.name = builder_.text(fmt::format("out of memory: {} asked for{}", size(each.bytes), free));
        builder_.add_host(span, builder_.text("allocator").value);
        if (const StringId stack = stack_of(each.frames); stack.value != 0) builder_.extend_call_chain(stack);
        ++events_;
    }

    static bool to_ns(int64_t time, int64_t scale, int64_t& ns) {
        return !__builtin_mul_overflow(time, scale, &ns) && ns >= -kMaxNs && ns <= kMaxNs;
    }

    // "forward (model.py:31)", from the function that asked outwards, one a line. One long name may stand in
    // many frames.
    StringId stack_of(Value frames) {
        if (frames == Pickle::kNone) return StringId(0);
        const auto [place, first] = stacks_.try_emplace(frames, StringId(0));
        if (!first) return place->second;
        std::string text;
        const auto items = pickle_.items(frames);
        for (size_t i = 0; i < std::min(items.size(), kMostFrames) && text.size() < kLongestStack; ++i) {
            const std::string name = text_at(items[i], "name"), file = text_at(items[i], "filename");
            const int64_t line = pickle_.integer(pickle_.at(items[i], "line"), 0);
            if (name.empty() && file.empty()) continue;
            text += text.empty() ? "" : "\n";
            text += name;
            if (!file.empty() && file != "??") text += fmt::format(" ({}:{})", file, line);
        }
        return place->second = builder_.text(text);
    }

    std::string text_at(Value dict, std::string_view key) {
        std::string text(pickle_.text(pickle_.at(dict, key)).substr(0, kLongestName));
        if (!is_clean(text) && clean_text(text)) note(Diag::kUncleanText, 0, text);
        return text;
    }

    // Ranges of record_function, where the recording was asked to keep them.
    void take_annotations() {
        std::map<std::string, std::vector<int64_t>> open;
        for (const Value each : pickle_.items(pickle_.at(pickle_.root(), "external_annotations"))) {
            const std::string name = text_at(each, "name");
            const std::string_view stage = pickle_.text(pickle_.at(each, "stage"));
            int64_t time = 0;
            if (name.empty() ||
                !to_ns(pickle_.integer(pickle_.at(each, "time_us"), INT64_MAX), kMicrosecond, time)) {
                note(Diag::kBadEvent, 0, "an annotation without name or time");
            } else if (stage == "START") {
                open[name].push_back(time);
            } else if (std::vector<int64_t>& begins = open[name]; begins.empty()) {
                note(Diag::kEndWithoutBegin, time, name);
            } else {
                put_annotation(name, begins.back(), time);
                begins.pop_back();
            }
        }
        for (const auto& [name, begins] : open)
            for (const int64_t begin : begins)
                note(Diag::kMissingEnd, begin, fmt::format("the annotation '{}'", name));
    }

    void put_annotation(std::string_view name, int64_t begin, int64_t end) {
        HostSpan span;
        span.track = builder_.other_track(rank_, "memory", "annotations");
        span.kind = HostKind::kAnnotation;
        span.name = builder_.text(name);
        span.begin = begin;
        span.dur = std::max<int64_t>(0, end - begin);
        builder_.add_host(span);
        ++events_;
    }

    void say_what_is_odd(const DeviceTrace& trace) {
        if (trace.unread > 0)
            note(Diag::kUnreadRow, 0,
                 fmt::format("{} entries of GPU {} that are of no known action", trace.unread, trace.device));
        if (!trace.timed)
            note(Diag::kReplacedValue, 0,
                 fmt::format("the entries of GPU {} tell no times: one ns stands for each", trace.device));
        if (trace.unexplained != 0)
            note(Diag::kReplacedValue, 0,
                 fmt::format("GPU {}: the allocations and frees that are told end with {} bytes {} than were "
                             "held at the "
                             "snapshot; some were not recorded",
                             trace.device, std::abs(trace.unexplained),
                             trace.unexplained > 0 ? "less" : "more"));
    }

    const OneFile& file_;
    const Pickle& pickle_;
    ProfileBuilder& builder_;
    RankId rank_;
    TrackId track_;
    std::unordered_map<Value, StringId> stacks_;
    int64_t allocated_ = 0, reserved_ = 0;
    uint64_t events_ = 0;
};

}  // namespace

Result<ImportFacts> import_snapshot(const OneFile& file, ProfileBuilder& builder) {
    OPSIGHT_ASSIGN(const Pickle pickle, Pickle::read(file.source));
    if (pickle.at(pickle.root(), "segments") == Pickle::kNone)
        return fail("is a Python pickle without the segments of a snapshot of PyTorch's memory", file.name,
                    {}, "give what torch.cuda.memory._dump_snapshot() wrote");
    return Import(file, pickle, builder).run();
}

}  // namespace opsight::importer::snapshot
