// Rules on how much of the time a device is used.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "query/nsys/expert.h"
#include "query/nsys/sql.h"
#include "query/session/cells.h"

namespace opsight::query::nsys {
namespace {

struct Work {
    int64_t begin = 0, end = 0;
    bool overhead = false;  // of the profiler: no gap of the program
};

// One process's use of one device.
struct Use {
    Cell pid, device, context;
    std::vector<Work> work;  // by begin
};

// The work of each (process, device), with the profiler's overhead in that process among it where asked for.
Result<std::vector<Use>> load_use(Source& source, bool with_overhead) {
    OPSIGHT_ASSIGN(const duck::Rows owners, source.query(sql::device_owners));
    std::map<std::pair<int64_t, int64_t>, size_t> known;
    std::map<int64_t, size_t> use_of_track;
    std::vector<Use> uses;
    for (const auto& row : owners.rows) {
        const auto [it, is_new] = known.try_emplace({integer(row[1], -1), integer(row[2], -1)}, uses.size());
        if (is_new) uses.push_back({row[1], row[2], row[3], {}});
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
    for (const Work& work : use.work) {
        const int64_t begin = std::min(work.begin, last);
        if (begin - busy_until > longest) gaps.push_back({busy_until, begin, 0, &use});
        busy_until = std::max(busy_until, std::min(work.end, last));
    }
}

// Chunks used less than the threshold; neighbours are one stretch.
void add_low_use(const Use& use, const Thresholds& thresholds, std::vector<Stretch>& low) {
    const auto [first, last] = active_range(use);
    const int64_t chunks = thresholds.chunks;
    if (last - first < chunks) return;
    const auto edge = [first = first, last = last, chunks](int64_t i) {
        return first + static_cast<int64_t>(static_cast<__int128>(last - first) * i / chunks);
    };
    const int64_t size = (last - first) / chunks;
    std::vector<int64_t> used(static_cast<size_t>(chunks), 0);
    for (const Work& work : use.work) {
        int64_t i = std::clamp<int64_t>((work.begin - first) / (size + 1), 0, chunks - 1);
        while (i + 1 < chunks && edge(i + 1) <= work.begin)
            ++i;
        for (; i < chunks && edge(i) < work.end; ++i)
            used[static_cast<size_t>(i)] += std::min(work.end, edge(i + 1)) - std::max(work.begin, edge(i));
    }
    bool open = false;
    int64_t busy = 0;
    for (int64_t i = 0; i < chunks; ++i) {
        const int64_t time = edge(i + 1) - edge(i), in_use = used[static_cast<size_t>(i)];
        const bool is_low = in_use * 100 < thresholds.use_pct * time;
        if (is_low && !open) {
            low.push_back({edge(i), edge(i), 0, &use});
            busy = 0;
        }
        open = is_low;
        if (!is_low) continue;
        busy += in_use;
        low.back().end = edge(i + 1);
        low.back().use_pct =
            100.0 * static_cast<double>(busy) / static_cast<double>(low.back().end - low.back().begin);
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
          "the "
          "profiler's own overhead does not count.",
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
          "than "
          "100% is possible; it is time, not use of the device's units.",
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
