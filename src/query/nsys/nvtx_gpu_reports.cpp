// NVTX ranges and the device work launched inside them.
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>

#include "query/nsys/kernels.h"
#include "query/nsys/sql.h"
#include "query/session/range_projection.h"

namespace opsight::query::nsys {
namespace {

std::string style_text(uint8_t style) {
    return style == 0 ? "PushPop" : "StartEnd";
}

struct Spread {
    int64_t total = 0, least = 0, most = 0;
    double average = 0, middle = 0, deviation = 0;
};

// Of `values`, which it sorts; there is one at least.
Spread spread_of(int64_t* values, size_t count) {
    std::sort(values, values + count);
    Spread s;
    for (size_t i = 0; i < count; ++i)
        s.total += values[i];
    s.least = values[0];
    s.most = values[count - 1];
    const auto n = static_cast<double>(count);
    s.average = static_cast<double>(s.total) / n;
    const auto upper = static_cast<double>(values[count / 2]);
    s.middle = count % 2 == 1 ? upper : (upper + static_cast<double>(values[count / 2 - 1])) / 2;
    double squares = 0;
    for (size_t i = 0; i < count; ++i) {
        const double d = static_cast<double>(values[i]) - s.average;
        squares += d * d;
    }
    s.deviation = count > 1 ? std::sqrt(squares / (n - 1)) : 0;
    return s;
}

// Values by group, filled in any order and then laid side by side.
class GroupedValues {
  public:
    void add(uint32_t group, int64_t value) {
        groups_.push_back(group);
        values_.push_back(value);
    }
    // Calls take(group, values, count) for every group.
    template <class Take>
    void each(size_t group_count, const Take& take) {
        std::vector<size_t> at(group_count + 1, 0);
        for (const uint32_t group : groups_)
            ++at[group + 1];
        for (size_t g = 0; g < group_count; ++g)
            at[g + 1] += at[g];
        std::vector<int64_t> sorted(values_.size());
        std::vector<size_t> next(at.begin(), at.end() - 1);
        for (size_t i = 0; i < values_.size(); ++i)
            sorted[next[groups_[i]]++] = values_[i];
        values_ = {};
        for (size_t g = 0; g < group_count; ++g)
            take(g, sorted.data() + at[g], at[g + 1] - at[g]);
    }

  private:
    std::vector<uint32_t> groups_;
    std::vector<int64_t> values_;
};

// The kernels' names that the arguments ask for, numbered: two kernels may share one.
struct KernelNames {
    std::vector<std::string> texts;
    std::vector<uint32_t> of_kernel;  // by kernel_names.id
};

Result<KernelNames> load_kernel_names(Source& source, const Arguments& arguments) {
    KernelNames names;
    OPSIGHT_ASSIGN(const duck::Statement statement, over_kernels(source, arguments, sql::kernel_names));
    OPSIGHT_ASSIGN(const duck::Rows rows, source.query(statement));
    absl::flat_hash_map<std::string, uint32_t> known;
    for (const auto& row : rows.rows) {
        const auto id = static_cast<size_t>(std::get<int64_t>(row[0]));
        if (id >= names.of_kernel.size()) names.of_kernel.resize(id + 1, 0);
        const auto [it, is_new] =
            known.try_emplace(std::get<std::string>(row[1]), static_cast<uint32_t>(names.texts.size()));
        if (is_new) names.texts.push_back(it->first);
        names.of_kernel[id] = it->second;
    }
    return names;
}

struct KernelGroup {
    int32_t label = 0, track = 0;
    uint32_t kernel = 0;
    uint8_t style = 0;
    int64_t ranges = 0;
    uint32_t last_range = UINT32_MAX;
};

struct KernelGroups {
    std::vector<KernelGroup> list;
    GroupedValues durations;
};

KernelGroups group_kernels(const Ranges& ranges, const Launches& launches, const KernelNames& names) {
    using Key = std::tuple<int32_t, int32_t, uint32_t, uint8_t>;
    KernelGroups groups;
    absl::flat_hash_map<Key, uint32_t> known;
    for (uint32_t i = 0; i < ranges.size(); ++i)
        launches.inside(ranges.track[i], ranges.begin[i], ranges.end[i], [&](size_t first, size_t last) {
            for (size_t l = first; l < last; ++l) {
                const Launch& launch = launches.list()[l];
                const uint32_t kernel = names.of_kernel[static_cast<size_t>(launch.kernel)];
                const auto [it, is_new] =
                    known.try_emplace(Key{ranges.label[i], ranges.track[i], kernel, ranges.style[i]},
                                      static_cast<uint32_t>(groups.list.size()));
                if (is_new)
                    groups.list.push_back({ranges.label[i], ranges.track[i], kernel, ranges.style[i]});
                KernelGroup& group = groups.list[it->second];
                if (group.last_range != i) ++group.ranges;
                group.last_range = i;
                groups.durations.add(it->second, launch.end - launch.begin);
            }
        });
    return groups;
}

// Rows by descending `key`, then by the texts that follow.
void sort_rows(ResultTable& table, size_t key, const std::vector<size_t>& ties) {
    std::stable_sort(table.rows.begin(), table.rows.end(), [&](const auto& a, const auto& b) {
        if (a[key] != b[key]) return a[key] > b[key];
        for (const size_t tie : ties)
            if (a[tie] != b[tie]) return a[tie] < b[tie];
        return false;
    });
}

Result<ResultTable> range_kern_sum(Source& source, const Arguments& arguments) {
    OPSIGHT_ASSIGN(const KernelNames kernels, load_kernel_names(source, arguments));
    OPSIGHT_ASSIGN(const RangeNames names, load_range_names(source.connection()));
    OPSIGHT_ASSIGN(const Launches launches, load_launches(source.connection(), true));
    KernelGroups groups;
    {
        OPSIGHT_ASSIGN(const Ranges ranges, load_ranges(source.connection()));
        groups = group_kernels(ranges, launches, kernels);
    }
    ResultTable table;
    table.columns = {headed::text("NVTX Range"), headed::text("Style"),      headed::id("PID"),
                     headed::id("TID"),          headed::count("NVTX Inst"), headed::count("Kern Inst"),
                     headed::time("Total Time"), headed::time("Avg"),        headed::time("Med"),
                     headed::time("Min"),        headed::time("Max"),        headed::time("StdDev"),
                     headed::text("Kernel Name")};
    groups.durations.each(groups.list.size(), [&](size_t g, int64_t* values, size_t count) {
        const KernelGroup& group = groups.list[g];
        const Spread s = spread_of(values, count);
        const auto track = static_cast<size_t>(group.track);
        table.rows.push_back({names.label(group.label), style_text(group.style), names.pid[track],
                              names.tid[track], group.ranges, static_cast<int64_t>(count), s.total, s.average,
                              s.middle, s.least, s.most, s.deviation, kernels.texts[group.kernel]});
    });
    sort_rows(table, 6, {0, 12, 2, 3, 1});
    return table;
}

struct ProjectedGroup {
    int32_t label = 0;
    uint8_t style = 0;
    int64_t range_time = 0, work = 0, levels = 0, children = 0;
};

Result<ResultTable> proj_sum(Source& source, const Arguments&) {
    OPSIGHT_ASSIGN(const RangeNames names, load_range_names(source.connection()));
    std::vector<ProjectedGroup> groups;
    GroupedValues durations;
    {
        OPSIGHT_ASSIGN(const Ranges ranges, load_ranges(source.connection()));
        OPSIGHT_ASSIGN(const Launches launches, load_launches(source.connection(), false));
        const Nesting nesting = nesting_of(ranges);
        absl::flat_hash_map<std::pair<int32_t, uint8_t>, uint32_t> known;
        for (const Projected& p : project(ranges, launches)) {
            const uint32_t i = p.range;
            const auto [it, is_new] = known.try_emplace(std::pair(ranges.label[i], ranges.style[i]),
                                                        static_cast<uint32_t>(groups.size()));
            if (is_new) groups.push_back({ranges.label[i], ranges.style[i]});
            ProjectedGroup& group = groups[it->second];
            group.range_time += ranges.end[i] - ranges.begin[i];
            group.work += p.work;
            group.levels += nesting.level[i];
            group.children += nesting.children[i];
            durations.add(it->second, p.end - p.begin);
        }
    }
    ResultTable table;
    table.columns = {headed::text("Range"),
                     headed::text("Style"),
                     headed::time("Total Proj Time"),
                     headed::time("Total Range Time"),
                     headed::count("Range Instances"),
                     headed::time("Proj Avg"),
                     headed::time("Proj Med"),
                     headed::time("Proj Min"),
                     headed::time("Proj Max"),
                     headed::time("Proj StdDev"),
                     headed::count("Total GPU Ops"),
                     headed::number("Avg GPU Ops"),
                     headed::number("Avg Range Lvl"),
                     headed::number("Avg Num Child")};
    durations.each(groups.size(), [&](size_t g, int64_t* values, size_t count) {
        const ProjectedGroup& group = groups[g];
        const Spread s = spread_of(values, count);
        const auto mean = [n = static_cast<double>(count)](int64_t sum) {
            return static_cast<double>(sum) / n;
        };
        table.rows.push_back({names.label(group.label), style_text(group.style), s.total, group.range_time,
                              static_cast<int64_t>(count), s.average, s.middle, s.least, s.most, s.deviation,
                              group.work, mean(group.work), mean(group.levels), mean(group.children)});
    });
    sort_rows(table, 2, {0, 1});
    return table;
}

Result<ResultTable> proj_trace(Source& source, const Arguments&) {
    OPSIGHT_ASSIGN(const RangeNames names, load_range_names(source.connection()));
    OPSIGHT_ASSIGN(const Ranges ranges, load_ranges(source.connection()));
    OPSIGHT_ASSIGN(const Launches launches, load_launches(source.connection(), false));
    const Nesting nesting = nesting_of(ranges);
    std::vector<Projected> list = project(ranges, launches);
    std::stable_sort(list.begin(), list.end(),
                     [](const Projected& a, const Projected& b) { return a.begin < b.begin; });
    ResultTable table;
    table.columns = {headed::text("Name"),
                     headed::moment("Projected Start"),
                     headed::time("Projected Duration"),
                     headed::moment("Orig Start"),
                     headed::time("Orig Duration"),
                     headed::text("Style"),
                     headed::id("PID"),
                     headed::id("TID"),
                     headed::count("NumGPUOps"),
                     headed::count("Lvl"),
                     headed::count("NumChild"),
                     headed::id("RangeId"),
                     headed::id("ParentId"),
                     headed::text("RangeStack")};
    for (const Projected& p : list) {
        const uint32_t i = p.range, parent = nesting.parent[i];
        const auto track = static_cast<size_t>(ranges.track[i]);
        table.rows.push_back({names.label(ranges.label[i]), source.shown_time(p.begin), p.end - p.begin,
                              source.shown_time(ranges.begin[i]), ranges.end[i] - ranges.begin[i],
                              style_text(ranges.style[i]), names.pid[track], names.tid[track], p.work,
                              int64_t{nesting.level[i]}, int64_t{nesting.children[i]}, int64_t{ranges.id[i]},
                              parent == Nesting::kNoParent ? Cell() : Cell(int64_t{ranges.id[parent]}),
                              stack_text(ranges, nesting, i)});
    }
    return table;
}

}  // namespace

std::vector<Report> nvtx_gpu_reports() {
    using enum Data;
    const auto with_work = [](Report made) {
        return needing_any(std::move(made), {kKernels, kMemory}, data_name(kApi));
    };
    return {
        report(
            "nvtx_kern_sum", "nvtxkernsum", "NVTX Range Kernel Summary", kKernelName, {kNvtx, kKernels},
            range_kern_sum,
            "Kernels by the NVTX ranges around their launch; a kernel counts in every range of the stack."),
        with_work(report("nvtx_gpu_proj_sum", "nvtxgpuprojsum", "NVTX GPU Projection Summary", kNone, {kNvtx},
                         proj_sum, "NVTX ranges by name, as long as the device work launched inside.")),
        with_work(report("nvtx_gpu_proj_trace", "nvtxgpuproj", "NVTX GPU Projection Trace", kNone, {kNvtx},
                         proj_trace, "Every NVTX range with device work, projected onto the device."))};
}

}  // namespace opsight::query::nsys
