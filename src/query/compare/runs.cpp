#include "query/compare/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/task_group.h"

namespace opsight::query {
namespace {

struct Sides {
    std::vector<Side> base, next;
};

Result<std::vector<Side>> read_all(const RunReader& read, bool next, size_t count, RunChoice choice) {
    std::vector<Side> all;
    for (size_t run = 0; run < count; ++run) {
        OPSIGHT_ASSIGN(Side side, read(next, run, choice));
        if (!choice.rank) choice.rank = side.rank;
        all.push_back(std::move(side));
    }
    return all;
}

size_t whole_ones(const std::vector<Side>& sides) {
    return static_cast<size_t>(
        std::count_if(sides.begin(), sides.end(), [](const Side& side) { return side.range.whole; }));
}

// Beside the base, the runs of the new side are read before it is known how those of the base are, and once
// more where that turns out to be another way.
Result<Sides> read_sides(size_t base, size_t next, const RunReader& read, Reading how) {
    Sides out;
    Result<std::vector<Side>> guessed;
    {
        TaskGroup beside;
        if (how == Reading::kBeside) beside.start([&] { guessed = read_all(read, true, next, {}); });
        OPSIGHT_ASSIGN(out.base, read_all(read, false, base, {}));
        beside.join();
    }
    const bool whole = whole_ones(out.base) > 0;
    if (guessed && !guessed->empty() && guessed->front().rank == out.base[0].rank && !whole) {
        out.next = std::move(*guessed);
    } else {
        OPSIGHT_ASSIGN(out.next, read_all(read, true, next, {out.base[0].rank, whole}));
    }
    return out;
}

// Of a run whose range begins behind its first iterations: how many these are.
int64_t left_out_first(const Side& side) {
    return side.range.whole ? 0 : std::max<int64_t>(side.range.start, 0);
}

// The runs whose warm-up is shorter than that of others are read once more, without as many iterations.
Status cut_warmup_alike(Sides& sides, const RunReader& read) {
    int64_t most = 0;
    for (const std::vector<Side>* each : {&sides.base, &sides.next})
        for (const Side& side : *each)
            most = std::max(most, left_out_first(side));
    for (const bool next : {false, true}) {
        std::vector<Side>& all = next ? sides.next : sides.base;
        for (size_t run = 0; run < all.size(); ++run)
            if (left_out_first(all[run]) < most) {
                OPSIGHT_ASSIGN(all[run], read(next, run, {all[run].rank, false, most}));
            }
    }
    return {};
}

// A recording is not compared with an iteration.
Result<Sides> read_alike(size_t base, size_t next, const RunReader& read, Reading how) {
    OPSIGHT_ASSIGN(Sides out, read_sides(base, next, read, how));
    const size_t whole = whole_ones(out.base) + whole_ones(out.next);
    if (whole == 0) OPSIGHT_TRY(cut_warmup_alike(out, read));
    if (whole == 0 || whole == base + next) return out;
    if (whole_ones(out.base) < base) {
        OPSIGHT_ASSIGN(out.base, read_all(read, false, base, {out.next[0].rank, true}));
    }
    if (whole_ones(out.next) < next) {
        OPSIGHT_ASSIGN(out.next, read_all(read, true, next, {out.base[0].rank, true}));
    }
    return out;
}

std::vector<Run> runs_of(const std::vector<Side>& sides) {
    std::vector<Run> runs;
    for (const Side& side : sides)
        runs.push_back({side.label, side.rank, side.range.whole ? 0 : std::ssize(side.samples),
                        median_of(side.times()), false});
    return runs;
}

// The place of the run whose median is that of the runs; of two in the middle the faster.
size_t middle_of(const std::vector<Run>& runs) {
    std::vector<size_t> order(runs.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&runs](size_t a, size_t b) { return runs[a].median_ns < runs[b].median_ns; });
    return order[(order.size() - 1) / 2];
}

// The times of each op and each of its kernels in one run, by what tells it apart.
class TimesOfOps {
  public:
    explicit TimesOfOps(const WorkTree& tree) {
        for (const TreeOp& op : tree.ops) {
            const std::string name = key(tree, op);
            cpu_[name] += op.cpu.mean_ns;
            gpu_[name] += op.gpu.mean_ns;
            for (const DeviceWork& each : op.work)
                gpu_[name + each.name] += each.gpu.mean_ns;
        }
    }
    static std::string key(const WorkTree& tree, const TreeOp& op) {
        return fmt::format("{}\n{}\n{}\n{}\n{}\n", tree.layers[op.layer].path, op.name, op.direction,
                           op.shapes, op.dtypes);
    }
    int64_t cpu(const std::string& key) const { return of(cpu_, key); }
    int64_t gpu(const std::string& key) const { return of(gpu_, key); }

  private:
    using Times = std::map<std::string, int64_t>;
    // What a run does not have took no time there.
    static int64_t of(const Times& times, const std::string& key) {
        const auto found = times.find(key);
        return found == times.end() ? 0 : found->second;
    }
    Times cpu_, gpu_;
};

// What one run has by chance is no difference between the sides: the samples of its ops and kernels become
// their means in each run.
WorkTree sampled_by_runs(WorkTree tree, const std::vector<Side>& runs) {
    std::vector<TimesOfOps> times;
    tree.by_runs = true;
    for (Amount* all : {&tree.cpu, &tree.gpu})
        all->samples.clear();
    for (const Side& run : runs) {
        times.emplace_back(run.work);
        tree.cpu.samples.push_back(run.work.cpu.mean_ns);
        tree.gpu.samples.push_back(run.work.gpu.mean_ns);
    }
    for (TreeOp& op : tree.ops) {
        const std::string key = TimesOfOps::key(tree, op);
        op.cpu.samples.clear();
        op.gpu.samples.clear();
        for (DeviceWork& each : op.work)
            each.gpu.samples.clear();
        for (const TimesOfOps& run : times) {
            op.cpu.samples.push_back(run.cpu(key));
            op.gpu.samples.push_back(run.gpu(key));
            for (DeviceWork& each : op.work)
                each.gpu.samples.push_back(run.gpu(key + each.name));
        }
    }
    return tree;
}

}  // namespace

Result<Comparison> compare_runs(size_t base, size_t next, const RunReader& read, Reading how) {
    OPSIGHT_ASSIGN(Sides sides, read_alike(base, next, read, how));
    if (base == 1 && next == 1) return compare_sides(std::move(sides.base[0]), std::move(sides.next[0]));
    std::vector<Run> before = runs_of(sides.base), after = runs_of(sides.next);
    const size_t of_base = middle_of(before), of_next = middle_of(after);
    before[of_base].shown = after[of_next].shown = true;
    if (judges_ops(before, after)) {
        sides.base[of_base].work = sampled_by_runs(sides.base[of_base].work, sides.base);
        sides.next[of_next].work = sampled_by_runs(sides.next[of_next].work, sides.next);
    }
    return compare_sides(std::move(sides.base[of_base]), std::move(sides.next[of_next]), std::move(before),
                         std::move(after));
}

}  // namespace opsight::query
