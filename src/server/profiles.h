// The profiles that a server shows, under small numbers, and the sessions that answer for them.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/aggregations.h"
#include "server/crash_ledger.h"
#include "server/facts.h"
#include "server/fair_semaphore.h"
#include "server/http.h"
#include "server/prober.h"
#include "server/session_pool.h"
#include "server/timelines.h"

namespace opsight::server {

class Call;

class Profiles {
  public:
    // `probe`: the program in which files are first opened, with its arguments (prober.h); empty: this one.
    // `ledger`: of as many profiles, where another process is to know of them; else it has its own.
    Profiles(const std::vector<std::string>& paths, bool read_only, std::vector<std::string> probe = {},
             std::shared_ptr<CrashLedger> ledger = {});

    size_t size() const { return entries_.size(); }
    bool read_only() const { return read_only_; }
    // File name without its ending; names that are there twice have their folder too.
    const std::string& name(size_t number) const { return entries_[number]->name; }
    const std::string& path(size_t number) const { return entries_[number]->path; }
    // Opens the file only as long as it needs to: there may be thousands, and each open one has its memory
    // and threads.
    Expected<ProfileFacts> facts(size_t number);
    // The same of the file as it is now, if it is known, or can be looked at from before `until` on; else
    // nothing. Waits no longer than that for who opens the file.
    using Known = std::optional<Expected<ProfileFacts>>;
    Known facts_until(size_t number, std::chrono::steady_clock::time_point until);

    Expected<size_t> number_of(const std::string& id) const;
    // Grows when the file is found to be another one than was opened (recorded or imported again): all that
    // was known of it is forgotten, and the next question opens it anew. A file that was deleted stays as it
    // was.
    uint64_t version(size_t number);
    Aggregations& aggregations(size_t number) { return entries_[number]->aggregations; }
    // The range that the parameters of a call name.
    Expected<query::RangeOptions> range_of(const Call& call, size_t number) const;
    // A session for the profile {id} and the range of a call.
    Expected<Lease> lease(const Call& call);
    Expected<Lease> lease(size_t number, const query::RangeOptions& range, const std::string& table = {},
                          std::shared_ptr<CancellationToken> cancellation = {});
    // The timeline of the profile {id}.
    Expected<std::shared_ptr<const query::Timeline>> timeline(const Call& call);
    // Begins to read the timeline of a profile that could be opened.
    void read_timeline_ahead(size_t number);
    // For what is worked out from memory alone.
    FairSemaphore& turns() { return turns_; }
    // For questions to the files: each takes memory. Not too few, for a short one must not wait for long
    // ones.
    FairSemaphore& questions() { return questions_; }
    void interrupt();
    bool stopping() const { return stopping_; }

  private:
    struct Entry {
        Entry(std::string path_, bool read_only, CrashLedger::Record& record_)
            : path(std::move(path_)), aggregations(path, read_only), record(record_) {}
        std::string path, name;
        Aggregations aggregations;
        CrashLedger::Record& record;
        std::timed_mutex mutex;                      // who opens the file, or looks at it
        std::shared_ptr<SessionPool> pool;           // null until it is opened
        std::mutex known_mutex;                      // only ever held for a moment
        Known known;                                 // its facts, or why the file cannot be read
        std::chrono::steady_clock::time_point used;  // its pool, last
    };
    Expected<std::shared_ptr<SessionPool>> pool_of(size_t number);
    Result<db::OpenProfile> open(Entry& entry) const;
    Expected<ProfileFacts> look(Entry& entry);
    void forget_what_changed(size_t number);
    static void remember(Entry& entry, const Known& known);
    void close_idle(const Entry& but);

    std::shared_ptr<CrashLedger> ledger_;
    std::vector<std::unique_ptr<Entry>> entries_;
    bool read_only_;
    std::unique_ptr<Prober> prober_;
    std::atomic<bool> stopping_ = false;
    Timelines timelines_;
    FairSemaphore turns_, questions_{8};
};

}  // namespace opsight::server
