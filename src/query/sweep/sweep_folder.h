// The folder of a sweep: what it runs (sweep.json), what became of each run (runs.jsonl, a line for each),
// and runs/ with profiles, what the sweep keeps of them, and outputs. A run is there once its line is: a
// sweep that was killed goes on behind its last line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/cancellation_token.h"
#include "base/result.h"
#include "query/sweep/sweep.h"
#include "sweep/plan.h"

namespace opsight::query {

struct SweepPlan {
    std::vector<std::string>
        command;  // with placeholders; of profiles that were there before: their path alone
    std::vector<plan::Parameter> parameters;
    bool imported = false;
};

struct SweepRun {
    std::string point;
    int64_t repeat = 1;
    bool bare = false;
    std::string failed;
    std::optional<double> wall_s;
    std::optional<int64_t> rss_bytes;
    double took_s = 0;  // with the import
};

class SweepFolder {
  public:
    // A folder that is there, for reading.
    static Result<SweepFolder> open(const std::string& path);
    // Made where it is not there; held by a lock until the end. What is there must be a sweep of the same
    // command and parameters; it may have fewer values.
    static Result<SweepFolder> open_for(const std::string& path, const SweepPlan& plan);
    SweepFolder(SweepFolder&& other) noexcept;
    SweepFolder& operator=(SweepFolder&&) = delete;
    ~SweepFolder();

    const SweepPlan& plan() const { return plan_; }
    // Null where that run is not there.
    const SweepRun* find(const std::string& point, int64_t repeat, bool bare) const;
    // Runs that failed are as if they had not been.
    void forget_failures();
    // On the disk when it returns.
    Status add(const SweepRun& run);

    std::string profile_of(const std::string& point, int64_t repeat) const;
    std::string output_of(const std::string& point, int64_t repeat, bool bare) const;
    // What is kept of a recorded run; read from its profile where that was not done, or by another Opsight.
    // Where that profile is not there what the other one kept stands, and a note says so.
    Result<RecordedRun> recorded(const SweepRun& run, std::vector<std::string>& notes, bool may_write) const;
    // Whether what is kept of it was made by this Opsight, and of `source` as it is now.
    bool keeps_own(const SweepRun& run, const std::string& source) const;
    Status keep(const std::string& point, int64_t repeat, const RecordedRun& recorded) const;
    // For whoever shows the sweep after this, until another one is kept.
    Status keep(const Prediction& prediction) const;

    // All of it, for its report. `may_write`: what is read anew of a profile may be kept in the folder. Fails
    // soon where `asker` goes away.
    Result<Sweep> read(bool may_write = true, const CancellationToken* asker = nullptr) const;
    // Where the profile of a point's run lies: in the folder, or where the sweep took it from.
    std::string source_of(const PointOfSweep& point, int64_t repeat) const;

  private:
    explicit SweepFolder(std::string path) : path_(std::move(path)) {}
    Status read_plan();
    Status read_runs();
    Status lock();
    Status write_plan() const;
    Status check_same(const SweepPlan& wanted) const;
    std::string file_of(const std::string& point, const std::string& ending) const;
    Result<KeptRun> kept(const SweepRun& run) const;
    void take_prediction(Sweep& sweep) const;

    std::string path_;
    SweepPlan plan_;
    std::map<std::tuple<std::string, int64_t, bool>, SweepRun> runs_;  // by point, repeat and bare
    size_t unread_ = 0, first_unread_ = 0;  // lines that are no run: how many, and the number of the first
    bool torn_ = false;                     // the last line was cut
    int lock_ = -1, lines_ = -1;
};

// What the reports say of a profile, as a sweep keeps it.
Result<RecordedRun> read_profile_of_run(const std::string& profile, bool may_write = true);

// Whether the folder is that of a sweep.
bool is_sweep(const std::string& path);

}  // namespace opsight::query
