#include "import/tftimeline/importer.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <simdjson.h>
#include <algorithm>
#include <map>
#include <tuple>

#include "base/time.h"
#include "import/kineto/scanner.h"
#include "import/kineto/trace_reader.h"
#include "import/text/clean_text.h"
#include "import/tftimeline/rows.h"

namespace opsight::importer::tftimeline {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

int64_t number(const object& from, std::string_view key) {
    int64_t value = 0;
    return from[key].get(value) == simdjson::SUCCESS ? value : 0;
}

std::string_view text_of(const object& from, std::string_view key) {
    std::string_view text;
    return from[key].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

// A complete event.
struct Event {
    int64_t begin = 0, dur = 0, pid = 0, lane = 0;
    StringId name, node, inputs;
};

class Import {
  public:
    Import(PeekedSource& source, const std::string& name, const TimelineOptions& options,
           ProfileBuilder& builder)
        : source_(source), reader_(source), name_(name), options_(options), builder_(builder) {
        Rank rank;
        rank.number = std::max<int64_t>(0, options.rank_hint);
        rank.source = name;
        rank_ = builder_.begin_rank(rank);
    }

    Result<TimelineFacts> run() {
        kineto::Window window;
        for (;;) {
            OPSIGHT_ASSIGN(const bool any, reader_.next(window));
            if (!any) break;
            take_window({window.begin(), window.size}, window.offset);
            if (options_.progress) options_.progress->set_done(options_.disk_before + source_.position());
        }
        if (events_.empty())
            return fail("is a timeline of TensorFlow without an op", name_, {},
                        "record with RunOptions(trace_level=RunOptions.FULL_TRACE)");
        add_host();
        add_devices();
        add_runs();
        add_facts();
        return TimelineFacts{reader_.bytes(), events_.size()};
    }

  private:
    // ---- reading -----------------------------------------------------------------------------------------

    void take_window(std::string_view events, uint64_t offset) {
        kineto::Scanner scanner;
        for (size_t at = 0; at < events.size();) {
            const size_t end = scanner.feed(events.data() + at, events.size() - at, true).last_end;
            if (end == kineto::Scanner::kNone) break;
            const size_t first = std::min(events.find('{', at), at + end);
            place_ = static_cast<int64_t>(offset + first);
            take_text(events.substr(first, at + end - first));
            at += end;
        }
    }

    void take_text(std::string_view text) {
        element parsed;
        object event;
        if (parser_.parse(text.data(), text.size()).get(parsed) != simdjson::SUCCESS) {
            std::string clean(text);
            clean_text(clean);
            if (parser_.parse(clean).get(parsed) != simdjson::SUCCESS)
                return note(Diag::kBadEvent, "no JSON");
            note(Diag::kUncleanText, clean);
        }
        if (parsed.get(event) != simdjson::SUCCESS) return note(Diag::kBadEvent, "no object");
        take(event);
    }

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

    bool read_time(const object& event, std::string_view key, int64_t& to) {
        constexpr int64_t kMostUs = kMaxNs / 1000 / 2;
        if (event[key].get(to) != simdjson::SUCCESS || to < -kMostUs || to > kMostUs) {
            note(Diag::kBadTime, key);
            return false;
        }
        to *= 1000;
        return true;
    }

    void take_span(const object& event, const object& args, bool has_args) {
        Event e;
        if (!read_time(event, "ts", e.begin) || !read_time(event, "dur", e.dur)) return;
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
        if (!read_time(event, "ts", time)) return;
        const TrackId track = builder_.other_track(rank_, intern_text(text_of(event, "name")), "");
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

    // Lanes part ops that ran at the same time; they are no threads, but hold what nests.
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
        builder_.diagnostics().merge(reader_.diagnostics());
        if (const std::string damage = source_.damage(); !damage.empty()) note(Diag::kTruncatedInput, damage);
        ProfileInfo& info = builder_.info();
        info.producer = "TensorFlow timeline";
        info.frameworks.emplace_back("TensorFlow");
        info.sources.push_back(name_);
    }

    std::string intern_text(std::string_view text) {
        std::string repaired(text);
        if (!is_clean(repaired)) clean_text(repaired);
        return repaired;
    }
    StringId intern(std::string_view text) {
        return is_clean(text) ? builder_.text(text) : builder_.text(intern_text(text));
    }

    void note(Diag diag, std::string_view text) {
        builder_.diagnostics().add(diag, {name_, place_, -1, std::string(text)});
    }

    PeekedSource& source_;
    kineto::TraceReader reader_;
    const std::string& name_;
    const TimelineOptions& options_;
    ProfileBuilder& builder_;
    RankId rank_;
    simdjson::dom::parser parser_;
    std::map<int64_t, Row> rows_;  // by pid
    std::vector<Event> events_;
    absl::flat_hash_map<StringId, std::vector<Op>> ops_;  // by node, by begin
    absl::flat_hash_set<std::tuple<int64_t, uint32_t, int64_t, int64_t>> copies_;
    int64_t launches_ = 0, place_ = -1;
};

}  // namespace

Result<TimelineFacts> import_timeline(PeekedSource& source, const std::string& name,
                                      const TimelineOptions& options, ProfileBuilder& builder) {
    Result<TimelineFacts> facts = Import(source, name, options, builder).run();
    if (!facts && facts.error().file.empty()) facts.error().file = name;
    return facts;
}

}  // namespace opsight::importer::tftimeline
