#include "import/rocprof/chrome.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/time.h"
#include "import/kineto/json_events.h"
#include "import/rocprof/chrome_rows.h"
#include "import/rocprof/markers.h"
#include "import/rocprof/told.h"
#include "model/source_limits.h"

namespace opsight::importer::rocprof {
namespace {

using kineto::text_of;
using simdjson::dom::object;

// A complete event.
struct Span {
    int64_t begin = 0, dur = 0;         // ns
    int64_t row = 0, tid = 0, us = -1;  // as the arrows name it
    int64_t process = 0, device = -1, queue = 0;
    int64_t correlation = -1;
    bool of_counters = false;  // of the table of kernels with their counters, not of the device's queue
    StringId name;
    LaunchConfig config;
};

// An arrow's end.
struct Arrow {
    int64_t row = 0, tid = 0, us = 0;
};

class ChromeImport {
  public:
    ChromeImport(const OneFile& file, ProfileBuilder& builder)
        : file_(file), json_(file, builder), builder_(builder), rank_(file.begin_rank(builder)) {}

    Result<ImportFacts> run() {
        OPSIGHT_TRY(json_.each([this](const object& event) { take(event); }));
        if (spans_.empty())
            return fail("is a trace of rocprof without a call, kernel or copy", file_.name, {},
                        "record with 'rocprof --sys-trace -- ...'");
        link();
        leave_out_doubles();
        for (const Span& span : spans_)
            add(span);
        roctx_.finish(builder_);
        json_.note_end();
        builder_.info().producer = "rocprof";
        set_kernels_of_cuda_or_hip(builder_.info());
        builder_.info().sources.push_back(file_.name);
        return ImportFacts{1, json_.bytes(), spans_.size()};
    }

  private:
    void take(const object& event) {
        const std::string_view phase = text_of(event, "ph");
        object args;
        const bool has_args = event["args"].get(args) == simdjson::SUCCESS;
        if (phase == "M" && text_of(event, "name") == "process_name" && has_args) {
            const std::string_view name = text_of(args, "name");
            rows_[number_in(event, "pid").value_or(-1)] = {row_of_name(name), intern(name)};
        } else if (phase == "X" && has_args) {
            take_span(event, args);
        } else if (phase == "s" || phase == "t") {
            const Arrow arrow = {number_in(event, "pid").value_or(-1), number_in(event, "tid").value_or(0),
                                 number_in(event, "ts").value_or(-1)};
            const int64_t id = number_in(event, "id").value_or(-1);
            (phase == "s" ? arrows_from_ : arrows_to_).emplace(id, arrow);
        } else if (!phase.empty() && phase != "M") {
            json_.note(phase == "X" ? Diag::kBadEvent : Diag::kUnknownPhase, phase);
        }
    }

    void take_span(const object& event, const object& args) {
        const int64_t begin = number_in(args, "BeginNs").value_or(-1),
                      end = number_in(args, "EndNs").value_or(-1);
        if (begin < 0 || end < 0 || begin > kMaxNs / 2 || end > kMaxNs / 2)
            return json_.note(Diag::kBadTime, text_of(event, "name"));
        if (end < begin) json_.note(Diag::kNegativeDuration, text_of(event, "name"));
        Span span;
        span.begin = begin;
        span.dur = std::max<int64_t>(0, end - begin);
        span.row = number_in(event, "pid").value_or(-1);
        span.tid = number_in(event, "tid").value_or(0);
        span.us = number_in(event, "ts").value_or(-1);
        const auto process = number_in(args, "proc-id");
        span.process = std::max<int64_t>(0, process ? *process : number_in(args, "pid").value_or(0));
        span.of_counters = args["gpu-id"].error() == simdjson::SUCCESS;
        span.device = number_in(args, span.of_counters ? "gpu-id" : "dev-id").value_or(-1);
        span.queue = number_in(args, "queue-id").value_or(0);
        std::string_view name = text_of(event, "name");
        for (const std::string_view ending : {" [clone .kd]", ".kd"})
            if (name.ends_with(ending)) name.remove_suffix(ending.size());
        span.name = intern(name);
        if (span.of_counters) read_config(args, span.config);
        spans_.push_back(span);
    }

    // Only products of the grid are told.
    static void read_config(const object& args, LaunchConfig& config) {
        config.grid[0] = number_in(args, "grd").value_or(-1);
        config.block[0] = number_in(args, "wgr").value_or(-1);
        for (size_t axis = 1; axis < 3; ++axis)
            config.grid[axis] = config.block[axis] = 1;
        count_blocks(config);
        config.static_shared_bytes = number_in(args, "lds").value_or(-1);
        config.local_bytes_per_thread = number_in(args, "scr").value_or(-1);
        config.registers_per_thread =
            number_in(args, "arch_vgpr").value_or(number_in(args, "vgpr").value_or(-1));
    }

    struct Row {
        ChromeRow kind = ChromeRow::kUnknown;
        StringId name;
    };
    ChromeRow kind_of(const Span& span) const {
        const auto known = rows_.find(span.row);
        return known == rows_.end() ? ChromeRow::kUnknown : known->second.kind;
    }
    bool is_work(const Span& span) const {
        return kind_of(span) == ChromeRow::kGpu || kind_of(span) == ChromeRow::kCopies;
    }

    // ---- arrows ------------------------------------------------------------------------------------------

    // An arrow goes from the end of a call, in whole us and at the latest to the begin of the work, to that.
    void link() {
        std::map<std::pair<int64_t, int64_t>, std::vector<size_t>> calls;  // by row and thread, in order
        std::multimap<std::tuple<int64_t, int64_t>, size_t> works;         // by row and us
        for (size_t i = 0; i < spans_.size(); ++i)
            if (is_work(spans_[i]))
                works.emplace(std::tuple(spans_[i].row, spans_[i].us), i);
            else
                calls[{spans_[i].row, spans_[i].tid}].push_back(i);
        for (auto& [place, list] : calls)
            std::stable_sort(list.begin(), list.end(),
                             [this](size_t a, size_t b) { return spans_[a].begin < spans_[b].begin; });
        for (const auto& [id, from] : arrows_from_) {
            const auto to = arrows_to_.find(id);
            const auto of_thread = calls.find({from.row, from.tid});
            Span* call = of_thread == calls.end() ? nullptr : call_at(of_thread->second, from.us);
            if (to == arrows_to_.end() || id < 0 || id == INT64_MAX || !call) {
                json_.note(Diag::kDanglingId, fmt::format("arrow {}", id));
                continue;
            }
            const auto work = works.find(std::tuple(to->second.row, to->second.us));
            if (work == works.end()) {
                json_.note(Diag::kDanglingId, fmt::format("arrow {}", id));
                continue;
            }
            if (from.us == to->second.us) call = call_of_copy(of_thread->second, call, spans_[work->second]);
            if (call->correlation < 0) call->correlation = id + 1;  // 0 is no number of a call
            spans_[work->second].correlation = call->correlation;
            works.erase(work);
        }
    }

    std::vector<size_t>::const_iterator first_behind(const std::vector<size_t>& calls, int64_t us) const {
        return std::upper_bound(calls.begin(), calls.end(), us,
                                [this](int64_t time, size_t i) { return time < spans_[i].us; });
    }

    // The last one that ended in that us, else the last that began until then.
    Span* call_at(const std::vector<size_t>& calls, int64_t us) {
        auto after = first_behind(calls, us);
        if (after == calls.begin()) return nullptr;
        Span* last = &spans_[*(after - 1)];
        for (int looked = 0; after != calls.begin() && looked < kMostLookedAt; ++looked) {
            Span& call = spans_[*--after];
            if (call.us + call.dur / 1000 == us && call.correlation < 0) return &call;
        }
        return last;
    }

    // An arrow is moved to the begin of its work where that is earlier, by a clock that is not the host's: so
    // the arrow of a copy may lie in the copying call before its own, which has an arrow already.
    Span* call_of_copy(const std::vector<size_t>& calls, Span* call, const Span& work) {
        if (call->correlation < 0 || kind_of(work) != ChromeRow::kCopies) return call;
        auto next = first_behind(calls, call->us);
        for (int looked = 0; next != calls.end() && looked < kMostLookedAt; ++next, ++looked) {
            Span& later = spans_[*next];
            if (later.us >= work.us + work.dur / 1000) break;
            if (later.name == call->name && later.correlation < 0) return &later;
        }
        return call;
    }

    // Where the queues of devices were traced, kernels with counters are the same work again.
    void leave_out_doubles() {
        const bool queues = std::any_of(spans_.begin(), spans_.end(), [this](const Span& span) {
            return kind_of(span) == ChromeRow::kGpu && !span.of_counters;
        });
        if (!queues) return;
        const auto left =
            std::remove_if(spans_.begin(), spans_.end(), [](const Span& s) { return s.of_counters; });
        if (const auto doubles = spans_.end() - left; doubles > 0)
            builder_.diagnostics().add(
                Diag::kUnreadRow, {file_.name, -1, -1, "kernels with counters, which the queues tell, too"},
                doubles);
        spans_.erase(left, spans_.end());
    }

    // ---- the profile -------------------------------------------------------------------------------------

    void add(const Span& span) {
        if (is_work(span)) return add_work(span);
        HostSpan host;
        host.begin = span.begin;
        host.dur = span.dur;
        host.name = span.name;
        host.track = builder_.host_track(rank_, span.process, span.tid);
        switch (kind_of(span)) {
            case ChromeRow::kHip:
            case ChromeRow::kHsa:
                host.kind = kind_of(span) == ChromeRow::kHip ? HostKind::kRuntimeApi : HostKind::kDriverApi;
                return builder_.add_api(host, span.correlation);
            case ChromeRow::kMarkers:
                return roctx_.add(host, span.name);
            case ChromeRow::kKfd:
                host.kind = HostKind::kLibrary;
                return builder_.add_host(host, builder_.text("KFD").value);
            default:
                host.kind = HostKind::kOther;
                json_.note(Diag::kUnknownCategory, builder_.view(span.name));
                return builder_.add_host(host, builder_.text("rocprof").value);
        }
    }

    void add_work(const Span& span) {
        DeviceSpan work;
        const std::string_view name = builder_.view(span.name);
        work.begin = span.begin;
        work.dur = span.dur;
        work.name = span.name;
        work.correlation = span.correlation;
        work.config = span.of_counters ? builder_.launch_config(span.config) : LaunchConfigId();
        Transfer transfer;
        switch (work_of_name(name)) {
            case QueueWork::kKernel:
                work.kind = DeviceKind::kKernel;
                break;
            case QueueWork::kWait:
                work.kind = DeviceKind::kSync;
                break;
            case QueueWork::kFill:
                work.kind = DeviceKind::kMemset;
                work.name = builder_.text(name_of_set(transfer));
                work.transfer = builder_.transfer(transfer);
                break;
            case QueueWork::kCopy:
                work.kind = DeviceKind::kMemcpy;
                transfer.copy = name.ends_with("HostToDevice")     ? CopyKind::kHostToDevice
                                : name.ends_with("DeviceToHost")   ? CopyKind::kDeviceToHost
                                : name.ends_with("DeviceToDevice") ? CopyKind::kDeviceToDevice
                                                                   : CopyKind::kUnknown;
                work.name = builder_.text(name_of_copy(transfer));
                work.transfer = builder_.transfer(transfer);
        }
        const DeviceId device = builder_.device(rank_, std::max<int64_t>(0, span.device));
        work.track =
            builder_.stream_track(TrackKind::kDeviceStream, device, span.queue, span.tid, span.process);
        builder_.add_device(work);
    }

    StringId intern(std::string_view text) { return json_.intern(text); }

    static constexpr int kMostLookedAt = 64;

    const OneFile& file_;
    kineto::JsonEvents json_;
    ProfileBuilder& builder_;
    RankId rank_;
    std::map<int64_t, Row> rows_;  // by pid
    std::vector<Span> spans_;
    std::map<int64_t, Arrow> arrows_from_, arrows_to_;
    Markers roctx_;
};

}  // namespace

// It begins with the names of its rows, behind an event of nothing.
bool is_chrome_trace(std::string_view first) {
    const auto has = [first](std::string_view text) { return first.find(text) != first.npos; };
    const bool names = has("CPU HIP API\"") || has("CPU HSA API\"") || has("CPU KFD API\"") ||
                       has("Markers and Ranges\"") || has("COPY\"");
    return has("\"traceEvents\"") && has("[{}") && has("\"process_name\"") && names;
}

Result<ImportFacts> import_chrome(const OneFile& file, ProfileBuilder& builder) {
    return ChromeImport(file, builder).run();
}

}  // namespace opsight::importer::rocprof
