// Session: one opened profile and one chosen range of it. Every question of this room reads the relations
// that a session sets up, never the stored tables directly, so that each number has one definition for any
// range:
//
//   sel_ops, sel_device, sel_api,       instances of the range; columns of raw.ops, raw.device_spans (and its
//   sel_annotations, sel_modules        rowid as `place`), raw.api_calls, raw.annotations, raw.module_calls
//   sel_stats                           sums of ops; columns of raw.op_stats
//   sel_iterations                      its iterations; columns of raw.iterations
//   sel_iteration_ops                   (rank, iteration, calls, self_cpu_ns): ops of each iteration
//   sel_wall (rank, begin_ns, end_ns)   wall clock of each rank: a row for each stretch of iterations that
//                                       follow each other, the stretches of a rank apart
//   sel_wall_sums (rank, wall_ns)       their sum
//   sel_iteration_times                 as sel_iterations, each until the next one of its stretch begins, the
//                                       last until its stretch ends: a rank's add up to its wall clock
//
// Iterations that the default range leaves out (warm-up) are in none of them, wherever they lie. For
// iterations as stored these are views, and a range is a sum of stored rows; for iterations cut anew
// (--key-op, --iteration-range) see cut_range.h.
#pragma once

#include <any>
#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyze/results.h"
#include "db/reader.h"
#include "query/session/cut_iterations.h"

namespace opsight::query {

struct RangeOptions {
    std::optional<int64_t> start, stop;  // first and last iteration, both taken
    bool all = false;                    // warm-up iterations too
    int64_t warmup =
        0;  // of the default range: so many of the first iterations count as warm-up at the least
    bool whole = false;           // all that was recorded, in iterations or not; excludes the others
    std::string key_op;           // cut iterations at the ends of this op's instances
    std::string iteration_range;  // annotations that match are iterations
    std::optional<int64_t> rank;  // its number in the job: of this one alone, as if no other was there

    friend auto operator<=>(const RangeOptions&, const RangeOptions&) = default;
};

// What was chosen, for display.
struct Range {
    std::string source;  // "step_marker", "none", ...
    double confidence = 0;
    std::string description;
    int64_t total = 0;     // iterations of the rank that has most
    int64_t selected = 0;  // iterations in the range, of the rank that has most
    int64_t start = -1, stop = -1;
    std::vector<int64_t> left_out;  // numbers between start and stop that are not in it, rising
    bool whole = false;  // the whole profile: it has no iterations, they are guessed, or it was asked for
    std::vector<std::string> notes;
};

// What kinds of work a profile has: reports leave out what cannot say anything.
struct Contents {
    bool ops = false, device_work = false, devices = false;
    bool work_lost = false;      // work was launched on a device of which nothing is recorded
    bool loss_is_told = false;   // so says a note of the range, in the source's words
    bool device_unseen = false;  // the machine has devices, and the recording neither work nor calls of them
    bool host_told = true;       // not where the source tells work of devices alone
    bool calls = false;          // of the CUDA or HIP API
    bool ranges = false;         // NVTX ranges, or the annotations that other sources have instead
    bool nothing_known = false;  // of some file: spans of kinds that no report counts
    int64_t ranks = 0;
    std::string not_one_job;     // why its ranks cannot be of one job; empty: nothing speaks against it
    int64_t ranks_left_out = 0;  // that the profile has beside the one that was asked for
};

class Session {
  public:
    static Result<Session> open(const std::string& path, const RangeOptions& options,
                                const db::ReadOptions& read = {});
    // On a profile that is open already: a session for each thread that asks.
    static Result<Session> open_on(const db::OpenProfile& profile, const std::string& path,
                                   const RangeOptions& options);
    Result<duck::Rows> query(const duck::Statement& statement);
    Result<duck::Rows> query(const std::string& sql) { return query(duck::Statement(sql)); }
    // As duck::Connection: statements without result, rows in bulk, and rows into a temporary table.
    Status execute(const std::string& sql);
    Status execute(const duck::Statement& statements) { return execute(statements.written()); }
    // Runs the definitions of a file once in this session, whole or not at all: relations that several
    // questions read. Its values are the same for the whole session.
    Status prepare(const duck::Statement& file);
    Status scan(const duck::Statement& statement, const std::function<void(const duck::Batch&)>& take);
    Status scan(const std::string& sql, const std::function<void(const duck::Batch&)>& take) {
        return scan(duck::Statement(sql), take);
    }
    Result<duck::Appender> append_to(const std::string& temporary, const std::vector<duck::Type>& types);
    Result<duck::Cursor> open_cursor(const duck::Statement& statement);
    Status add_function(const std::string& name, std::function<int64_t(int64_t, int64_t)> function) {
        return profile_.connection.add_function(name, std::move(function));
    }
    // Answers that are asked for several times, with another order or page, lie in temporary tables: those
    // used last stay. What was kept with the table of that name; empty where there is none.
    std::any kept(const std::string& name);
    // Makes one for the rows of `statement`; the name of its table.
    Result<std::string> keep(const std::string& name, duck::Statement statement, std::any with);
    // What `make` gives, of which the session keeps one: for small answers that many questions start from.
    template <class T, class Make>
    Result<T> remember(const std::string& name, Make make) {
        if (const auto found = remembered_.find(name); found != remembered_.end())
            return std::any_cast<T>(found->second);
        OPSIGHT_ASSIGN(T made, make());
        remembered_[name] = made;
        return made;
    }
    void interrupt() { profile_.connection.interrupt(); }
    // Makes the relation sel_streams (columns as in raw.stream_stats, of the range) if it is not there yet:
    // for iterations cut anew this reads all device work, and few questions need it.
    Status prepare_streams();
    // The same for sel_work (columns as in raw.work_stats), for ranges cut anew from the instances.
    Status prepare_work();
    // The same for sel_ranges: see range_sums.h.
    Status prepare_ranges();
    const Range& range() const { return range_; }
    const Contents& contents() const { return contents_; }
    const std::string& path() const { return path_; }

  private:
    Error named(Error error) const;
    Session(std::string path, db::OpenProfile profile)
        : path_(std::move(path)), profile_(std::move(profile)) {}
    Status start(const RangeOptions& options);
    // Does `work` once: a session that was interrupted in it is as it was before.
    Status once(const std::string& name, const std::function<Status()>& work);
    // Whether an attempt that failed was through all the same; ends a transaction that it left open.
    Result<bool> made_after_all(const std::string& name);
    Status group_ranks();
    Status look();
    Status stored_iterations();
    Status cut_iterations(const RangeOptions& options);
    Status append_iterations();
    Status choose(RangeOptions options);
    void take_all(const RangeOptions& options);
    Status select(bool cut_anew);
    Status measure_wall();
    Status measure_whole();  // of a profile without iterations

    std::string path_;
    db::OpenProfile profile_;
    Range range_;
    Contents contents_;
    bool cut_anew_ = false;
    std::set<std::string> ready_;  // what was prepared
    bool doubtful_ = false;        // an attempt to prepare something did not come to its end
    std::map<std::string, std::any> remembered_;
    std::shared_ptr<void> cut_function_;  // cut_range.h
    std::vector<CutIteration> cut_;       // iterations cut anew
    struct Kept {
        std::string name, table;
        std::any with;
    };
    std::vector<Kept> kept_;  // the last used last
    int64_t tables_made_ = 0;
    std::optional<int64_t> stored_start_, stored_stop_;  // the range that the import was asked for
};

}  // namespace opsight::query
