// From a profile to the timeline in memory: each track by itself, on a few threads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "analyze/parallel.h"
#include "model/entities.h"
#include "model/spans.h"
#include "query/session/cells.h"
#include "query/timeline/data.h"
#include "query/timeline/sql.h"

namespace opsight::query {
namespace {

constexpr uint32_t kNoName = SpanNames::kNone;

template <class T>
T at(const std::vector<T>& list, int32_t id, T none) {
    return id >= 0 && static_cast<size_t>(id) < list.size() ? list[static_cast<size_t>(id)] : none;
}

// A statement that reads spans of a part of a track: (track, begin_ns, dur_ns, ref, name, kind). What name
// and kind mean differs.
struct SpanSource {
    TrackPart part;
    const duck::Sql* spans;
    uint32_t (*name_of)(const SpanNames&, int32_t name, int32_t kind);
    SpanKind (*kind_of)(const SpanNames&, int32_t name, int32_t kind);
};

uint32_t string_name(const SpanNames& names, int32_t name, int32_t) {
    return at(names.of_string, name, kNoName);
}

// Of raw.other_spans; the others have tables of their own.
SpanKind other_kind(const SpanNames&, int32_t, int32_t kind) {
    switch (static_cast<HostKind>(kind)) {
        case HostKind::kOverhead:
            return SpanKind::kOverhead;
        case HostKind::kDataLoad:
            return SpanKind::kDataLoad;
        case HostKind::kFileIo:
            return SpanKind::kFileIo;
        case HostKind::kOsRuntime:
            return SpanKind::kOsRuntime;
        case HostKind::kMessagePassing:
            return SpanKind::kMessagePassing;
        case HostKind::kLibrary:
            return SpanKind::kLibrary;
        case HostKind::kOp:
        case HostKind::kAnnotation:
        case HostKind::kPythonFrame:
        case HostKind::kModule:
        case HostKind::kRuntimeApi:
        case HostKind::kDriverApi:
        case HostKind::kOther:
            break;
    }
    return SpanKind::kOther;
}

uint32_t device_name(const SpanNames& names, int32_t name, int32_t kind) {
    return at(static_cast<DeviceKind>(kind) == DeviceKind::kKernel ? names.of_kernel : names.of_string, name,
              kNoName);
}

SpanKind device_kind(const SpanNames& names, int32_t name, int32_t kind) {
    switch (static_cast<DeviceKind>(kind)) {
        case DeviceKind::kKernel:
            return at(names.kind_of_kernel, name, SpanKind::kUnknownKernel);
        case DeviceKind::kMemcpy:
            return SpanKind::kMemcpy;
        case DeviceKind::kMemset:
            return SpanKind::kMemset;
        case DeviceKind::kAnnotation:
            return SpanKind::kDeviceAnnotation;
        case DeviceKind::kSync:
            return SpanKind::kWait;
        case DeviceKind::kGraph:
            return SpanKind::kGraph;
        case DeviceKind::kOther:
            break;
    }
    return SpanKind::kDeviceOther;
}

// Outer ones before inner ones, as equal intervals nest.
const SpanSource kSources[] = {
    {TrackPart::kCalls, &timeline::sql::module_spans, string_name,
     [](const SpanNames&, int32_t, int32_t) { return SpanKind::kModule; }},
    {TrackPart::kCalls, &timeline::sql::op_spans,
     [](const SpanNames& names, int32_t op, int32_t) { return at(names.of_op, op, kNoName); },
     [](const SpanNames& names, int32_t op, int32_t) {
         return at(names.kind_of_op, op, SpanKind::kOpOther);
     }},
    {TrackPart::kCalls, &timeline::sql::other_call_spans, string_name, other_kind},
    {TrackPart::kCalls, &timeline::sql::api_call_spans, string_name,
     [](const SpanNames&, int32_t, int32_t driver) {
         return driver ? SpanKind::kDriverApi : SpanKind::kRuntimeApi;
     }},
    {TrackPart::kRanges, &timeline::sql::annotation_spans, string_name,
     [](const SpanNames&, int32_t, int32_t) { return SpanKind::kAnnotation; }},
    {TrackPart::kPython, &timeline::sql::python_spans, string_name,
     [](const SpanNames&, int32_t, int32_t) { return SpanKind::kPython; }},
    {TrackPart::kOsCalls, &timeline::sql::os_call_spans, string_name, other_kind},
    {TrackPart::kStream, &timeline::sql::device_work_spans, device_name, device_kind},
    {TrackPart::kWaits, &timeline::sql::device_wait_spans, device_name, device_kind},
};

// A row of the timeline to be read: which sources have how many spans of it.
struct Job {
    int64_t row;  // tracks.id
    TrackPart part;
    std::vector<std::pair<const SpanSource*, size_t>> sources;
    size_t track = 0;  // index in Data::tracks
    size_t spans() const {
        return std::accumulate(sources.begin(), sources.end(), size_t{0},
                               [](size_t sum, const auto& source) { return sum + source.second; });
    }
};

// Lanes need rising begins; files hold them so, but a file is not to be trusted.
void sort_if_needed(SpanRun& run) {
    if (std::is_sorted(run.begin.begin(), run.begin.end())) return;
    std::vector<size_t> order(run.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        if (run.begin[a] != run.begin[b]) return run.begin[a] < run.begin[b];
        if (run.dur[a] != run.dur[b]) return run.dur[a] > run.dur[b];
        return run.ref[a] < run.ref[b];
    });
    SpanRun sorted;
    sorted.reserve(run.size());
    for (const size_t i : order)
        sorted.add(run.begin[i], run.dur[i], run.name[i], run.ref[i], run.kind[i]);
    run = std::move(sorted);
}

// Jobs of tracks with rising numbers that are read together: a pass over a table for each of very many tracks
// would take very long.
struct JobGroup {
    size_t first = 0, last = 0;  // in the list of jobs
    size_t spans = 0;
};
constexpr size_t kSpansTogether = 200'000;

// `jobs`: by track.
std::vector<JobGroup> group_jobs(const std::vector<Job>& jobs) {
    std::vector<JobGroup> groups;
    for (size_t i = 0; i < jobs.size();) {
        size_t end = i, spans = 0;
        for (; end < jobs.size() && jobs[end].row == jobs[i].row; ++end)
            spans += jobs[end].spans();
        if (groups.empty() || groups.back().spans + spans > kSpansTogether) groups.push_back({i, i, 0});
        groups.back().last = end;
        groups.back().spans += spans;
        i = end;
    }
    return groups;
}

// The spans of one source for the tracks of some jobs: those[track - first] tells where they go.
Status read_runs(duck::Connection& connection, const SpanNames& names, const SpanSource& source,
                 int64_t first, const std::vector<SpanRun*>& those) {
    duck::Statement statement(*source.spans);
    statement.set("first", first).set("last", first + static_cast<int64_t>(those.size()) - 1);
    return connection.scan(statement, [&](const duck::Batch& batch) {
        const auto* track = batch.column<int32_t>(0);
        const auto *begin = batch.column<int64_t>(1), *dur = batch.column<int64_t>(2);
        const auto *ref = batch.column<int32_t>(3), *name = batch.column<int32_t>(4),
                   *kind = batch.column<int32_t>(5);
        for (size_t i = 0; i < batch.size(); ++i)
            if (SpanRun* run = those[static_cast<size_t>(track[i] - first)])
                run->add(begin[i], dur[i], source.name_of(names, name[i], kind[i]),
                         static_cast<uint32_t>(ref[i]), source.kind_of(names, name[i], kind[i]));
    });
}

std::vector<std::pair<uint32_t, uint32_t>> count_names(const SpanLanes& lanes, size_t names) {
    std::vector<std::pair<uint32_t, uint32_t>> out;
    if (lanes.size() < names / 8) {
        std::map<uint32_t, uint32_t> few;
        for (size_t i = 0; i < lanes.size(); ++i)
            ++few[lanes.name(i)];
        out.assign(few.begin(), few.end());
        return out;
    }
    std::vector<uint32_t> counts(names, 0);
    for (size_t i = 0; i < lanes.size(); ++i)
        ++counts[lanes.name(i)];
    for (size_t name = 0; name < names; ++name)
        if (counts[name] > 0) out.emplace_back(static_cast<uint32_t>(name), counts[name]);
    return out;
}

Status read_group(Timeline::Data& data, const duck::Database& database, const SpanNames& names,
                  const std::vector<Job>& jobs, const JobGroup& group, const std::atomic<bool>* stop) {
    OPSIGHT_ASSIGN(duck::Connection connection, db::connect(database));
    const int64_t first = jobs[group.first].row;
    const auto tracks = static_cast<size_t>(jobs[group.last - 1].row - first) + 1;
    std::vector<std::vector<SpanRun>> runs(group.last - group.first);
    for (size_t i = group.first; i < group.last; ++i)
        runs[i - group.first].resize(jobs[i].sources.size());
    for (const SpanSource& source : kSources) {
        if (stop && *stop) return fail("the timeline is not read to its end");
        std::vector<SpanRun*> those(tracks, nullptr);
        bool any = false;
        for (size_t i = group.first; i < group.last; ++i)
            for (size_t s = 0; s < jobs[i].sources.size(); ++s) {
                if (jobs[i].sources[s].first != &source) continue;
                SpanRun& run = runs[i - group.first][s];
                run.reserve(jobs[i].sources[s].second);
                those[static_cast<size_t>(jobs[i].row - first)] = &run;
                any = true;
            }
        if (any) OPSIGHT_TRY(read_runs(connection, names, source, first, those));
    }
    for (size_t i = group.first; i < group.last; ++i) {
        for (SpanRun& run : runs[i - group.first])
            sort_if_needed(run);
        data.lanes[jobs[i].track] = SpanLanes(std::move(runs[i - group.first]));
        data.name_counts[jobs[i].track] = count_names(data.lanes[jobs[i].track], data.names.text.size());
    }
    return {};
}

Result<std::vector<Job>> find_jobs(const Timeline::Data& data) {
    OPSIGHT_ASSIGN(const duck::Rows rows, data.query(timeline::sql::span_counts));
    std::map<std::pair<int64_t, TrackPart>, Job> jobs;
    for (const SpanSource& source : kSources)
        for (const auto& row : rows.rows) {
            if (text(row[0]) != source.spans->name) continue;
            const int64_t track = integer(row[1], -1);
            Job& job = jobs.try_emplace({track, source.part}, Job{track, source.part, {}}).first->second;
            job.sources.emplace_back(&source, static_cast<size_t>(integer(row[2], 0)));
        }
    std::vector<Job> out;
    for (auto& [key, job] : jobs)
        out.push_back(std::move(job));
    return out;
}

// How tracks are shown: by rank, then iterations, threads, streams, counters; a thread's ranges above its
// calls.
struct Placed {
    std::array<int64_t, 5> order{};
    TimelineTrack track;
    size_t job = SIZE_MAX;
};

constexpr int64_t kThreadGroup = 1, kStreamGroup = 2;

std::string_view kind_of(TrackPart part, TrackKind row_kind) {
    switch (part) {
        case TrackPart::kRanges:
            return "annotation";
        case TrackPart::kPython:
            return "python";
        case TrackPart::kOsCalls:
            return "os";
        case TrackPart::kStream:
            return row_kind == TrackKind::kDeviceAnnotation ? "annotation" : "stream";
        case TrackPart::kWaits:
            return "wait";
        case TrackPart::kIterations:
            return "iteration";
        case TrackPart::kCounter:
            return "counter";
        case TrackPart::kCalls:
        case TrackPart::kCount:
            break;
    }
    return row_kind == TrackKind::kOther ? "other" : "thread";
}

int64_t rank_of_part(TrackPart part) {
    constexpr int64_t ranks[] = {1, 0, 2, 3, 1, 2, 0, 0};  // beside TrackPart
    return ranks[static_cast<size_t>(part)];
}

// The process of a row of the source whose thread is a text; 0 where the process is one too.
int64_t number_in(const std::string& text) {
    int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() ? number : 0;
}

// Threads of one process that share a name (the program's own, most often) are told apart by their ids.
void number_threads_of_one_name(std::vector<Placed>& placed) {
    std::map<std::tuple<int64_t, int64_t, std::string>, std::set<int64_t>> threads;
    const auto of_name = [&threads](const TimelineTrack& t) -> std::set<int64_t>& {
        return threads[{t.rank, t.process, t.name}];
    };
    for (const Placed& p : placed)
        if (p.order[1] == kThreadGroup && p.track.thread != 0) of_name(p.track).insert(p.track.thread);
    std::vector<bool> shared;
    for (const Placed& p : placed)
        shared.push_back(p.order[1] == kThreadGroup && p.track.thread != 0 && of_name(p.track).size() > 1);
    for (size_t i = 0; i < placed.size(); ++i)
        if (shared[i]) placed[i].track.name += fmt::format(" ({})", placed[i].track.thread);
}

// Contexts and processes count their streams anew, and programs name several alike: what differs is said.
void tell_streams_apart(std::vector<Placed>& placed) {
    constexpr std::pair<const char*, int64_t TimelineTrack::*> kTold[] = {
        {"stream", &TimelineTrack::stream},
        {"context", &TimelineTrack::context},
        {"process", &TimelineTrack::process}};
    using Numbers = std::array<std::set<int64_t>, std::size(kTold)>;
    std::map<std::tuple<std::string, int64_t, int64_t, std::string>, Numbers> named;
    const auto key = [](const TimelineTrack& t) { return std::tuple(t.kind, t.rank, t.device, t.name); };
    for (const Placed& p : placed)
        for (size_t i = 0; i < std::size(kTold) && p.order[1] == kStreamGroup; ++i)
            named[key(p.track)][i].insert(p.track.*kTold[i].second);
    for (Placed& p : placed) {
        if (p.order[1] != kStreamGroup) continue;
        const Numbers& numbers = named.at(key(p.track));
        std::string differs;
        for (size_t i = 0; i < std::size(kTold); ++i)
            if (numbers[i].size() > 1)
                differs += fmt::format("{}{} {}", differs.empty() ? "" : ", ", kTold[i].first,
                                       p.track.*kTold[i].second);
        if (!differs.empty()) p.track.name += fmt::format(" ({})", differs);
    }
}

Result<std::vector<Placed>> place_jobs(const Timeline::Data& data, const std::vector<Job>& jobs) {
    OPSIGHT_ASSIGN(const duck::Rows rows, data.query(timeline::sql::tracks));
    std::map<int64_t, const std::vector<duck::Cell>*> by_id;
    for (const auto& row : rows.rows)
        by_id[integer(row[0], -1)] = &row;
    std::vector<Placed> out;
    for (size_t i = 0; i < jobs.size(); ++i) {
        const auto found = by_id.find(jobs[i].row);
        if (found == by_id.end()) continue;
        const std::vector<duck::Cell>& row = *found->second;
        const auto kind = static_cast<TrackKind>(integer(row[1]));
        const bool other = kind == TrackKind::kOther, annotations = kind == TrackKind::kDeviceAnnotation;
        Placed placed;
        TimelineTrack& track = placed.track;
        track.id = timeline_track_id(jobs[i].row, jobs[i].part);
        track.part = jobs[i].part;
        track.kind = kind_of(jobs[i].part, kind);
        track.rank = integer(row[2], 0);
        track.process = other ? number_in(text(row[11])) : integer(row[3], 0);
        track.thread = integer(row[4], 0);
        const bool of_device = annotations || kind == TrackKind::kDeviceStream;
        if (of_device) {
            track.device = integer(row[5], -1);
            track.context = integer(row[6], -1);
            track.stream = integer(row[7], -1);
            track.device_name = text(row[10]);
        }
        track.name = text(row[8]);
        track.process_name = text(row[9]);
        if (track.name.empty() && other) track.name = text(row[12]);
        if (track.name.empty())
            track.name =
                of_device ? fmt::format("stream {}", track.stream) : fmt::format("thread {}", track.thread);
        // Streams by device and number, annotations of one above it.
        const int64_t group = of_device ? kStreamGroup : other ? 3 : kThreadGroup;
        placed.order = {track.rank, group, of_device ? track.device : track.process,
                        of_device || track.thread != track.process,  // the main thread first
                        of_device ? track.stream * 4 + (annotations ? 0 : rank_of_part(track.part))
                                  : jobs[i].row * 4 + rank_of_part(track.part)};
        placed.job = i;
        out.push_back(std::move(placed));
    }
    number_threads_of_one_name(out);
    tell_streams_apart(out);
    return out;
}

// Iterations of a rank: a track of its own, whose spans are numbered as the rows of raw.iterations.
Status add_iterations(Timeline::Data& data) {
    OPSIGHT_ASSIGN(const duck::Rows rows, data.query(timeline::sql::iterations));
    for (size_t i = 0; i < rows.rows.size();) {
        TimelineTrack track;
        const int64_t rank = integer(rows.rows[i][0], -1);
        track.id = timeline_track_id(rank, TrackPart::kIterations);
        track.part = TrackPart::kIterations;
        track.kind = "iteration";
        track.rank = integer(rows.rows[i][1], 0);
        track.name = "Iterations";
        std::vector<SpanRun> runs(1);
        for (; i < rows.rows.size() && integer(rows.rows[i][0], -1) == rank; ++i) {
            const auto& row = rows.rows[i];
            const bool* warmup = std::get_if<bool>(&row[5]);
            const std::string name =
                fmt::format("Iteration {}{}", integer(row[2], -1), warmup && *warmup ? " (warm-up)" : "");
            runs[0].add(integer(row[3], 0), integer(row[4], 0) - integer(row[3], 0), data.names.add(name),
                        static_cast<uint32_t>(integer(row[6], 0)), SpanKind::kIteration);
        }
        data.tracks.push_back(std::move(track));
        data.lanes.emplace_back(std::move(runs));
    }
    return {};
}

Status read_meta(Timeline::Data& data) {
    OPSIGHT_ASSIGN(const duck::Rows rows, data.query(timeline::sql::recording));
    for (const auto& row : rows.rows) {
        const std::string key = text(row[0]);
        if (key == "begin_ns") data.begin_ns = integer(row[1], 0);
        if (key == "end_ns") data.end_ns = integer(row[1], 0);
        if (key == "origin_ns") data.origin_ns = integer(row[1], 0);
        if (key == "origin_is_unix") data.origin_is_unix = text(row[2]) == "true";
        if (key == "property.source.times") data.times_in_order = true;
    }
    return {};
}

// Files may hold spans outside of what their facts say; the timeline shows all. Rows of the source without a
// thread aside: they tell of the time around the recording too.
void widen(Timeline::Data& data) {
    for (size_t track = 0; track < data.tracks.size(); ++track) {
        const SpanLanes& lanes = data.lanes[track];
        if (data.tracks[track].kind == "other") continue;
        for (size_t lane = 0; lane < lanes.lanes(); ++lane) {
            data.begin_ns = std::min(data.begin_ns, lanes.begin(lanes.lane_begin(lane)));
            data.end_ns = std::max(data.end_ns, lanes.end(lanes.lane_end(lane) - 1));
        }
    }
}

void put_in_order(Timeline::Data& data, std::vector<Placed> placed, std::vector<Job>& jobs) {
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Placed& a, const Placed& b) { return a.order < b.order; });
    // Iterations are there already, by rank: each goes above the first track of its rank.
    std::vector<TimelineTrack> tracks;
    std::vector<SpanLanes> lanes;
    size_t next = 0;
    const auto take_iterations = [&](int64_t up_to_rank) {
        for (; next < data.tracks.size() && data.tracks[next].rank <= up_to_rank; ++next) {
            tracks.push_back(std::move(data.tracks[next]));
            lanes.push_back(std::move(data.lanes[next]));
        }
    };
    for (Placed& one : placed) {
        take_iterations(one.track.rank);
        jobs[one.job].track = tracks.size();
        tracks.push_back(std::move(one.track));
        lanes.emplace_back();
    }
    take_iterations(INT64_MAX);
    data.tracks = std::move(tracks);
    data.lanes = std::move(lanes);
}

}  // namespace

Status load_timeline(Timeline::Data& data, const duck::Database& database, unsigned threads,
                     const std::atomic<bool>* stop) {
    OPSIGHT_TRY(read_meta(data));
    OPSIGHT_ASSIGN(const SpanNames names, load_span_names(data, data.names));
    OPSIGHT_ASSIGN(std::vector<Job> jobs, find_jobs(data));
    OPSIGHT_TRY(add_iterations(data));
    OPSIGHT_ASSIGN(std::vector<Placed> placed, place_jobs(data, jobs));
    // A row that names a track which is not there belongs nowhere.
    std::vector<Job> used;
    for (Placed& one : placed) {
        used.push_back(std::move(jobs[one.job]));
        one.job = used.size() - 1;
    }
    put_in_order(data, std::move(placed), used);
    data.name_counts.resize(data.tracks.size());
    std::stable_sort(used.begin(), used.end(), [](const Job& a, const Job& b) { return a.row < b.row; });
    const std::vector<JobGroup> groups = group_jobs(used);
    std::vector<Status> done(groups.size());
    analyze::parallel_over(
        groups, threads, [](const JobGroup& group) { return group.spans; },
        [&](const JobGroup& group) {
            done[static_cast<size_t>(&group - groups.data())] =
                read_group(data, database, names, used, group, stop);
        });
    for (Status& status : done)
        OPSIGHT_TRY(std::move(status));
    for (size_t i = 0; i < data.tracks.size(); ++i)
        if (data.tracks[i].part == TrackPart::kIterations)
            data.name_counts[i] = count_names(data.lanes[i], data.names.text.size());
    widen(data);
    OPSIGHT_TRY(load_counters(data));
    for (size_t i = 0; i < data.tracks.size(); ++i) {
        data.by_id[data.tracks[i].id] = i;
        if (data.tracks[i].part == TrackPart::kCounter) continue;
        data.tracks[i].spans = static_cast<int64_t>(data.lanes[i].size());
        data.tracks[i].depths = static_cast<int64_t>(data.lanes[i].lanes());
    }
    return {};
}

}  // namespace opsight::query
