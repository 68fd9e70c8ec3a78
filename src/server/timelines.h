// The timelines of profiles, read when they are first asked for. The ones used last are kept, for each takes
// memory by its spans; an answer that is under way keeps its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/task_group.h"
#include "query/timeline/timeline.h"
#include "server/crash_ledger.h"

namespace opsight::server {

class Timelines {
  public:
    Timelines() = default;
    Timelines(const Timelines&) = delete;
    Timelines& operator=(const Timelines&) = delete;

    // `number` tells the profile, whose open file is `database`. Askers of a timeline that is being read wait
    // for it.
    Result<std::shared_ptr<const query::Timeline>> get(size_t number, const std::string& path,
                                                       const duck::Database& database);
    // Begins to read one, so that it is there when it is asked for. To be called once.
    void read_ahead(size_t number, const std::string& path, const duck::Database& database,
                    CrashLedger::Work work);

    // What is being read ends soon: for the end of the program.
    void stop() { stop_ = true; }

    // The file is another one now.
    void forget(size_t number);

  private:
    static constexpr size_t kKept = 3;
    struct Entry {
        size_t number;
        std::mutex reading;
        std::shared_ptr<const query::Timeline> timeline;  // null until it is read
        explicit Entry(size_t of) : number(of) {}
    };
    std::shared_ptr<Entry> entry(size_t number);

    std::mutex mutex_;
    std::list<std::shared_ptr<Entry>> entries_;  // used last at the end
    std::atomic<bool> stop_ = false;
    TaskGroup ahead_;  // last: its thread uses all the others
};

}  // namespace opsight::server
