#include "query/whatif/path.h"

#include <algorithm>
#include <unordered_map>

#include "query/session/cells.h"
#include "query/session/track_id.h"
#include "query/whatif/sql.h"
#include "query/whatif/stretch_replay.h"

namespace opsight::query {
namespace {

class Collector {
  public:
    explicit Collector(CriticalPath& to) : to_(to) {}

    void add(const Stretch& stretch, const StretchReplay& run) {
        run.take_path(false, [&](const replay::PathPiece& piece) {
            const int64_t ns = piece.end - piece.begin;
            to_.length_ns += ns;
            if (piece.piece == replay::Piece::kTask) return add_task(stretch, run, piece, ns);
            to_.delays_ns += ns;
            const bool unexplained =
                piece.piece == replay::Piece::kOtherDelay || piece.piece == replay::Piece::kUnexplained;
            if (unexplained) unexplained_ns_ += ns;
        });
        WhatIf sums;
        run.add_to(sums);
        iterations_.insert(iterations_.end(), sums.iterations.begin(), sums.iterations.end());
    }

    void finish() {
        auto& pieces = to_.pieces;
        std::sort(pieces.begin(), pieces.end(), [](const PathPiece& a, const PathPiece& b) {
            return std::pair(a.rank, a.begin_ns) < std::pair(b.rank, b.begin_ns);
        });
        to_.iterations = std::ssize(iterations_);
        to_.error = replay_error(iterations_);
        if (to_.length_ns > 0)
            to_.unexplained = static_cast<double>(unexplained_ns_) / static_cast<double>(to_.length_ns);
    }

  private:
    void add_task(const Stretch& stretch, const StretchReplay& run, const replay::PathPiece& piece,
                  int64_t ns) {
        const replay::Task& task = run.task_of(piece);
        const SpanLabel* label = run.label_of(task);
        const bool device = task.kind == replay::TaskKind::kDevice;
        const auto& tracks = device ? stretch.device_tracks : stretch.host_tracks;
        PathPiece out;
        out.rank = stretch.rank;
        // What begins before the path does is cut off at its begin.
        out.begin_ns = task.begin + std::max<int64_t>(task.duration - ns, 0);
        out.dur_ns = ns;
        if (const auto row = tracks.at(static_cast<size_t>(task.place)); row >= 0)
            out.track = timeline_track_id(row, device ? TrackPart::kStream : TrackPart::kCalls);
        out.kind = kind_name(label ? label->doing : Doing::kNothing);
        out.name = number_of(label ? run.name_of(*label) : kGap);
        if (label) {
            out.span = label->span;
            out.op = label->op;
            out.outside = label->outside;
            if (label->doing == Doing::kKernel || label->doing == Doing::kCollective)
                out.kernel = label->name;
        }
        // The path goes backwards: what touches the piece before it in the same span is one with it.
        PathPiece* after = to_.pieces.empty() ? nullptr : &to_.pieces.back();
        if (after && after->rank == out.rank && after->track == out.track && after->span == out.span &&
            after->name == out.name && out.begin_ns + out.dur_ns == after->begin_ns) {
            after->begin_ns = out.begin_ns;
            after->dur_ns += out.dur_ns;
        } else {
            to_.pieces.push_back(out);
        }
    }

    int32_t number_of(const std::string& name) {
        const auto [found, fresh] = numbers_.emplace(name, static_cast<int32_t>(to_.names.size()));
        if (fresh) to_.names.push_back(name);
        return found->second;
    }

    static inline const std::string kGap = "host, outside of ops and calls";
    CriticalPath& to_;
    std::unordered_map<std::string, int32_t> numbers_;
    std::vector<ReplayedIteration> iterations_;
    int64_t unexplained_ns_ = 0;
};

}  // namespace

Result<int64_t> too_many_to_replay(Session& session) {
    constexpr int64_t kMost = 2'000'000;
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(whatif::sql::spans_to_replay));
    const int64_t spans = integer(rows.rows.at(0)[0]);
    return spans > kMost ? spans : 0;
}

Result<std::optional<CriticalPath>> critical_path(Session& session) {
    OPSIGHT_ASSIGN(const int64_t spans, too_many_to_replay(session));
    if (spans > 0)
        return fail(
            Error{"the range has " + std::to_string(spans) + " spans: too many to work out its critical path",
                  session.path(),
                  {},
                  "choose fewer iterations",
                  1});
    OPSIGHT_ASSIGN(const Grounds grounds, grounds_of_replay(session));
    if (!grounds.lacks.empty()) return std::optional<CriticalPath>();
    OPSIGHT_ASSIGN(const Rules rules, make_rules(session, {}));
    CriticalPath path;
    path.unlaunched_pct = grounds.unlaunched_pct;
    Collector collector(path);
    const auto add = [&](const Stretch& stretch) -> Status {
        StretchReplay run(stretch, rules);
        OPSIGHT_TRY(run.replay());
        collector.add(stretch, run);
        return {};
    };
    OPSIGHT_TRY(each_stretch(session, rules, add));
    collector.finish();
    if (path.length_ns == 0) return std::optional<CriticalPath>();
    return std::optional<CriticalPath>(std::move(path));
}

}  // namespace opsight::query
