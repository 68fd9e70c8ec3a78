// What a process that answers works on, in memory that it shares with the one that started it: where it
// crashes, the other one knows at which file, and that is not asked again (supervisor.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "server/file_identity.h"

namespace opsight::server {

class CrashLedger {
  public:
    // What is known of one profile, and must be known after a crash, too. No pointers: it is shared.
    struct Record {
        std::atomic<int> at_work = 0;      // questions that are being worked on
        int crashes = 0;                   // of processes meanwhile
        bool alone = false;                // in one of them, nothing else was
        std::optional<FileIdentity> seen;  // what was opened last
        uint64_t version = 0;
        // Of several that were worked on at a crash, those are to blame that are there at the next one, too.
        bool refused() const { return alone || crashes > 1; }
        // It is another file now.
        void forget() {
            seen.reset();
            crashes = 0;
            alone = false;
            ++version;
        }
    };

    // Work on a profile, as long as this is there.
    class Work {
      public:
        Work() = default;
        explicit Work(std::atomic<int>& count) : count_(&count) { ++count; }
        Work(Work&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
        Work& operator=(Work&& other) noexcept {
            std::swap(count_, other.count_);
            return *this;
        }
        ~Work() {
            if (count_) --*count_;
        }

      private:
        std::atomic<int>* count_ = nullptr;
    };

    // Shared with the processes that are forked from now on.
    static Result<std::shared_ptr<CrashLedger>> make(size_t profiles);
    CrashLedger(const CrashLedger&) = delete;
    CrashLedger& operator=(const CrashLedger&) = delete;
    ~CrashLedger();

    Record& operator[](size_t number) { return records_[number]; }
    Work work_on(size_t number) { return Work(records_[number].at_work); }
    // The process has crashed: the profiles that it worked on.
    std::vector<size_t> note_crash();

  private:
    CrashLedger(Record* records, size_t size) : records_(records), size_(size) {}
    Record* records_;
    size_t size_;
};

}  // namespace opsight::server
