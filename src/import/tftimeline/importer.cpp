#include "import/tftimeline/importer.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <simdjson.h>
#include <algorithm>
#include <map>
#include <tuple>

#include "base/time.h"
#include "import/kineto/json_events.h"
#include "import/tftimeline/rows.h"

namespace opsight::importer::tftimeline {
namespace {

using kineto::text_of;
using simdjson::dom::object;

int64_t number(const object& from, std::string_view key) {
    int64_t value = 0;
    return from[key].get(value) == simdjson::SUCCESS ? value : 0;
}

// A complete event.
struct Event {
    int64_t begin = 0, dur = 0, pid = 0, lane = 0;
    StringId name, node, inputs;
};

class Import {
  public:
    Import(const OneFile& file, ProfileBuilder& builder)
        : file_(file), json_(file, builder), builder_(builder), rank_(file.begin_rank(builder)) {}

    Result<ImportFacts> run() {
        OPSIGHT_TRY(json_.each([this](const object& event) { take(event); }));
        if (events_.empty())
            return fail("is a timeline of TensorFlow without an op", file_.name, {},
                        "record with RunOptions(trace_level=RunOptions.FULL_TRACE)");
        add_host();
        add_devices();
        add_runs();
        add_facts();
        return ImportFacts{1, json_.bytes(), events_.size()};
    }

  private:
    // ---- reading -----------------------------------------------------------------------------------------

    void take(const object& event) {
        const std::string_view phase = text_of(event, "ph");
        object args;
        const bool has_args = event["args"].get(args) == simdjson::SUCCESS;
        if (phase == "M") {
            if (text_of(event, "name") == "process_name" && has_args)
                rows_[number(event, "pid")] = row_of(text_of(args, "name"));
            return;
        }
        if (phase == "X") return take_span(event, args, has_args);
        if (phase == "C" && has_args) return take_counter(event, args);
        // Arrows repeat what the inputs of ops tell; allocations of tensors have no size of their own.
        if (phase == "s" || phase == "t" || phase == "f")
            return note(Diag::kUnreadRow, "an arrow of the data flow");
        note(Diag::kUnknownPhase, phase);
    }

    void take_span(const object& event, const object& args, bool has_args) {
        Event e;
        if (!json_.read_time(event, "ts", e.begin) || !json_.read_time(event, "dur", e.dur)) return;
        if (e.dur < 0) note(Diag::kNegativeDuration, text_of(event, "name"));
        e.dur = std::max<int64_t>(0, e.dur);
        e.pid = number(event, "pid");
        e.lane = number(event, "tid");
        e.name = intern(text_of(event, "name"));
        e.node = e.inputs = builder_.text("");
        if (has_args) {
            e.node = intern(text_of(args, "name"));
            e.inputs = inputs_of(args);
        }
        events_.push_back(e);
    }

    // "input0", "input1", ...: the nodes whose results an op reads.
    StringId inputs_of(const object& args) {
        std::string list;
        for (const auto [key, value] : args) {
            std::string_view input;
            if (!key.starts_with("input") || value.get(input) != simdjson::SUCCESS) continue;
            std::string text(input);
            std::replace_if(
                text.begin(), text.end(), [](char c) { return c == '"' || c == '\\'; }, ' ');
            list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", text);
        }
        return intern(list.empty() ? list : "[" + list + "]");
    }

    // Memory of allocators.
    void take_counter(const object& event, const object& args) {
        int64_t time = 0;
        if (!json_.read_time(event, "ts", time)) return;
        const TrackId track =
            builder_.other_track(rank_, std::string(builder_.view(intern(text_of(event, "name")))), "");
        for (const auto [key, value] : args)
            if (double amount = 0; value.get(amount) == simdjson::SUCCESS)
                builder_.add_counter(time, track, intern(key), amount);
    }

    // ---- ops ---------------------------------------------------------------------------------------------

    const Row& row(int64_t pid) const {
        static const Row unknown;
        const auto found = rows_.find(pid);
        return found == rows_.end() ? unknown : found->second;
    }

    // Lanes part ops that ran at the same time; they are not threads, but hold what nests.
    void add_host() {
        for (const Event& e : events_) {
            const Row& where = row(e.pid);
            if (where.kind != RowKind::kHost && where.kind != RowKind::kOther) continue;
            HostSpan span;
            span.kind = HostKind::kOp;
            span.track = builder_.host_track(rank_, e.pid, e.lane);
            Track& track = builder_.track(span.track);
            track.process_name = intern(where.name);
            track.name = builder_.text(fmt::format("lane {}", e.lane));
            span.begin = e.begin;
            span.dur = e.dur;
            span.name = e.name;
            OpDetail detail;
            detail.module_path = e.node;
            Signature signature;
            signature.shapes = signature.dtypes = builder_.text("");
            signature.concrete = e.inputs;
            detail.signature = builder_.signature(signature);
            builder_.add_op(span, detail);
            ops_[e.node].push_back({e.begin, span.track});
        }
        for (auto& [node, ops] : ops_)
            std::stable_sort(ops.begin(), ops.end(),
                             [](const Op& a, const Op& b) { return a.begin < b.begin; });
    }

    // ---- work of devices ---------------------------------------------------------------------------------

    bool has_streams(int64_t device) const {
        return std::any_of(rows_.begin(), rows_.end(), [device](const auto& each) {
            return each.second.kind == RowKind::kStream && each.second.device == device;
        });
    }

    void add_devices() {
        for (const Event& e : events_)
            if (row(e.pid).kind == RowKind::kCopies)
                copies_.emplace(row(e.pid).device, e.node.value, e.begin, e.dur);
        for (const Event& e : events_) {
            const Row& where = row(e.pid);
            const bool all = where.kind == RowKind::kAll && !has_streams(where.device);
            const bool copy = where.kind == RowKind::kCopies && !has_streams(where.device);
            if (where.kind == RowKind::kStream || all || copy) add_work(e, where);
        }
    }

    void add_work(const Event& e, const Row& where) {
        const std::string_view name = builder_.view(e.name);
        DeviceSpan span;
        span.begin = e.begin;
        span.dur = e.dur;
        span.name = e.name;
        // Copies bear the type of the node that they are for; the row of copies tells them.
        const bool copy =
            name.starts_with("MEMCPY") || copies_.contains({where.device, e.node.value, e.begin, e.dur});
        span.kind = name.starts_with("MEMSET") ? DeviceKind::kMemset
                    : copy                     ? DeviceKind::kMemcpy
                                               : DeviceKind::kKernel;
        const DeviceId device = builder_.device(rank_, where.device);
        span.track = builder_.stream_track(TrackKind::kDeviceStream, device, 0, where.stream);
        builder_.track(span.track).name = intern(where.name);
        if (copy) {
            Transfer transfer = {};
            if (name.starts_with("MEMCPYHtoD")) transfer.copy = CopyKind::kHostToDevice;
            if (name.starts_with("MEMCPYDtoH")) transfer.copy = CopyKind::kDeviceToHost;
            if (name.starts_with("MEMCPYDtoD")) transfer.copy = CopyKind::kDeviceToDevice;
            span.transfer = builder_.transfer(transfer);
        }
        if (const Op* op = op_of(e)) {
            span.correlation = ++launches_;
            builder_.add_flow({launches_, op->begin, op->track, FlowKind::kLaunch, true});
        }
        builder_.add_device(span);
    }

    struct Op {
        int64_t begin = 0;
        TrackId track;
    };
    // The op of that node: the last that began before its work.
    const Op* op_of(const Event& e) const {
        const auto found = ops_.find(e.node);
        if (found == ops_.end()) return nullptr;
        const auto after = std::upper_bound(found->second.begin(), found->second.end(), e.begin,
                                            [](int64_t time, const Op& op) { return time < op.begin; });
        return after == found->second.begin() ? nullptr : &*(after - 1);
    }

    // ---- runs --------------------------------------------------------------------------------------------

    struct Run {
        int64_t begin = 0, end = 0;
        size_t ops = 0;
    };

    // Each run of a session begins with the node _SOURCE. Sessions may run several graphs in turn (one makes
    // the input of the other): of those with as many ops, that which takes most of the time is what is
    // iterated.
    void add_runs() {
        const StringId source = builder_.find_text("_SOURCE");
        std::vector<const Event*> ops;
        int64_t first_pid = -1;
        for (const Event& e : events_) {
            ops.push_back(&e);
            if (row(e.pid).kind == RowKind::kHost && source.valid() && e.node == source && first_pid < 0)
                first_pid = e.pid;
        }
        if (first_pid < 0) return;
        std::stable_sort(ops.begin(), ops.end(),
                         [](const Event* a, const Event* b) { return a->begin < b->begin; });
        std::vector<Run> runs;
        for (const Event* e : ops) {
            if (e->node == source && e->pid == first_pid) runs.push_back({e->begin, e->begin, 0});
            if (runs.empty()) continue;
            runs.back().end = std::max(runs.back().end, e->begin + e->dur);
            runs.back().ops += row(e->pid).kind == RowKind::kHost ? 1 : 0;
        }
        std::map<size_t, int64_t> time_of_size;
        for (size_t i = 0; i < runs.size(); ++i) {
            if (i + 1 < runs.size()) runs[i].end = std::min(runs[i].end, runs[i + 1].begin);
            time_of_size[runs[i].ops] += runs[i].end - runs[i].begin;
        }
        const auto main = std::max_element(time_of_size.begin(), time_of_size.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        int64_t number = 0;
        const TrackId track = builder_.host_track(rank_, first_pid, -1);
        builder_.track(track).name = builder_.text("runs of the session");
        for (const Run& run : runs) {
            HostSpan span;
            span.kind = HostKind::kAnnotation;
            span.track = track;
            span.begin = run.begin;
            span.dur = run.end - run.begin;
            span.name = builder_.text(run.ops == main->first ? fmt::format("model_run#{}", number++)
                                                             : fmt::format("run of {} ops", run.ops));
            builder_.add_host(span);
        }
    }

    void add_facts() {
        json_.note_end();
        ProfileInfo& info = builder_.info();
        info.producer = "TensorFlow timeline";
        info.frameworks.emplace_back("TensorFlow");
        info.sources.push_back(file_.name);
    }

    StringId intern(std::string_view text) { return json_.intern(text); }
    void note(Diag diag, std::string_view text) { json_.note(diag, text); }

    const OneFile& file_;
    kineto::JsonEvents json_;
    ProfileBuilder& builder_;
    RankId rank_;
    std::map<int64_t, Row> rows_;  // by pid
    std::vector<Event> events_;
    absl::flat_hash_map<StringId, std::vector<Op>> ops_;  // by node, by begin
    absl::flat_hash_set<std::tuple<int64_t, uint32_t, int64_t, int64_t>> copies_;
    int64_t launches_ = 0;
};

}  // namespace

Result<ImportFacts> import_timeline(const OneFile& file, ProfileBuilder& builder) {
    return Import(file, builder).run();
}

}  // namespace opsight::importer::tftimeline
