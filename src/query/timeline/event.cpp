// One event: what the profile knows of it, and what it hangs together with.
#include <fmt/format.h>

#include <algorithm>

#include "db/schema.h"
#include "query/session/cells.h"
#include "query/timeline/data.h"
#include "query/timeline/sql.h"

namespace opsight::query {
namespace {

constexpr int kMostParents = 32;
constexpr int64_t kMostLaunched = 50, kMostBackward = 8;

Unit unit_of(std::string_view unit) {
    if (unit == "ns") return Unit::kNs;
    if (unit == "bytes") return Unit::kBytes;
    if (unit == "%") return Unit::kPercent;
    return Unit::kNone;
}

// The view that tells what is known of a kind of span; empty: nothing beyond its place.
std::string_view view_of(SpanKind kind) {
    switch (kind) {
        case SpanKind::kOpForward:
        case SpanKind::kOpBackward:
        case SpanKind::kOpOptimizer:
        case SpanKind::kOpDataLoad:
        case SpanKind::kOpOther:
            return "ops";
        case SpanKind::kModule:
            return "module_calls";
        case SpanKind::kRuntimeApi:
        case SpanKind::kDriverApi:
            return "api_calls";
        case SpanKind::kAnnotation:
            return "annotations";
        case SpanKind::kKernel:
        case SpanKind::kTensorCoreKernel:
        case SpanKind::kUnknownKernel:
        case SpanKind::kCommunicationKernel:
            return "kernels";
        case SpanKind::kMemcpy:
            return "memcpys";
        case SpanKind::kMemset:
            return "memsets";
        case SpanKind::kDeviceAnnotation:
        case SpanKind::kWait:
        case SpanKind::kDeviceOther:
        case SpanKind::kGraph:
            return "device_other";
        case SpanKind::kOverhead:
        case SpanKind::kDataLoad:
        case SpanKind::kFileIo:
        case SpanKind::kOther:
        case SpanKind::kOsRuntime:
        case SpanKind::kMessagePassing:
        case SpanKind::kLibrary:
            return "other_spans";
        case SpanKind::kPython:
        case SpanKind::kIteration:
        case SpanKind::kCount:
            break;
    }
    return {};
}

std::string_view role_of(SpanKind kind) {
    const std::string_view view = view_of(kind);
    if (view == "ops") return "op";
    if (view == "api_calls") return "api_call";
    if (view == "module_calls") return "layer";
    if (view == "annotations") return "range";
    if (kind == SpanKind::kIteration) return "iteration";
    if (kind == SpanKind::kPython) return "python";
    if (view == "kernels") return "kernel";
    return view == "other_spans" ? "call" : "device_work";
}

// Answers one question about one event.
class EventReader {
  public:
    EventReader(const Timeline::Data& data, size_t track, size_t lane, size_t place)
        : data_(data), track_(track), kind_(data.lanes[track].kind(place)) {
        out_.place = data.place(track, lane, place);
        row_track_ = out_.place.track / static_cast<int64_t>(TrackPart::kCount);
    }

    Result<TimelineEvent> read() {
        OPSIGHT_TRY(read_fields());
        OPSIGHT_TRY(read_nvtx());
        out_.chain.push_back({std::string(role_of(kind_)), out_.place});
        const std::string_view view = view_of(kind_);
        if (view == "ops") OPSIGHT_TRY(add_op_links());
        if (view == "api_calls") OPSIGHT_TRY(add_ops(number("op_span")));
        const TrackPart part = data_.tracks[track_].part;
        if (part == TrackPart::kStream || part == TrackPart::kWaits) OPSIGHT_TRY(add_launch());
        OPSIGHT_TRY(add_layer());
        OPSIGHT_TRY(add_iteration());
        if (view == "api_calls" || view == "ops" || view == "module_calls" || view == "annotations")
            OPSIGHT_TRY(add_launched(view == "api_calls"));
        return std::move(out_);
    }

  private:
    // A statement about the span: its number, begin and track.
    duck::Statement here(const duck::Sql& file) const {
        return duck::Statement(file)
            .set("id", int64_t{out_.place.span})
            .set("begin_ns", out_.place.begin_ns)
            .set("track", row_track_);
    }

    Status read_fields() {
        const std::string_view name = view_of(kind_);
        if (name.empty()) return {};
        OPSIGHT_ASSIGN(const duck::Rows rows,
                       data_.query(here(timeline::sql::event_fields).set("view", std::string(name))));
        if (rows.rows.empty()) return {};
        const auto view = std::find_if(db::views().begin(), db::views().end(),
                                       [name](const db::View& v) { return v.name == name; });
        for (size_t i = 0; i < rows.columns.size() && i < view->columns.size(); ++i)
            out_.fields.push_back({rows.columns[i].name, std::string(view->columns[i].doc),
                                   unit_of(view->columns[i].unit), rows.rows[0][i]});
        // As the profile has it: the picture may have cut off an overlap that is but rounding.
        out_.place.dur_ns = number("dur_ns", out_.place.dur_ns);
        return {};
    }

    // What the NVTX range that the event was read from says beside its name.
    Status read_nvtx() {
        const std::string_view name = view_of(kind_);
        if (name != "ops" && name != "module_calls" && name != "annotations" && name != "other_spans")
            return {};
        OPSIGHT_ASSIGN(const duck::Rows rows, data_.query(here(timeline::sql::event_nvtx)));
        constexpr const char* kDocs[] = {"the range as written", "name of its NVTX domain",
                                         "its NVTX category", "its NVTX payload"};
        if (rows.rows.empty()) return {};
        for (size_t i = 0; i < rows.columns.size(); ++i) {
            const std::string* value = std::get_if<std::string>(&rows.rows[0][i]);
            if (value && *value != text("name"))
                out_.fields.push_back({rows.columns[i].name, kDocs[i], Unit::kNone, *value});
        }
        return {};
    }

    int64_t number(std::string_view key, int64_t otherwise = -1) const {
        for (const EventField& field : out_.fields)
            if (field.key == key) return integer(field.value, otherwise);
        return otherwise;
    }
    std::string text(std::string_view key) const {
        for (const EventField& field : out_.fields)
            if (field.key == key)
                if (const std::string* value = std::get_if<std::string>(&field.value)) return *value;
        return {};
    }

    // Adds the span of a row to the chain; a row that the timeline does not show is left out.
    void add(std::string_view role, int64_t row_track, TrackPart part, int64_t ref, int64_t begin_ns) {
        const auto found = data_.by_id.find(timeline_track_id(row_track, part));
        if (found == data_.by_id.end()) return;
        const SpanLanes& spans = data_.lanes[found->second];
        const auto [lane, place] = spans.find(static_cast<uint32_t>(ref), begin_ns);
        if (lane < spans.lanes())
            out_.chain.push_back({std::string(role), data_.place(found->second, lane, place)});
    }

    Status add_launch() {
        const int64_t launch = number("launch_id");
        if (launch >= 0) {
            OPSIGHT_ASSIGN(const duck::Rows rows,
                           data_.query(duck::Statement(timeline::sql::call_place).set("id", launch)));
            for (const auto& row : rows.rows)
                add("api_call", integer(row[0], -1), TrackPart::kCalls, launch, integer(row[1], -1));
        }
        return add_ops(number("op_span"));
    }

    // An op and the ops around it.
    Status add_ops(int64_t op) {
        for (int i = 0; op >= 0 && i < kMostParents; ++i) {
            OPSIGHT_ASSIGN(const duck::Rows rows,
                           data_.query(duck::Statement(timeline::sql::op_place).set("id", op)));
            if (rows.rows.empty()) break;
            const auto& row = rows.rows[0];
            add("op", integer(row[0], -1), TrackPart::kCalls, op, integer(row[1], -1));
            if (host_track_ < 0) {
                host_track_ = integer(row[0], -1);
                host_begin_ = integer(row[1], -1);
            }
            op = integer(row[2], -1);
        }
        return {};
    }

    Status add_op_links() {
        OPSIGHT_TRY(add_ops(number("parent_op")));
        duck::Statement linked(timeline::sql::linked_ops);
        linked.set("forward", number("forward_op"))
            .set("id", int64_t{out_.place.span})
            .set("most", kMostBackward);
        OPSIGHT_ASSIGN(const duck::Rows rows, data_.query(linked));
        for (const auto& row : rows.rows)
            add(opsight::query::text(row[0]), integer(row[2], -1), TrackPart::kCalls, integer(row[1], -1),
                integer(row[3], -1));
        return {};
    }

    // The innermost module call around the innermost op of the chain, else the name of the layer alone.
    Status add_layer() {
        const std::string layer = text("layer");
        if (layer.empty() || kind_ == SpanKind::kModule) return {};
        const bool elsewhere = host_track_ >= 0 && view_of(kind_) != "ops";
        const int64_t track = elsewhere ? host_track_ : row_track_;
        const int64_t begin = elsewhere ? host_begin_ : out_.place.begin_ns;
        duck::Statement around(timeline::sql::module_call_around);
        OPSIGHT_ASSIGN(const duck::Rows rows, data_.query(around.set("track", track).set("begin_ns", begin)));
        const size_t before = out_.chain.size();
        for (const auto& row : rows.rows)
            add("layer", track, TrackPart::kCalls, integer(row[0], -1), integer(row[1], -1));
        if (out_.chain.size() == before) out_.chain.push_back({"layer", {}});
        out_.chain.back().place.name = layer;
        return {};
    }

    Status add_iteration() {
        const int64_t iteration = number("iteration");
        if (iteration < 0) return {};
        OPSIGHT_ASSIGN(const duck::Rows rows,
                       data_.query(here(timeline::sql::iteration_place).set("number", iteration)));
        for (const auto& row : rows.rows)
            add("iteration", integer(row[0], -1), TrackPart::kIterations, integer(row[1], -1),
                integer(row[2], -1));
        return {};
    }

    // Device work of an API call, or of the calls of its thread that begin within a host span: their numbers
    // follow each other, for host spans are numbered by (track, begin).
    Status add_launched(bool of_call) {
        int64_t first = out_.place.span, last = first;
        if (!of_call) {
            const int64_t end = out_.place.begin_ns + out_.place.dur_ns;
            OPSIGHT_ASSIGN(const duck::Rows calls,
                           data_.query(here(timeline::sql::calls_within).set("end_ns", end)));
            first = integer(calls.rows.at(0)[0], -1);
            last = integer(calls.rows.at(0)[1], -1);
        }
        if (first < 0) return {};
        const auto between = [&](const duck::Sql& file) {
            return duck::Statement(file).set("first", first).set("last", last).set("most", kMostLaunched);
        };
        OPSIGHT_ASSIGN(const duck::Rows count, data_.query(between(timeline::sql::launched_count)));
        out_.launched_in_all = integer(count.rows.at(0)[0], 0);
        if (out_.launched_in_all == 0) return {};
        OPSIGHT_ASSIGN(const duck::Rows rows, data_.query(between(timeline::sql::launched)));
        for (const auto& row : rows.rows)
            add("launched", integer(row[1], -1), TrackPart::kStream, integer(row[0], -1),
                integer(row[2], -1));
        return {};
    }

    const Timeline::Data& data_;
    size_t track_;
    SpanKind kind_;
    int64_t row_track_ = -1;
    int64_t host_track_ = -1, host_begin_ = 0;  // of the innermost op of the chain
    TimelineEvent out_;
};

}  // namespace

Result<TimelineEvent> Timeline::event(int64_t track, uint32_t span) const {
    OPSIGHT_ASSIGN(const size_t index, data_->index_of(track));
    const SpanLanes& spans = data_->lanes[index];
    for (size_t lane = 0; lane < spans.lanes(); ++lane)
        for (size_t i = spans.lane_begin(lane); i < spans.lane_end(lane); ++i)
            if (spans.ref(i) == span) return EventReader(*data_, index, lane, i).read();
    return fail(Error{
        fmt::format("track {} has no event {}", track, span), data_->path, {}, {}, 2, ErrorCode::kNotFound});
}

}  // namespace opsight::query
