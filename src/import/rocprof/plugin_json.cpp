#include "import/rocprof/plugin_json.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/time.h"
#include "import/kineto/json_events.h"
#include "import/rocprof/chrome_rows.h"
#include "import/rocprof/commands.h"
#include "import/rocprof/markers.h"
#include "model/source_limits.h"

namespace opsight::importer::rocprof {
namespace {

using kineto::text_of;
using simdjson::dom::object;

enum PluginRow : int64_t { kHostRow = 1, kGpuRow, kCopyRow, kBlitRow };

struct PluginSpan {
    int64_t begin = 0, dur = 0;  // ns
    int64_t row = 0, tid = 0, correlation = -1;
    StringId name;
};

class PluginImport {
  public:
    PluginImport(const OneFile& file, ProfileBuilder& builder)
        : file_(file), json_(file, builder), builder_(builder), rank_(file.begin_rank(builder)) {}

    Result<ImportFacts> run() {
        OPSIGHT_TRY(json_.each([this](const object& event) { take(event); }));
        if (events_ == 0)
            return fail("is a trace of rocprofv2 without a call, kernel or copy", file_.name, {},
                        "record with 'rocprofv2 --sys-trace --plugin json ...'");
        // The same kernels, as HIP tells them and as they were dispatched.
        if (kernels_.empty()) std::swap(kernels_, dispatches_);
        leave_out(dispatches_.size(), "kernels that HIP tells, too");
        for (const PluginSpan& kernel : kernels_)
            add_work(kernel, DeviceKind::kKernel, kernel.tid - 1);
        add_copies();
        roctx_.finish(builder_);
        json_.note_end();
        builder_.info().producer = "rocprof";
        set_kernels_of_cuda_or_hip(builder_.info());
        builder_.info().sources.push_back(file_.name);
        return ImportFacts{1, json_.bytes(), events_};
    }

  private:
    void take(const object& event) {
        const std::string_view phase = text_of(event, "ph");
        // Arrows tell what the numbers of calls do.
        if (phase == "M" || phase == "s" || phase == "t") return;
        if (phase != "X") return json_.note(Diag::kUnknownPhase, phase);
        PluginSpan span;
        const int64_t us = number_in(event, "ts").value_or(-1);
        constexpr int64_t kMostUs = kMaxNs / 4000;
        if (us < 0 || us > kMostUs) return json_.note(Diag::kBadTime, text_of(event, "name"));
        span.begin = us * 1000;
        span.row = number_in(event, "pid").value_or(0);
        span.tid = number_in(event, "tid").value_or(0);
        object args;
        if (event["args"].get(args) == simdjson::SUCCESS)
            if (const auto id = number_in(args, "cid"); id.value_or(0) > 0) span.correlation = *id;
        span.name = json_.intern(text_of(event, "name"));
        const auto dur = number_in(event, "dur");
        const bool has_end = dur && *dur >= 0 && *dur <= kMostUs;
        if (!has_end && span.row != kHostRow) return json_.note(Diag::kBadTime, text_of(event, "name"));
        span.dur = has_end ? *dur * 1000 : 0;
        take_span(span, has_end, text_of(event, "cat") == "GPU");
    }

    void take_span(const PluginSpan& span, bool has_end, bool by_hip) {
        if (span.row < kHostRow || span.row > kBlitRow)
            return json_.note(Diag::kUnknownCategory, builder_.view(span.name));
        // GPUs are counted from 1 on.
        if (span.row == kGpuRow && span.tid < 1) return json_.note(Diag::kBadEvent, builder_.view(span.name));
        if (span.row == kHostRow && !take_host(span, has_end)) return;
        ++events_;
        if (span.row == kGpuRow) {
            devices_.insert(span.tid - 1);
            (by_hip ? kernels_ : dispatches_).push_back(span);
        } else if (span.row == kCopyRow) {
            copies_.push_back(span);
        } else if (span.row == kBlitRow) {
            devices_.insert(span.tid);
            add_work(span, kind_of_command(builder_.view(span.name), false), span.tid);
        }
    }

    // A call; or what was said to roctx, whose end is not told: it is a moment. False for an end of such.
    bool take_host(const PluginSpan& span, bool has_end) {
        const std::string_view name = builder_.view(span.name);
        HostSpan host;
        host.begin = span.begin;
        host.dur = span.dur;
        host.name = span.name;
        host.track = builder_.host_track(rank_, 0, span.tid);
        if (!has_end && name.empty()) {
            json_.note(Diag::kUnreadRow, "the end of a range of roctx that is not told");
            return false;
        }
        if (!has_end) {
            roctx_.add(host, span.name);
            return true;
        }
        host.kind = name.starts_with("hsa_") ? HostKind::kDriverApi : HostKind::kRuntimeApi;
        builder_.add_api(host, span.correlation);
        return true;
    }

    // They do not tell their GPU.
    void add_copies() {
        if (devices_.size() > 1) return leave_out(copies_.size(), "copies whose GPU is not told");
        if (devices_.empty() && !copies_.empty())
            say_once(builder_.info(), "rocprofv2.devices",
                     "copies do not tell their GPU: all stand on device 0, in one stream");
        for (const PluginSpan& copy : copies_)
            add_work(copy, DeviceKind::kMemcpy, devices_.empty() ? 0 : *devices_.begin());
    }

    void add_work(const PluginSpan& span, DeviceKind kind, int64_t device) {
        DeviceSpan work;
        work.kind = kind;
        work.begin = span.begin;
        work.dur = span.dur;
        work.name = span.name;
        work.correlation = span.correlation;
        Transfer transfer;
        if (kind == DeviceKind::kMemcpy) {
            transfer.copy = copy_of_command(builder_.view(span.name));
            work.name = builder_.text(name_of_copy(transfer));
        }
        if (kind == DeviceKind::kMemset) work.name = builder_.text(name_of_set(transfer));
        if (kind == DeviceKind::kMemcpy || kind == DeviceKind::kMemset)
            work.transfer = builder_.transfer(transfer);
        const DeviceId on = builder_.device(rank_, std::max<int64_t>(0, device));
        // No queue is told: copies run beside kernels.
        const int64_t stream = kind == DeviceKind::kMemcpy ? 1 : 0;
        work.track = builder_.stream_track(TrackKind::kDeviceStream, on, 0, stream);
        builder_.add_device(work);
    }

    void leave_out(size_t count, const char* what) {
        if (count == 0) return;
        builder_.diagnostics().add(Diag::kUnreadRow, {file_.name, -1, -1, what}, static_cast<int64_t>(count));
    }

    const OneFile& file_;
    kineto::JsonEvents json_;
    ProfileBuilder& builder_;
    RankId rank_;
    std::vector<PluginSpan> kernels_, dispatches_, copies_;
    std::set<int64_t> devices_;
    uint64_t events_ = 0;
    Markers roctx_;
};

}  // namespace

bool is_plugin_json(std::string_view first) {
    const auto has = [first](std::string_view text) { return first.find(text) != first.npos; };
    return has("\"traceEvents\"") && has("\"HIPBLITKERNELS\"") && has("\"sort_index\"");
}

Result<ImportFacts> import_plugin_json(const OneFile& file, ProfileBuilder& builder) {
    return PluginImport(file, builder).run();
}

}  // namespace opsight::importer::rocprof
