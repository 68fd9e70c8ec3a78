// A rule of advice: what it looks for, what it needs, and its judgement of a run. One file each in rules/.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/finding.h"
#include "query/reports/advice_facts.h"
#include "query/reports/run_facts.h"
#include "query/whatif/changes.h"

namespace opsight::advise {

struct Threshold {
    std::string_view name;
    double value = 0;
    std::string_view unit, source;  // the source: who says so, or why this number
};

// What recording itself may take of the time: as the profiler tells it, or by the calls that it recorded.
struct RecordingCost {
    double seen_pct = 0, guess_pct = 0;  // of the wall clock; beside work of a device it costs nothing
    int64_t stretches = 0, frames = 0, ops = 0;
    double pct() const { return std::max(seen_pct, guess_pct); }
};

// What all rules look at.
struct AskedRun {
    query::Session& session;
    const query::RunFacts& facts;
    const std::map<std::string, double>& thresholds;  // "RULE.NAME"
    int64_t wall_ns = 0;                              // of all ranks
    int64_t parts = 1;        // iterations of all ranks; runs of ranks where there are none
    bool iterations = false;  // what parts counts; else ranks
    std::optional<RecordingCost> recording = {};              // once a rule has asked for it
    std::map<std::string_view, query::TimeSpans> times = {};  // that several rules start from, as the former
};

// A rule's view of the run, and where it puts what it finds.
class Context {
  public:
    Context(AskedRun& run, const struct Rule& rule, Findings& found)
        : run_(run), rule_(rule), found_(found) {}
    query::Session& session() { return run_.session; }
    const query::RunFacts& facts() const { return run_.facts; }
    // Of the rule that is being asked: as given, else the rule's own.
    double threshold(std::string_view name) const { return threshold_of(rule_, name); }
    double threshold_of(const struct Rule& rule, std::string_view name) const;
    // % of the wall clock of all ranks; where there is none, of all that was recorded.
    double share_of(const query::TimeSpans& times) const;
    double share_of(int64_t ns) const;
    // The same of a sum of durations of kernels that use no Tensor Cores, which may overlap.
    double share_of_plain(int64_t ns) const;
    // What a share is of.
    std::string_view the_time() const { return facts().wall_ns > 0 ? "the time" : "the recorded time"; }
    // "3.0 calls in an iteration", "of a rank" where several have none, or of the run.
    std::string how_often(int64_t count, std::string_view what) const;
    // "1.23 ms per iteration" of a sum over the range, "of a rank" where several have none, or of the run.
    std::string time_of(int64_t ns) const;
    // "of an iteration", "of a rank", or "in all": what a number divided by parts() is of.
    std::string_view of_a_part() const {
        return parts() <= 1 ? "in all" : run_.iterations ? "of an iteration" : "of a rank";
    }
    int64_t parts() const { return run_.parts; }
    std::optional<RecordingCost>& recording() { return run_.recording; }
    // What `make` gives, for all rules of the run.
    template <class Make>
    Result<const query::TimeSpans*> once(std::string_view name, Make make) {
        if (const auto found = run_.times.find(name); found != run_.times.end()) return &found->second;
        OPSIGHT_ASSIGN(query::TimeSpans made, make());
        return &run_.times.emplace(name, std::move(made)).first->second;
    }
    // Of what the rule needs the recording has nothing: it says nothing of the run, not even that all is
    // well.
    void cannot(std::string why) { why_not_ = std::move(why); }
    const std::string& why_not() const { return why_not_; }
    void add(Finding finding) { found_.push_back(std::move(finding)); }

  private:
    AskedRun& run_;
    const struct Rule& rule_;
    Findings& found_;
    std::string why_not_;
};

struct Rule {
    std::string_view id, looks_for, needs;  // the last two: ends of sentences
    std::vector<Threshold> thresholds;
    std::string_view bound;       // its formula, in words; empty: there is none
    std::string_view confidence;  // how sure the finding is, and why
    std::string_view remedy, lines;
    // SQL that lists the evidence; {range}: a condition on `iteration`; {wait_calls}, {memory_calls},
    // {serving_steps}: patterns of names (model/api_calls.h, model/marks/serving_step.h)
    std::string_view query;
    std::string_view verify;  // the command that shows whether it helped
    std::string_view source;  // who else advises so
    bool compiles = false;    // its lines compile the model, which a run that does need not be told
    // It says where time goes, whatever the cause; these rules know causes, and what they tell of it is
    // theirs.
    std::vector<std::string_view> gives_way_to = {};
    // What it is about keeps the host from its work: caches are cold afterwards (Engine::aftermath).
    bool interrupts = false;
    // It compares durations alone: it can be asked, too, where the source tells how long work took and not
    // when.
    bool of_durations = false;
    bool of_no_time = false;  // it asks for no share of the time at all
    // Whatever it changes, computing kernels stay as they are: no more is to be gained than what they leave.
    bool leaves_kernels = false;
    // What it gains is time of kernels: no more than a replay without any saves.
    bool of_kernels = false;
    // Why the profile cannot be checked; empty: it can.
    std::string (*lacks)(const query::RunFacts&);
    Status (*check)(Context&);
    // What to replay without, where that can be supposed.
    std::function<void(query::Suppositions&)> suppose = {};
};

// In the order in which they are asked.
const std::vector<Rule>& all_rules();
const Rule* find_rule(std::string_view id);

// The bound in words, with the cap that it has.
std::string formula_of(const Rule& rule);

// The SQL that lists the evidence, of the iterations of that range; null: of all that was recorded.
std::string query_within(std::string_view query, const query::Range* range = nullptr);

std::string percent(double share);     // "12.3%"
std::string milliseconds(int64_t ns);  // "1.23 ms"
const char* matrix_units(const query::RunFacts& f);

// Reasons of `lacks` that several rules share.
std::string lacks_nothing(const query::RunFacts&);
std::string lacks_device_work(const query::RunFacts& f);
std::string lacks_work_of_the_cpu(const query::RunFacts& f);   // the run's work is a device's
std::string lacks_peaks_of_the_cpu(const query::RunFacts& f);  // or opsight profile did not record it
// What to say of it where much device work was not recorded; else nothing.
std::string lost_work(const query::RunFacts& f);
// Of a finding on time in which no device works: where much device work was not recorded that is not known.
// Returns whether it said so.
bool tell_lost_work(const query::RunFacts& f, Finding& finding);
std::string lacks_ops(const query::RunFacts& f);
std::string lacks_torch_ops(const query::RunFacts& f);  // those of its library, "aten::"
std::string lacks_shapes(const query::RunFacts& f);     // of ops of PyTorch
std::string lacks_dtypes(const query::RunFacts& f);
std::string lacks_iterations(const query::RunFacts& f);
std::string lacks_launch_configurations(const query::RunFacts& f);  // grids, on a device whose size is told
std::string lacks_waves(const query::RunFacts& f);
std::string lacks_collectives(const query::RunFacts& f);

}  // namespace opsight::advise
