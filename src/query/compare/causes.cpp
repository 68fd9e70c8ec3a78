// Why two runs differ, as far as the recordings tell: what became of the ops, one cause for each kind of
// change, and what explains time that no op has.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "query/compare/comparison.h"

namespace opsight::query {
namespace {

// Of the mean iteration: what is less is not worth a sentence.
constexpr double kWorthSaying = 0.002;
// How alike the factors of kernels must be to be one: so far from their median, for so much of the time.
constexpr double kAlike = 0.03, kMostOfTheTime = 0.8, kFactorWorthSaying = 0.02;
constexpr size_t kFewestKernels = 5, kNamedSettings = 6;
constexpr double kMemoryWorthSaying = 0.02, kCountWorthSaying = 0.005;
// Places in IterationShares::ns.
constexpr size_t kCommunication = 2, kLoading = 4, kOps = 6, kHost = 9;
constexpr size_t kOnDevice[] = {0, 1, 2, 3, 8};

std::string count_text(double count) {
    return fmt::format("{:.{}f}", count, count == std::floor(count) ? 0 : 1);
}
std::string mib(int64_t bytes) {
    return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / 1048576.0);
}

// What a kind of change of ops is called as a cause, where it grew and where it shrank, and how its sentence
// begins.
struct Words {
    ChangeKind kind;
    const char *cause, *begin;
};
constexpr Words kWords[] = {
    {ChangeKind::kAdded, "added_ops", "ops that the base does not have"},
    {ChangeKind::kRemoved, "removed_ops", "ops that are gone"},
    {ChangeKind::kReplaced, "replaced_ops", "other ops in the place of some"},
    {ChangeKind::kRenamed, "renamed", "ops of another name"},
    {ChangeKind::kMoved, "moved", "ops in other layers"},
    {ChangeKind::kOtherShape, "shape", "inputs of other shapes"},
    {ChangeKind::kOtherDtype, "dtype", "inputs of other types"},
    {ChangeKind::kTensorCoresLost, "tensor_cores_lost", "kernels that used Tensor Cores and do not any more"},
    {ChangeKind::kTensorCoresGained, "tensor_cores_gained", "kernels that use Tensor Cores now"},
    {ChangeKind::kOtherKernels, "other_kernels", "the same ops by other kernels"},
    {ChangeKind::kOtherCopies, "other_copies", "the same ops by other copies or sets"},
    {ChangeKind::kMoreCalls, "more_calls", "ops that are called more often"},
    {ChangeKind::kFewerCalls, "fewer_calls", "ops that are called less often"},
    {ChangeKind::kSlower, "slower", "the same work, slower"},
    {ChangeKind::kFaster, "faster", "the same work, faster"},
};

// Whose time on the device is also that of waiting for the ranks that enter it later.
bool is_collective(std::string_view op) {
    constexpr std::string_view kPrefixes[] = {"c10d::", "_c10d_functional::", "nccl:", "record_param_comms"};
    return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                       [op](std::string_view prefix) { return op.starts_with(prefix); });
}

class Finder {
  public:
    explicit Finder(const Comparison& comparison)
        : it_(comparison),
          of_time_(comparison.changes.whole ? "the recording" : "an iteration"),
          worth_(static_cast<int64_t>(
              kWorthSaying * static_cast<double>(
                                 std::max({int64_t{1}, comparison.base_mean_ns, comparison.next_mean_ns})))) {
    }

    std::vector<Cause> find() {
        groups();
        layers(ChangeKind::kRenamed, "renamed", "layers of another name");
        layers(ChangeKind::kMoved, "moved", "layers in another place");
        layers(ChangeKind::kReplaced, "unrolled",
               "layers that a loop calls on one side, and beside each other on the other");
        outliers();
        kernel_count();
        one_factor();
        clocks();
        run_queue();
        synchronization();
        overlap();
        budget("loading", kLoading, "data loading", {}, Sides::kAny);
        budget("communication", kCommunication, "communication that no kernel hides", communication());
        host();
        memory();
        std::stable_sort(found_.begin(), found_.end(), [this](const Found& a, const Found& b) {
            return std::pair(against(a), -size(a.cause)) < std::pair(against(b), -size(b.cause));
        });
        configuration();
        small_changes();
        std::vector<Cause> causes;
        for (Found& each : found_)
            causes.push_back(std::move(each.cause));
        return causes;
    }

  private:
    struct Found {
        Cause cause;
        bool other_way = false;  // than the difference, of what has no time that would tell
        bool of_means = false;   // its time is no part of the difference of medians
    };

    // The greatest of its times.
    static int64_t time_of(const Cause& cause) {
        int64_t most = 0;
        for (const auto& each : {cause.gpu_ns, cause.cpu_ns, cause.wall_ns})
            if (std::abs(each.value_or(0)) > std::abs(most)) most = *each;
        return most;
    }
    static int64_t size(const Cause& cause) { return std::abs(time_of(cause)); }
    // Whether what grew by so much, or shrank, explains nothing of a run that went the other way.
    bool is_against(double by) const {
        const int64_t all = it_.time.next_median - it_.time.base_median;
        if (it_.time.verdict == Verdict::kNoise) return false;  // it went no way
        return all != 0 && by != 0 && (by < 0) != (all < 0);
    }
    // Such causes come last, after those that have no times.
    int against(const Found& found) const {
        const int64_t time = time_of(found.cause);
        if (it_.time.next_median == it_.time.base_median) return 0;
        if (found.of_means && it_.time.verdict != Verdict::kNoise) return 1;
        if (time == 0) return found.other_way ? 2 : 1;
        return is_against(static_cast<double>(time)) ? 2 : 0;
    }
    void say(std::string kind, std::string text, std::optional<int64_t> gpu = {},
             std::optional<int64_t> cpu = {}, std::optional<int64_t> wall = {}) {
        found_.push_back({{std::move(kind), std::move(text), gpu, cpu, wall}});
    }

    // Each op is in one of them, so what they say of work adds up to its difference.
    void groups() {
        for (const ChangeGroup& group : it_.changes.groups)
            for (const Words& words : kWords)
                if (words.kind == group.kind) this->group(group, words);
    }
    void group(const ChangeGroup& group, const Words& words) {
        const bool host = !it_.changes.by_gpu || it_.changes.host_binds;
        const int64_t gpu = group.next_gpu_ns - group.base_gpu_ns,
                      cpu = group.next_cpu_ns - group.base_cpu_ns;
        const bool by_gpu = it_.changes.by_gpu && stands(group.gpu, gpu),
                   by_cpu = host && it_.changes.base_cpu && it_.changes.next_cpu && stands(group.cpu, cpu);
        if (!by_gpu && !by_cpu) return without_time(group, words);
        std::string amounts;
        if (by_gpu) amounts += time_text(gpu, true) + " of work on the device";
        if (by_cpu) amounts += (by_gpu ? ", " : "") + time_text(cpu, true) + " on the host";
        const Change& most = by_gpu ? group.most_gpu : group.most_cpu;
        std::string where = place_of(most);
        if (by_gpu && is_collective(most.op))
            where +=
                "; a collective waits for the ranks that enter it later, and that is in its time: the report "
                "stragglers tells which they are";
        say(words.cause,
            fmt::format("{}: {} in {} op{}{}", words.begin, amounts, group.rows,
                        group.rows == 1 ? ", " : "s, most in ", where),
            by_gpu ? std::optional(gpu) : std::nullopt, by_cpu ? std::optional(cpu) : std::nullopt);
    }
    static std::string place_of(const Change& op) {
        std::string where = op.op;
        if (!op.layer.empty() && op.layer != "/") where += " in " + op.layer;
        if (!op.evidence.empty()) where += " (" + op.evidence + ")";
        return where;
    }
    // That ops are others than before is a fact, whatever their time; where they hardly take any, in a few
    // words at the end.
    void without_time(const ChangeGroup& group, const Words& words) {
        if (words.kind == ChangeKind::kSlower || words.kind == ChangeKind::kFaster) return;
        const Change& most = it_.changes.by_gpu ? group.most_gpu : group.most_cpu;
        const std::string ops =
            fmt::format("{}: {}{}", words.begin, place_of(most),
                        group.rows > 1 ? fmt::format(" and {} more", group.rows - 1) : "");
        const int64_t takes = it_.changes.by_gpu ? std::max(group.base_gpu_ns, group.next_gpu_ns)
                                                 : std::max(group.base_cpu_ns, group.next_cpu_ns);
        if (takes < worth_) return small_.push_back(ops);
        const bool comparable = it_.changes.by_gpu || (it_.changes.base_cpu && it_.changes.next_cpu);
        say(words.cause,
            ops + (comparable ? "; their time differs by noise or by less than 0.2% of " + of_time_
                              : "; the sides do not both tell what ops take"));
    }
    // Their ops are in the groups, with their times.
    void layers(ChangeKind kind, const char* cause, const char* begin) {
        const Change* first = nullptr;  // the outermost: those within it go with it
        size_t count = 0;
        const auto depth = [](const Change& row) {
            return std::count(row.layer.begin(), row.layer.end(), '/');
        };
        for (const Change& layer : it_.changes.layers) {
            if (layer.kind != kind) continue;
            ++count;
            if (!first || depth(layer) < depth(*first)) first = &layer;
        }
        if (first)
            say(cause, fmt::format("{}: {}{}", begin, first->evidence,
                                   count > 1 ? fmt::format(" and {} more", count - 1) : ""));
    }
    void small_changes() {
        if (!small_.empty())
            say("small_changes",
                fmt::format("in ops that take less than 0.2% of {}: {}", of_time_, fmt::join(small_, "; ")));
    }

    // What iterations far longer than the others add to the mean.
    struct Outliers {
        std::vector<size_t> places;
        int64_t mean_ns = 0;
    };
    static Outliers far(const Side& side) {
        Outliers out{outliers_of(side)};
        const std::vector<int64_t> times = side.times();
        const int64_t median = median_of(times);
        for (const size_t i : out.places)
            out.mean_ns += times[i] - median;
        out.mean_ns /= std::ssize(times);
        return out;
    }
    // The class that most of their time is in, beyond what it is in the others.
    static std::string_view class_of(const Side& side, const std::vector<size_t>& places) {
        std::pair<int64_t, std::string_view> most{0, "no class"};
        for (const BudgetClass& each : side.classes) {
            const std::vector<int64_t> times = side.times_in(each.resource);
            int64_t more = 0;
            for (const size_t i : places)
                more += times[i] - median_of(times);
            if (more > most.first) most = {more, each.name};
        }
        return most.second;
    }
    void outliers() {
        const Outliers base = far(it_.base), next = far(it_.next);
        const int64_t by = next.mean_ns - base.mean_ns;
        if (by == 0 || std::abs(by) < worth_) return;
        const bool is_next = by > 0;
        const Side& side = is_next ? it_.next : it_.base;
        const Outliers& of = is_next ? next : base;
        const char* word = is_next ? "new" : "base";
        if (of.places.size() * 4 > side.samples.size()) return;  // so many are no exception
        const std::string which =
            of.places.size() == 1
                ? fmt::format("iteration {}{} of the {} run is", side.samples[of.places[0]].iteration,
                              of.places[0] + 1 == side.samples.size() ? ", the last," : "", word)
                : fmt::format("{} iterations of the {} run, {} the first of them, are", of.places.size(),
                              word, side.samples[of.places[0]].iteration);
        say("outlier",
            fmt::format("{} far longer than the others, which makes its mean {} longer, mostly by: {}", which,
                        time_text(of.mean_ns), class_of(side, of.places)),
            {}, {}, by);
        found_.back().of_means = true;
    }

    // Where there are too few samples to tell what noise is, all that is large enough: the answer says so
    // then.
    bool stands(const SampleDifference& samples, int64_t difference) const {
        const bool noise = samples.verdict == Verdict::kNoise || samples.verdict == Verdict::kRunToRun ||
                           samples.verdict == Verdict::kEqual;
        return !noise && std::abs(difference) >= worth_;
    }

    static Amount kernels_of(const WorkTree& tree) {
        Amount kernels;
        for (const TreeOp& op : tree.ops)
            for (const DeviceWork& each : op.work)
                if (!each.uses_tc.empty()) kernels.add(each.gpu);
        return kernels;
    }
    static double calls_of(const Amount& amount, const WorkTree& tree) {
        return static_cast<double>(amount.calls) / static_cast<double>(std::max<int64_t>(1, tree.iterations));
    }
    // More kernels that take less time explain nothing slower, but where the host, which launches them,
    // binds.
    void kernel_count() {
        const Amount before = kernels_of(it_.base.work), after = kernels_of(it_.next.work);
        const double base = calls_of(before, it_.base.work), next = calls_of(after, it_.next.work);
        if (base == 0 || next == 0 || !differs(base, next, kCountWorthSaying)) return;
        const int64_t by = after.mean_ns - before.mean_ns;
        const bool by_time =
            !it_.changes.host_binds && stands(compare_samples(before.samples, after.samples), by);
        say(base < next ? "more_kernels" : "fewer_kernels",
            fmt::format("kernels in {}: {} before, {} after; they take {} before, {} after", of_time_,
                        count_text(base), count_text(next), time_text(before.mean_ns),
                        time_text(after.mean_ns)));
        found_.back().other_way = is_against(next - base) || (by_time && is_against(static_cast<double>(by)));
    }

    // Other shapes or types are other work, whatever its kernels are called.
    bool most_is_other_work() const {
        int64_t all = 0, other = 0;
        for (const ChangeGroup& group : it_.changes.groups) {
            all += group.base_gpu_ns;
            if (group.kind == ChangeKind::kOtherShape || group.kind == ChangeKind::kOtherDtype)
                other += group.base_gpu_ns;
        }
        return 2 * other > all;
    }

    // Kernels that do the same work, all slower or faster by about one factor, share what made them so.
    void one_factor() {
        if (most_is_other_work()) return;
        std::vector<std::pair<double, int64_t>> factors;  // with the time before
        int64_t all = 0, rows = 0;
        bool any_real = false;
        for (const Change& row : it_.changes.kernels) {
            const bool same = row.kind == ChangeKind::kSlower || row.kind == ChangeKind::kFaster ||
                              row.kind == ChangeKind::kSame;
            if (row.base) all += row.base->gpu_ns;
            if (!same || !row.base || !row.next || row.base->gpu_ns <= 0) continue;
            // Of many kernels that all differ so each alone may be less than runs differ by.
            any_real |= row.samples.verdict == Verdict::kReal || row.samples.verdict == Verdict::kRunToRun;
            factors.emplace_back(
                static_cast<double>(row.next->gpu_ns) / static_cast<double>(row.base->gpu_ns),
                row.base->gpu_ns);
            ++rows;
        }
        if (factors.size() < kFewestKernels || !any_real) return;
        std::sort(factors.begin(), factors.end());
        int64_t looked_at = 0;
        for (const auto& [factor, ns] : factors)
            looked_at += ns;
        const double median = weighted_median(factors, looked_at);
        int64_t alike = 0;
        for (const auto& [factor, ns] : factors)
            if (std::abs(factor / median - 1) <= kAlike) alike += ns;
        if (std::abs(median - 1) < kFactorWorthSaying ||
            static_cast<double>(alike) < kMostOfTheTime * static_cast<double>(std::max(all, looked_at)))
            return;
        say("one_factor",
            fmt::format(
                "the same kernels take {:.2f} times as long, {:.0f}% of their time within {:.0f}% of that: "
                "a clock or the device itself would do so, no single kernel",
                median, 100.0 * static_cast<double>(alike) / static_cast<double>(std::max(all, looked_at)),
                100 * kAlike));
        found_.back().other_way = is_against(median - 1);
    }
    static double weighted_median(const std::vector<std::pair<double, int64_t>>& sorted, int64_t all) {
        int64_t passed = 0;
        for (const auto& [factor, ns] : sorted)
            if (2 * (passed += ns) >= all) return factor;
        return sorted.back().first;
    }

    void clocks() {
        for (std::string& text : other_clocks(it_.base.state, it_.next.state))
            say("clocks", std::move(text));
    }

    void run_queue() {
        const auto &base = it_.base.state.run_queue_pct, &next = it_.next.state.run_queue_pct;
        if (!base || !next || std::abs(*next - *base) < kBusyMachinePct) return;
        say("run_queue",
            fmt::format(
                "the thread of the ops waits for a processor, which others have, in {:.1f}% of the time "
                "before, {:.1f}% after",
                *base, *next));
        found_.back().other_way = is_against(*next - *base);
    }

    // Of what times are told of.
    static std::vector<int64_t> waiting(const Side& side) {
        std::vector<int64_t> out = side.state.waiting_ns;
        for (int64_t& ns : out)
            ns /= side.batch;
        return out;
    }
    // Other calls, by how long they wait: three short waits are less than a long one.
    void synchronization() {
        const RunState &base = it_.base.state, &next = it_.next.state;
        if (!base.calls || !next.calls || base.waits.empty() || next.waits.empty()) return;
        const SampleDifference calls = compare_one_run(base.waits, next.waits),
                               times = compare_one_run(waiting(it_.base), waiting(it_.next));
        const int64_t by = times.next_median - times.base_median;
        const bool others = calls.next_median != calls.base_median && calls.verdict == Verdict::kReal;
        if (!others || !stands(times, by)) return;
        say(by > 0 ? "more_synchronization" : "less_synchronization",
            fmt::format("waits of the host for the device: {} before, {} after; calls in {} that wait: "
                        "{} before, {} after",
                        time_text(times.base_median), time_text(times.next_median), of_time_,
                        calls.base_median, calls.next_median),
            {}, {}, by);
    }

    // Of work on the device, what ran beside other such work.
    static std::vector<int64_t> beside(const Side& side) {
        std::vector<int64_t> out;
        if (side.samples.size() != side.work.gpu.samples.size()) return out;  // batches: not sample by sample
        for (size_t i = 0; i < side.samples.size(); ++i) {
            int64_t busy = 0;
            for (const size_t each : kOnDevice)
                busy += side.samples[i].ns[each];
            out.push_back(std::max<int64_t>(0, side.work.gpu.samples[i] - busy / side.batch));
        }
        return out;
    }
    void overlap() {
        if (!it_.changes.by_gpu) return;
        const std::vector<int64_t> base = beside(it_.base), next = beside(it_.next);
        if (base.empty() || next.empty()) return;
        const SampleDifference samples = compare_one_run(base, next, kDeviceRunToRunShare);
        const int64_t by = samples.next_median - samples.base_median;
        if (!stands(samples, by)) return;
        say(by < 0 ? "less_overlap" : "more_overlap",
            fmt::format("{} of the work on the device ran beside other such work before, {} after",
                        time_text(samples.base_median), time_text(samples.next_median)),
            {}, {}, -by);
    }

    // Whether it takes longer itself, or is hidden less.
    std::string communication() const {
        const auto sum = [](const WorkTree& tree) {
            int64_t ns = 0;
            for (const TreeOp& op : tree.ops)
                for (const DeviceWork& each : op.work)
                    if (each.communication) ns += each.gpu.mean_ns;
            return ns;
        };
        const int64_t base = sum(it_.base.work), next = sum(it_.next.work);
        if (base == 0 && next == 0) return {};  // of host communication: none on a device
        return fmt::format("; its kernels take {} before, {} after", time_text(base), time_text(next));
    }

    enum class Sides : uint8_t { kBoth, kAny };  // that have recorded a class
    void budget(const char* kind, size_t resource, const std::string& what, const std::string& more = {},
                Sides sides = Sides::kBoth) {
        for (size_t i = 0; i < it_.budget.size(); ++i) {
            const BudgetRow& row = it_.budget[i];
            if (it_.base.classes[i].resource != resource || !stands(row.samples, row.difference_ns)) continue;
            if (sides == Sides::kBoth && !(row.base_ns && row.next_ns)) continue;
            say(kind,
                fmt::format("{}: {} before, {} after{}", what, recorded(row.base_ns, " of " + of_time_),
                            recorded(row.next_ns, row.base_ns ? "" : " of " + of_time_), more),
                {}, {}, row.difference_ns);
        }
    }
    static std::string recorded(const std::optional<int64_t>& ns, const std::string& of) {
        return ns ? time_text(*ns) + of : "none recorded";
    }

    // What a device waits for; of a run without one, ops have their times in the groups.
    void host() {
        const std::string alone = it_.changes.by_gpu ? ", while no device worked" : "";
        budget("host", kHost, "the host outside of ops and API calls (Python and other code)" + alone);
        if (it_.changes.by_gpu) budget("host_ops", kOps, "ops and API calls on the host" + alone);
    }

    void memory() {
        const RunState &base = it_.base.state, &next = it_.next.state;
        if (!base.memory_held || !next.memory_held || base.memory_place != next.memory_place) return;
        if (!differs(static_cast<double>(*base.memory_held), static_cast<double>(*next.memory_held),
                     kMemoryWorthSaying))
            return;
        say(*base.memory_held < *next.memory_held ? "memory_growth" : "less_memory",
            fmt::format("at most {} of memory held on a {} before, {} after", mib(*base.memory_held),
                        base.memory_place, mib(*next.memory_held)));
    }

    // Differs from recording to recording of the same program.
    static bool names_the_recording(const std::string& name) {
        static const std::set<std::string> kNames = {"trace_id", "traceName", "command", "pid",
                                                     "session_start_ns"};
        return kNames.contains(name) || name.find("_of_process_") != name.npos;
    }

    void configuration() {
        std::vector<std::string> names;
        for (const SettingRow& row : it_.settings)
            if (row.base && row.next && row.base != row.next && !names_the_recording(row.name))
                names.push_back(row.name);
        if (it_.base.batch != it_.next.batch)
            names.push_back(fmt::format("batch ({} before, {} after)", it_.base.batch, it_.next.batch));
        if (names.empty()) return;
        const size_t count = names.size(), shown = std::min(count, kNamedSettings);
        std::string text = fmt::format(
            "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
        if (count > shown) text += fmt::format(" and {} more", count - shown);
        say("configuration", "the recordings tell of other settings: " + text);
    }

    const Comparison& it_;
    const std::string of_time_;
    int64_t worth_;
    std::vector<Found> found_;
    std::vector<std::string> small_;  // what changed where hardly any time goes
};

}  // namespace

std::vector<Cause> find_causes(const Comparison& comparison) {
    return Finder(comparison).find();
}

}  // namespace opsight::query
