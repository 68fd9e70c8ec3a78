#include "query/whatif/load.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "model/spans.h"
#include "query/session/cells.h"
#include "query/session/rank_numbers.h"
#include "query/whatif/sql.h"

namespace opsight::query {
namespace {

namespace sql = whatif::sql;
using replay::CallKind;

CallKind kind_of_call(std::string_view name) {
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    if (has("DeviceSynchronize") || has("CtxSynchronize") || has("ThreadSynchronize"))
        return CallKind::kDeviceSync;
    // SYCL's runtime waits by calls of Level Zero.
    if (has("StreamSynchronize") || name.ends_with("QueueFinish") || has("CommandQueueSynchronize") ||
        has("CommandListHostSynchronize"))
        return CallKind::kStreamSync;
    if (has("EventSynchronize") || name == "urEventWait" || name == "piEventsWait" ||
        has("EventHostSynchronize") || has("FenceHostSynchronize"))
        return CallKind::kEventSync;
    if (has("StreamWaitEvent")) return CallKind::kStreamWait;
    const bool frees =
        name.starts_with("cudaFree") || name.starts_with("hipFree") || name.starts_with("cuMemFree");
    return frees && !has("Async") ? CallKind::kFree : CallKind::kNone;
}

Doing doing_of(int32_t kind, bool collective) {
    switch (static_cast<DeviceKind>(kind)) {
        case DeviceKind::kMemcpy:
            return Doing::kCopy;
        case DeviceKind::kMemset:
            return Doing::kSet;
        case DeviceKind::kGraph:
            return Doing::kGraph;
        case DeviceKind::kKernel:
        case DeviceKind::kAnnotation:
        case DeviceKind::kSync:
        case DeviceKind::kOther:
            break;
    }
    return collective ? Doing::kCollective : Doing::kKernel;
}

replay::WorkKind work_kind(Doing doing) {
    return doing == Doing::kCopy    ? replay::WorkKind::kCopy
           : doing == Doing::kSet   ? replay::WorkKind::kSet
           : doing == Doing::kGraph ? replay::WorkKind::kGraph
                                    : replay::WorkKind::kKernel;
}

class Loader {
  public:
    Loader(Session& session, const Rules& rules, Stretch& stretch)
        : session_(session), rules_(rules), out_(stretch), recording_(stretch.recording) {}

    Status load() {
        OPSIGHT_TRY(load_streams());
        OPSIGHT_TRY(load_work());
        std::sort(launches_.begin(), launches_.end());
        std::sort(ends_.begin(), ends_.end());
        OPSIGHT_TRY(load_host());
        return choose_main();
    }

  private:
    duck::Statement windowed(const duck::Sql& file) const {
        duck::Statement statement(file);
        return statement.set("rank", out_.rank)
            .set("begin_ns", recording_.begin)
            .set("end_ns", recording_.end);
    }

    Status load_streams() {
        OPSIGHT_ASSIGN(const duck::Rows streams, session_.query(windowed(sql::streams)));
        for (const auto& row : streams.rows)
            if (stream_of_.emplace(integer(row[0]), static_cast<int32_t>(stream_of_.size())).second)
                out_.device_tracks.push_back(integer(row[0]));
        recording_.streams.resize(stream_of_.size());
        out_.device.resize(stream_of_.size());
        OPSIGHT_ASSIGN(const duck::Rows calls, session_.query(windowed(sql::calls_about_streams)));
        for (const auto& row : calls.rows)
            if (const auto stream = stream_of_.find(integer(row[1])); stream != stream_of_.end())
                told_.emplace(integer(row[0]), stream->second);
        return {};
    }

    Status load_work() {
        return session_.scan(windowed(sql::work), [this](const duck::Batch& batch) {
            const auto* track = batch.column<int32_t>(0);
            const auto* begin = batch.column<int64_t>(1);
            const auto* dur = batch.column<int64_t>(2);
            const auto* kind = batch.column<int32_t>(3);
            const auto* name = batch.column<int32_t>(4);
            const auto* launch = batch.column<int32_t>(5);
            const auto* op = batch.column<int32_t>(6);
            const auto* host = batch.column<int64_t>(7);
            const auto* pageable = batch.column<int32_t>(8);
            const auto* collective = batch.column<int32_t>(9);
            const auto* of_memory = batch.column<int32_t>(10);
            const auto* span = batch.column<int32_t>(11);
            const auto* outside = batch.column<int32_t>(12);
            for (size_t i = 0; i < batch.size(); ++i) {
                const auto stream = static_cast<size_t>(stream_of_.at(track[i]));
                const Doing doing = doing_of(kind[i], collective[i] != 0);
                replay::RuleSet rules = Names::at(rules_.names.ops, op[i]).rules;
                if (doing == Doing::kKernel || doing == Doing::kCollective)
                    rules |= Names::at(rules_.names.kernels, name[i]).rules;
                if (doing == Doing::kCollective) rules |= rules_.communication;
                if (doing == Doing::kKernel && !of_memory[i]) rules |= rules_.clock;
                const int64_t end = begin[i] + std::max<int64_t>(dur[i], 0);
                recording_.streams[stream].push_back(
                    {begin[i], end, launch[i], host[i], work_kind(doing), rules});
                out_.device[stream].push_back({doing, name[i], op[i], span[i], outside[i] != 0});
                if (launch[i] >= 0) {
                    launches_.push_back(host[i]);
                    ends_.push_back(end);
                }
                if (doing == Doing::kCopy) copies_[launch[i]] = pageable[i] != 0;
            }
        });
    }

    CallKind call_of(int32_t id, std::string_view name) const {
        const auto copy = copies_.find(id);
        if (copy == copies_.end()) return kind_of_call(name);
        const auto has = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
        // SYCL puts copies of any memory into a queue, and waits by another call.
        const bool may_block = !has("Enqueue") && (copy->second || !has("Async"));
        return may_block ? CallKind::kCopy : CallKind::kNone;
    }

    Status load_host() {
        int32_t last = -1;
        return session_.scan(windowed(sql::host), [this, last](const duck::Batch& batch) mutable {
            const auto* track = batch.column<int32_t>(0);
            const auto* begin = batch.column<int64_t>(1);
            const auto* dur = batch.column<int64_t>(2);
            const auto* id = batch.column<int32_t>(3);
            const auto* kind = batch.column<int32_t>(4);
            const auto* name = batch.column<int32_t>(5);
            for (size_t i = 0; i < batch.size(); ++i) {
                if (track[i] != last) {
                    last = track[i];
                    add_thread(track[i]);
                    open_.clear();
                }
                replay::HostSpan span{begin[i], begin[i] + std::max<int64_t>(dur[i], 0), id[i]};
                while (!open_.empty() && open_.back().end <= span.begin)
                    open_.pop_back();
                SpanLabel label{Doing::kOp, name[i], open_.empty() ? -1 : open_.back().op, id[i],
                                open_.empty()};
                if (kind[i] == 1) {
                    span.rules = Names::at(rules_.names.ops, name[i]).rules;
                    label.op = name[i];
                    label.outside = false;
                    open_.push_back({span.end, label.op});
                } else if (kind[i] == 0) {
                    label.doing = Doing::kDataLoading;
                    span.rules = rules_.data_loading;
                } else if (kind[i] == 4) {
                    label.doing = Doing::kHostCollective;
                    span.rules = rules_.communication;
                    span.awaited = true;
                } else {
                    label.doing = Doing::kCall;
                    take_call(span, Names::at(rules_.names.texts, name[i]).text);
                }
                recording_.threads.back().push_back(span);
                out_.host.back().push_back(label);
            }
        });
    }

    void add_thread(int64_t track) {
        out_.host_tracks.push_back(track);
        recording_.threads.emplace_back();
        out_.host.emplace_back();
    }

    // A launch that takes long while hundreds of launches before it are not done finds the queue full: it
    // returns when one of them is.
    bool finds_queue_full(const replay::HostSpan& span) const {
        constexpr int64_t kLongNs = 20'000, kMany = 256;
        if (span.end - span.begin < kLongNs) return false;
        const auto until = [](const std::vector<int64_t>& times, int64_t time) {
            return std::lower_bound(times.begin(), times.end(), time) - times.begin();
        };
        return until(launches_, span.begin) - until(ends_, span.begin) >= kMany;
    }

    void take_call(replay::HostSpan& span, std::string_view name) const {
        span.call = call_of(static_cast<int32_t>(span.id), name);
        const bool launches = span.call == CallKind::kNone &&
                              (name.find("Launch") != std::string_view::npos || copies_.contains(span.id));
        if (launches && finds_queue_full(span)) span.call = CallKind::kQueueFull;
        if (const auto stream = told_.find(span.id); stream != told_.end()) span.stream = stream->second;
        const bool waits = span.call == CallKind::kDeviceSync || span.call == CallKind::kStreamSync ||
                           span.call == CallKind::kEventSync;
        if (waits) span.rules = rules_.waits;
    }

    // Iterations are told in the thread whose ranges they are, else in the one that does most.
    Status choose_main() {
        OPSIGHT_ASSIGN(const duck::Rows markers, session_.query(windowed(sql::markers)));
        const int64_t marked = markers.rows.empty() ? -1 : integer(markers.rows[0][0], -1);
        int64_t most = -1;
        const std::vector<int64_t>& tracks = out_.host_tracks;
        for (size_t thread = 0; thread < tracks.size(); ++thread) {
            if (tracks[thread] == marked) {
                recording_.main = thread;
                return {};
            }
            int64_t busy = 0, until = recording_.begin;
            for (const replay::HostSpan& span : recording_.threads[thread]) {
                if (span.awaited) continue;
                const int64_t end = std::min(span.end, recording_.end);
                busy += std::max<int64_t>(end - std::max(span.begin, until), 0);
                until = std::max(until, end);
            }
            if (busy > most) {
                most = busy;
                recording_.main = thread;
            }
        }
        if (tracks.empty() || (marked >= 0 && !recording_.marks.empty())) add_empty_main();
        return {};
    }

    // A thread of which nothing but its ranges is recorded.
    void add_empty_main() {
        recording_.main = recording_.threads.size();
        add_thread(-1);
    }

    Session& session_;
    const Rules& rules_;
    Stretch& out_;
    replay::Recording& recording_;
    struct OpenOp {
        int64_t end = 0;
        int32_t op = -1;
    };
    std::vector<OpenOp> open_;  // on the thread that is being read
    std::map<int64_t, int32_t> stream_of_;
    std::unordered_map<int64_t, int32_t> told_;  // stream by call
    std::unordered_map<int64_t, bool> copies_;   // by their call: of memory that the host must wait for
    std::vector<int64_t> launches_, ends_;       // of work whose launch is known, rising
};

std::vector<Stretch> stretches_of(const duck::Rows& rows, const RankNumbers& numbers) {
    std::vector<Stretch> list;
    int64_t last = -2;
    for (const auto& row : rows.rows) {
        const int64_t rank = integer(row[0]), number = integer(row[1]);
        const int64_t begin = integer(row[2]), end = integer(row[3]);
        const bool resumes = std::get<bool>(row[4]);
        if (list.empty() || list.back().rank != rank || number != last + 1 || number < 0 || resumes) {
            list.emplace_back().rank = rank;
            list.back().rank_number = numbers.of(rank);
            list.back().recording.begin = begin;
        } else {  // an iteration lasts until the next one begins
            list.back().recording.marks.back() = begin;
        }
        Stretch& to = list.back();
        to.recording.end = std::max(end, begin);
        to.iterations.push_back(number);
        if (number >= 0) to.recording.marks.push_back(to.recording.end);
        last = number;
    }
    return list;
}

}  // namespace

Status each_stretch(Session& session, const Rules& rules, const std::function<Status(const Stretch&)>& take) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(sql::stretches).set("whole", session.range().whole)));
    OPSIGHT_ASSIGN(const RankNumbers numbers, RankNumbers::read(session));
    for (Stretch& each : stretches_of(rows, numbers)) {
        Stretch stretch = std::move(each);
        OPSIGHT_TRY(Loader(session, rules, stretch).load());
        OPSIGHT_TRY(take(stretch));
    }
    return {};
}

}  // namespace opsight::query
