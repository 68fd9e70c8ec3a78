// Rules on how much of the time a device is used.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "query/nsys/expert.h"
#include "query/nsys/sql.h"
#include "query/session/cells.h"
#include "query/session/sql.h"
#include "query/session/stored_pauses.h"

namespace opsight::query::nsys {
namespace {

struct Work {
    int64_t begin = 0, end = 0;
    bool overhead = false;  // of the profiler: no gap of the program
};

// One process's use of one device.
struct Use {
    int64_t rank = -1;
    Cell pid, device, context;
    std::vector<Work> work;               // by begin
    std::vector<RecordingPause> unknown;  // pauses of its recording, by begin
};

// A pause of a recording tells nothing of the device.
Status take_pauses(Source& source, std::vector<Use>& uses) {
    OPSIGHT_ASSIGN(const duck::Rows rows, source.query(session::sql::pauses));
    for (const RecordingPause& pause : stored_pauses(rows))
        for (Use& use : uses)
            if (use.rank == static_cast<int64_t>(pause.rank.value)) use.unknown.push_back(pause);
    return {};
}

// The work of each (process, device), with the profiler's overhead in that process among it where asked for.
Result<std::vector<Use>> load_use(Source& source, bool with_overhead) {
    OPSIGHT_ASSIGN(const duck::Rows owners, source.query(sql::device_owners));
    std::map<std::tuple<int64_t, int64_t, int64_t>, size_t> known;
    std::map<int64_t, size_t> use_of_track;
    std::vector<Use> uses;
    for (const auto& row : owners.rows) {
        const int64_t rank = integer(row[4], -1);
        const auto [it, is_new] =
            known.try_emplace({rank, integer(row[1], -1), integer(row[2], -1)}, uses.size());
        if (is_new) uses.push_back({rank, row[1], row[2], row[3], {}, {}});
        use_of_track[integer(row[0], -1)] = it->second;
    }
    OPSIGHT_TRY(source.connection().scan(duck::Statement(sql::device_work), [&](const duck::Batch& batch) {
        for (size_t i = 0; i < batch.size(); ++i)
            if (const auto use = use_of_track.find(batch.column<int32_t>(0)[i]); use != use_of_track.end())
                uses[use->second].work.push_back(
                    {batch.column<int64_t>(1)[i], batch.column<int64_t>(2)[i], false});
    }));
    std::erase_if(uses, [](const Use& use) { return use.work.empty(); });
    if (with_overhead) {
        OPSIGHT_TRY(source.connection().scan(duck::Statement(sql::profiler_overhead), [&](const duck::Batch&
                                                                                              batch) {
            for (size_t i = 0; i < batch.size(); ++i)
                for (Use& use : uses)
                    if (integer(use.pid, -1) == batch.column<int64_t>(0)[i])
                        use.work.push_back({batch.column<int64_t>(1)[i], batch.column<int64_t>(2)[i], true});
        }));
    }
    for (Use& use : uses)
        std::sort(use.work.begin(), use.work.end(),
                  [](const Work& a, const Work& b) { return a.begin < b.begin; });
    OPSIGHT_TRY(take_pauses(source, uses));
    return uses;
}

struct Stretch {
    int64_t begin = 0, end = 0;
    double use_pct = 0;
    const Use* use = nullptr;
};

std::pair<int64_t, int64_t> active_range(const Use& use) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (const Work& work : use.work) {
        if (work.overhead) continue;
        first = std::min(first, work.begin);
        last = std::max(last, work.end);
    }
    return {first, last};
}

void add_gaps(const Use& use, int64_t longest, std::vector<Stretch>& gaps) {
    const auto [first, last] = active_range(use);
    int64_t busy_until = first;
    auto pause = use.unknown.begin();
    const auto idle_until = [&](int64_t begin) {
        if (begin - busy_until > longest) gaps.push_back({busy_until, begin, 0, &use});
    };
    const auto pass_pauses = [&, last = last](int64_t until) {
        for (; pause != use.unknown.end() && pause->begin < until; ++pause) {
            idle_until(std::min(pause->begin, last));
            busy_until = std::max(busy_until, std::min(pause->end, last));
        }
    };
    for (const Work& work : use.work) {
        const int64_t begin = std::min(work.begin, last);
        pass_pauses(begin);
        idle_until(begin);
        busy_until = std::max(busy_until, std::min(work.end, last));
    }
}

// Of the time in which a device was recorded: all of it in one chunk, and in one piece.
struct Piece {
    int64_t begin = 0, end = 0, used = 0;
};

// From the first to the last work, without pauses of the recording, in as many equal chunks.
std::vector<Piece> recorded_pieces(const Use& use, int64_t chunks) {
    const auto [first, last] = active_range(use);
    std::vector<std::pair<int64_t, int64_t>> parts;
    int64_t from = first, total = 0;
    const auto add_part = [&](int64_t until) {
        if (until <= from) return;
        parts.emplace_back(from, until);
        total += until - from;
    };
    for (const RecordingPause& pause : use.unknown) {
        add_part(std::min(pause.begin, last));
        from = std::max(from, pause.end);
    }
    add_part(last);
    std::vector<Piece> pieces;
    if (total < chunks) return pieces;
    int64_t passed = 0;  // of the recorded time
    size_t chunk = 0;
    for (const auto& [begin, end] : parts)
        for (int64_t at = begin; at < end;) {
            const auto edge = static_cast<int64_t>(static_cast<__int128>(total) *
                                                   (static_cast<int64_t>(chunk) + 1) / chunks);
            const int64_t until = std::min(end, at + edge - passed);
            pieces.push_back({at, until, 0});
            passed += until - at;
            at = until;
            if (passed == edge) ++chunk;
        }
    return pieces;
}

// Chunks used less than the threshold; neighbours are one stretch, up to a pause of the recording.
void add_low_use(const Use& use, const Thresholds& thresholds, std::vector<Stretch>& low) {
    std::vector<Piece> pieces = recorded_pieces(use, thresholds.chunks);
    for (const Work& work : use.work) {
        auto piece = std::upper_bound(pieces.begin(), pieces.end(), work.begin,
                                      [](int64_t begin, const Piece& p) { return begin < p.end; });
        for (; piece != pieces.end() && piece->begin < work.end; ++piece)
            piece->used += std::min(work.end, piece->end) - std::max(work.begin, piece->begin);
    }
    const size_t first = low.size();
    int64_t busy = 0;
    for (const Piece& piece : pieces) {
        if (piece.used * 100 >= thresholds.use_pct * (piece.end - piece.begin)) continue;
        if (low.size() == first || low.back().end != piece.begin) {
            low.push_back({piece.begin, piece.begin, 0, &use});
            busy = 0;
        }
        busy += piece.used;
        low.back().end = piece.end;
        low.back().use_pct =
            100.0 * static_cast<double>(busy) / static_cast<double>(piece.end - low.back().begin);
    }
}

ResultTable stretches_table(Source& source, std::vector<Stretch> list, int64_t rows, bool with_use) {
    ResultTable table;
    table.columns = {headed::id("Row#")};
    if (with_use) table.columns.push_back(headed::percent("In-Use (%)"));
    for (const Column& column :
         std::vector<Column>{headed::time("Duration"), headed::moment("Start"), headed::id("PID"),
                             headed::id("Device ID"), headed::id("Context ID")})
        table.columns.push_back(column);
    if (static_cast<int64_t>(list.size()) > rows) list.resize(static_cast<size_t>(rows));
    for (const Stretch& s : list) {
        std::vector<Cell>& row = table.rows.emplace_back();
        row.emplace_back(static_cast<int64_t>(table.rows.size()));
        if (with_use) row.emplace_back(s.use_pct);
        row.emplace_back(s.end - s.begin);
        row.emplace_back(source.shown_time(s.begin));
        row.insert(row.end(), {s.use->pid, s.use->device, s.use->context});
    }
    return table;
}

Result<ResultTable> gpu_gaps(Source& source, const Thresholds& thresholds) {
    OPSIGHT_ASSIGN(const std::vector<Use> uses, load_use(source, true));
    std::vector<Stretch> gaps;
    for (const Use& use : uses)
        add_gaps(use, thresholds.gap_ms * 1'000'000, gaps);
    std::stable_sort(gaps.begin(), gaps.end(), [](const Stretch& a, const Stretch& b) {
        return a.end - a.begin != b.end - b.begin ? a.end - a.begin > b.end - b.begin : a.begin < b.begin;
    });
    return stretches_table(source, std::move(gaps), thresholds.rows, false);
}

Result<ResultTable> gpu_time_util(Source& source, const Thresholds& thresholds) {
    OPSIGHT_ASSIGN(const std::vector<Use> uses, load_use(source, false));
    std::vector<Stretch> low;
    for (const Use& use : uses)
        add_low_use(use, thresholds, low);
    std::stable_sort(low.begin(), low.end(), [](const Stretch& a, const Stretch& b) {
        return a.use_pct != b.use_pct ? a.use_pct < b.use_pct : a.begin < b.begin;
    });
    return stretches_table(source, std::move(low), thresholds.rows, true);
}

constexpr const char* kGapAdvice =
    "\n\nSuggestions:\n   1. See what the CPU does meanwhile: calls of the OS runtime, locks, the data "
    "pipeline.\n"
    "   2. Annotate the host code to see which part of it the device waits for.";

}  // namespace

std::vector<Rule> gpu_use_rules() {
    using Text = const Thresholds&;
    return {
        {{"gpu_gaps",
          "Stretches in which a process leaves a device idle, between its first and last work there. Time of "
          "the profiler's own overhead and pauses of the recording do not count.",
          "GPU Gaps"},
         {"gap"},
         Data::kKernels,
         "CUDA kernels",
         [](Text t) {
             return fmt::format("A GPU is idle for more than {} ms here. Closing the gaps saves time.{}",
                                t.gap_ms, kGapAdvice);
         },
         [](Text t) { return fmt::format("No GPU is idle for more than {} ms.", t.gap_ms); },
         gpu_gaps},
        {{"gpu_time_util",
          "Parts of a device's active time in which it is used little. Concurrent work adds up, so that more "
          "than 100% is possible; it is time, not use of the device's units. Pauses of the recording "
          "are left out.",
          "GPU Time Utilization"},
         {"threshold", "chunks"},
         Data::kKernels,
         "CUDA kernels",
         [](Text t) {
             return fmt::format("A GPU is used for less than {}% of the time here.{}", t.use_pct, kGapAdvice);
         },
         [](Text t) { return fmt::format("No stretch of time is used for less than {}%.", t.use_pct); },
         gpu_time_util},
    };
}

}  // namespace opsight::query::nsys
