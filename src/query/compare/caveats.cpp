// What a reader must know before believing a difference: other machines, other versions, other ranges, and
// samples that are no equals of each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "query/compare/batch_size.h"
#include "query/compare/comparison.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

constexpr size_t kLeastForDrift = 10;  // iterations: halves of five
constexpr double kDriftWorthSaying = 0.02;
constexpr size_t kNamedOutliers = 5;
constexpr double kLeastMatchedPercent = 10;

using Settings = std::map<std::string, std::string>;

std::string joined(const std::set<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, ", "));
}

// Of the devices that worked, where any did.
std::string device_names(const Info& info) {
    std::set<std::string> all, worked;
    const auto column = [&info](std::string_view key) {
        return static_cast<size_t>(std::find_if(info.devices.columns.begin(), info.devices.columns.end(),
                                                [key](const Column& each) { return each.key == key; }) -
                                   info.devices.columns.begin());
    };
    const size_t name = column("name"), spans = column("device_spans");
    for (const auto& row : info.devices.rows) {
        const auto* text = std::get_if<std::string>(&row.at(name));
        if (!text) continue;
        all.insert(*text);
        if (integer(row.at(spans)) > 0) worked.insert(*text);
    }
    return joined(worked.empty() ? all : worked);
}

Settings settings_of(const Info& info) {
    Settings all(info.properties.begin(), info.properties.end());
    all["producer"] = info.producer;
    all["framework"] = joined({info.frameworks.begin(), info.frameworks.end()});
    all["device"] = device_names(info);
    all["ranks"] = std::to_string(info.ranks.rows.size());
    std::erase_if(all, [](const auto& each) { return each.second.empty(); });
    return all;
}

std::optional<std::string> value_in(const Settings& settings, const std::string& name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::nullopt : std::optional(found->second);
}

class Finder {
  public:
    explicit Finder(const Comparison& comparison) : it_(comparison) {}

    std::vector<Caveat> find() {
        programs();
        if (const auto batch = batch_hint(it_.changes); batch && it_.base.batch == it_.next.batch)
            say("batch", *batch);
        clocks();
        run_queue();
        settings();
        recording();
        ops();
        const std::pair<const Side*, const char*> sides[] = {{&it_.base, "base"}, {&it_.next, "new"}};
        for (const auto& [side, word] : sides)
            spread(*side, word);
        ranges();
        ranks();
        for (const auto& [side, word] : sides)
            for (const std::string& note : side->range.notes)
                say("range", fmt::format("{}: {}", word, note));
        return std::move(found_);
    }

  private:
    void say(std::string kind, std::string text) { found_.push_back({std::move(kind), std::move(text)}); }

    // By names; and by time, for a small program may have no names but those of a large one.
    void programs() {
        const char* so = "these seem to be different programs, whose difference tells nothing of either";
        const char* forms = " (or one in two forms, such as eager and compiled)";
        if (const double share = likeness(it_.base, it_.next); share < kOneProgram)
            return say("other_programs",
                       fmt::format("{:.0f}% of the names of ops and kernels are in common: {}{}", 100 * share,
                                   so, forms));
        const WorkTree &base = it_.base.work, &next = it_.next.work;
        const bool gpu = it_.changes.by_gpu;
        if ((gpu ? base.gpu : base.cpu).ns <= 0 || (gpu ? next.gpu : next.cpu).ns <= 0) return;
        const double before = it_.changes.base_matched.value_or(100),
                     after = it_.changes.next_matched.value_or(100);
        if (std::min(before, after) < kLeastMatchedPercent)
            say("other_programs",
                fmt::format("{:.1f}% of the time of the {} run's ops is in ops that the other has, too: {}{}",
                            std::min(before, after), before < after ? "base" : "new", so, forms));
    }

    void clocks() {
        for (std::string& text : other_clocks(it_.base.state, it_.next.state))
            say("clocks", std::move(text));
    }

    void run_queue() {
        const std::pair<const Side*, const char*> sides[] = {{&it_.base, "base"}, {&it_.next, "new"}};
        for (const auto& [side, word] : sides)
            if (side->state.run_queue_pct.value_or(0) >= kBusyMachinePct)
                say("busy_machine",
                    fmt::format("{}: in {:.1f}% of the time the thread of the ops waited for a "
                                "processor, which other threads or programs had",
                                word, *side->state.run_queue_pct));
    }

    void settings() {
        const std::pair<const char*, const char*> kinds[] = {{"device", "other_device"},
                                                             {"framework", "other_framework"},
                                                             {"producer", "other_producer"},
                                                             {"ranks", "other_ranks"}};
        for (const auto& [name, kind] : kinds)
            for (const SettingRow& row : it_.settings)
                if (row.name == name && row.base != row.next) setting(row, kind);
    }

    // What one side did not record may be the same.
    void setting(const SettingRow& row, const std::string& kind) {
        if (row.base && row.next)
            say(kind, fmt::format("{}: {} before, {} after", row.name, *row.base, *row.next));
        else
            say(row.name + "_unknown",
                fmt::format("{}: {}, by the {} profile; the other does not tell", row.name,
                            row.base ? *row.base : *row.next, row.base ? "base" : "new"));
    }

    // What tells ops apart.
    void ops() {
        const Recorded base = recorded_in(it_.base.work), next = recorded_in(it_.next.work);
        if (it_.base.work.ops.empty() || it_.next.work.ops.empty()) return;
        const auto one_sided = [this](bool before, bool after, const char* kind, const char* what) {
            if (before != after)
                say(kind, fmt::format("{} are recorded in the {} profile only: ops are matched without them",
                                      what, before ? "base" : "new"));
        };
        one_sided(base.layers, next.layers, "layers", "layers");
        one_sided(base.shapes, next.shapes, "shapes", "shapes of inputs");
        one_sided(base.dtypes, next.dtypes, "dtypes", "types of inputs");
    }

    // What one of them did not see.
    void recording() {
        const Contents &base = it_.base.contents, &next = it_.next.contents;
        const auto one_sided = [this](bool before, bool after, const char* kind, const char* what) {
            if (before != after)
                say(kind, fmt::format("{} recorded in the {} profile only: the other has that time in other "
                                      "classes",
                                      what, before ? "base" : "new"));
        };
        one_sided(base.device_work, next.device_work, "device_work", "work of devices is");
        one_sided(base.ops, next.ops, "ops", "ops are");
        std::string names;
        for (size_t i = 0; i < it_.base.classes.size(); ++i)
            if (base.device_work == next.device_work && it_.base.classes[i].told != it_.next.classes[i].told)
                names += (names.empty() ? "" : ", ") + std::string(it_.base.classes[i].name);
        if (!names.empty())
            say("classes", "only one of the profiles can tell of " + names +
                               ": the other has that time in other classes");
    }

    void ranges() {
        const Range &base = it_.base.range, &next = it_.next.range;
        if (base.whole != next.whole)
            say("whole",
                fmt::format("the {} profile is compared as a whole, for it has no iterations that are "
                            "sure, the other by its iterations: these times are not alike",
                            base.whole ? "base" : "new"));
        else if (base.whole)
            say("whole",
                "the whole recordings are compared, one time a side: --whole-run asks for it, or not both "
                "have "
                "iterations that are sure");
        const size_t before = it_.base.samples.size(), after = it_.next.samples.size();
        if (!base.whole && !next.whole && before != after)
            say("iterations", fmt::format("{} iterations before, {} after", before, after));
        if (!base.whole && !next.whole && base.source != next.source)
            say("iterations_found_by",
                fmt::format("iterations were found by {} before, by {} after", base.source, next.source));
        unlike_iterations();
        if (it_.base_runs.empty())
            samples(before, after);
        else
            runs(it_.base_runs.size(), it_.next_runs.size());
    }

    // Cut by other grounds, an iteration may hold several of the other side's, or a part of one: then most
    // ops that both have come by the same factor more often or less. What one side does alone tells nothing
    // of it.
    void unlike_iterations() {
        constexpr double kAlike = 1.5;
        const Range &base = it_.base.range, &next = it_.next.range;
        if (base.whole || next.whole || base.source == next.source) return;
        std::vector<double> factors;
        for (const Change& op : it_.changes.ops)
            if (op.base && op.next && op.base->calls > 0 && op.next->calls > 0)
                factors.push_back(op.next->calls / op.base->calls);
        if (factors.empty()) return;
        const auto middle = factors.begin() + std::ssize(factors) / 2;
        std::nth_element(factors.begin(), middle, factors.end());
        if (std::max(*middle, 1 / *middle) < kAlike) return;
        say(std::string(kUnlikeIterations),
            fmt::format(
                "half of the ops of both sides are called {:.3g} times as often in an iteration after as "
                "before, or {}, and the iterations were found on other grounds: their times are not "
                "alike. --key-op, --iteration-range or --whole-run cut both sides alike",
                *middle, *middle > 1 ? "more" : "less"));
    }

    void samples(size_t before, size_t after) {
        const bool iterations = !it_.base.range.whole && !it_.next.range.whole;
        if (it_.time.verdict == Verdict::kSingle && iterations)
            say("one_iteration", "a side has one iteration: how much they vary is not known");
        if (it_.time.verdict == Verdict::kTooFew)
            say("few_iterations", fmt::format("no difference between {} and {} iterations can be told from "
                                              "noise: record five or more on each side",
                                              before, after));
        if (iterations) say("one_run", "one run a side: how much runs differ from each other is not known");
    }

    void runs(size_t before, size_t after) {
        if (is_few(it_.time.verdict))
            say("few_runs", fmt::format("no difference between {} and {} runs can be told from noise: record "
                                        "five or more on each side",
                                        before, after));
        say("shown_runs",
            fmt::format(
                "the budget, layers, ops and kernels are those of the run in the middle of each side, "
                "{} and {}, and judged by {}",
                it_.base.label, it_.next.label,
                judges_ops(it_.base_runs, it_.next_runs)
                    ? "their iterations alone; layers, ops and kernels by their means in all runs"
                    : "their iterations alone"));
    }

    void ranks() {
        const Side &base = it_.base, &next = it_.next;
        if (base.rank != next.rank)
            say("other_rank",
                fmt::format("rank {} is compared with rank {}, for the new profile has nothing of "
                            "rank {}: what ranks do differently stands among the differences",
                            base.rank, next.rank, base.rank));
        else if (base.slowest_rank != next.slowest_rank)
            say("slowest_rank",
                fmt::format(
                    "rank {} is compared on both sides, the slowest before; rank {} is the slowest after",
                    base.rank, next.slowest_rank));
    }

    // A trend within a run, and single iterations far from the others.
    void spread(const Side& side, const char* word) {
        const std::vector<int64_t> times = side.times();
        if (times.size() < 3) return;
        const int64_t median = median_of(times);
        const std::span<const int64_t> all(times);
        if (times.size() >= kLeastForDrift) {
            const SampleDifference halves =
                compare_samples(all.first(times.size() / 2), all.last(times.size() - times.size() / 2));
            if (halves.verdict == Verdict::kReal &&
                std::abs(static_cast<double>(halves.shift)) > kDriftWorthSaying * static_cast<double>(median))
                say("drift",
                    fmt::format("{}: the second half of its iterations is {} by {:.1f}% than the first", word,
                                halves.shift > 0 ? "longer" : "shorter",
                                100 * std::abs(static_cast<double>(halves.shift)) /
                                    static_cast<double>(std::max<int64_t>(1, halves.base_median))));
        }
        outliers(side, word, median);
    }

    void outliers(const Side& side, const char* word, int64_t median) {
        std::vector<std::string> named;
        const std::vector<size_t> found = outliers_of(side);
        const std::vector<int64_t> times = side.times();
        const size_t count = found.size();
        for (size_t i = 0; i < std::min(count, kNamedOutliers); ++i) {
            named.push_back(fmt::format(
                "{} ({:.1f} x the median)", side.samples[found[i]].iteration,
                static_cast<double>(times[found[i]]) / static_cast<double>(std::max<int64_t>(1, median))));
        }
        if (count > 0)
            say("outlier",
                fmt::format("{}: {} of {} iterations far longer than the others: {}{}. The median stands "
                            "firm, the mean does not",
                            word, count, side.samples.size(), fmt::join(named, ", "),
                            count > kNamedOutliers ? ", ..." : ""));
    }

    const Comparison& it_;
    std::vector<Caveat> found_;
};

}  // namespace

std::vector<SettingRow> find_settings(const Info& base, const Info& next) {
    const Settings before = settings_of(base), after = settings_of(next);
    const std::set<std::string> always = {"device", "framework", "producer"};
    std::set<std::string> names = always;
    for (const Settings* each : {&before, &after})
        for (const auto& [name, value] : *each)
            names.insert(name);
    std::vector<SettingRow> rows;
    for (const std::string& name : names) {
        SettingRow row{name, value_in(before, name), value_in(after, name)};
        if (row.base != row.next || (always.contains(name) && row.base)) rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<Caveat> find_caveats(const Comparison& comparison) {
    return Finder(comparison).find();
}

}  // namespace opsight::query
