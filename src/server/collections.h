// What a server shows beside profiles: stores of runs, folders of sweeps and clouds of mappings, each under a
// small number of its kind.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "fleet/store/store.h"
#include "server/crash_ledger.h"
#include "server/fair_semaphore.h"
#include "server/http.h"

namespace opsight::server {

class Call;

// What `opsight view` was told to show, by what each path or address is.
struct Subjects {
    std::vector<std::string> profiles, stores, sweeps, clouds;
    size_t size() const { return profiles.size() + stores.size() + sweeps.size() + clouds.size(); }
    // Of profiles first, as a CrashLedger of all of them numbers them.
    std::vector<std::string> all() const;
};

class Collections {
  public:
    // `ledger`: of all subjects, where another process is to know of them; else it has its own.
    explicit Collections(const Subjects& subjects, std::shared_ptr<CrashLedger> ledger = {});

    enum class Kind : uint8_t { kStore, kSweep, kCloud };
    struct Named {
        std::string address, name;  // no two of a kind have the same name
        size_t record = 0;          // its place in the ledger
        Kind kind = Kind::kStore;
    };
    const std::vector<Named>& stores() const { return stores_; }
    const std::vector<Named>& sweeps() const { return sweeps_; }
    const std::vector<Named>& clouds() const { return clouds_; }

    // What is asked of a collection, as long as it takes: few at once, each counted in the ledger.
    class Question {
      public:
        Question(Collections& of, const Named& named, std::shared_ptr<CancellationToken> asker);
        ~Question();
        Question(const Question&) = delete;
        Question& operator=(const Question&) = delete;
        const Named& about() const { return named_; }
        const std::shared_ptr<CancellationToken>& asker() const { return asker_; }

      private:
        Collections& of_;
        const Named& named_;
        std::shared_ptr<CancellationToken> asker_;
        FairSemaphore::Permit turn_;
        CrashLedger::Work work_;
    };

    // An open store for one question, or several after each other. It is opened anew each time: so it is what
    // lies there now, and no two threads share it.
    class OpenStore {
      public:
        explicit OpenStore(std::unique_ptr<Question> question) : question_(std::move(question)) {}
        Status open();
        fleet::Store& operator*() const { return *store_; }

      private:
        std::unique_ptr<Question> question_;
        std::unique_ptr<fleet::Store> store_;
    };
    // The store {store} of a call, for whoever asks.
    Expected<std::unique_ptr<OpenStore>> store(const Call& call);
    Expected<std::unique_ptr<OpenStore>> store(size_t number, std::shared_ptr<CancellationToken> asker);
    // The sweep {sweep} of a call: its folder is about().address.
    Expected<std::unique_ptr<Question>> sweep(const Call& call);
    // Another one by its number. Whoever holds a question asks no second one: all turns could be held so.
    Expected<std::unique_ptr<Question>> sweep(const std::string& id,
                                              std::shared_ptr<CancellationToken> asker);
    // The cloud {cloud} of a call: its file is about().address.
    Expected<std::unique_ptr<Question>> cloud(const Call& call);
    // Why a collection cannot be shown, as its answers say it.
    static Problem not_shown(const Named& named, const Error& error);

    // The id of the recording of a profile, as stores name runs, of the version that is meant; empty: not
    // known.
    std::string recording(size_t profile, uint64_t version) const;
    void remember_recording(size_t profile, uint64_t version, const std::string& id);

    // What is asked now fails soon, and so does what is asked after this.
    void interrupt();

  private:
    static constexpr uint64_t kMostWaiting = 12;
    static constexpr uint64_t kAtOnce = 2;  // each question takes memory and threads of its own

    Expected<std::unique_ptr<Question>> ask(const Named& named, std::shared_ptr<CancellationToken> asker);
    Status refuse_what_crashed(const Named& named);

    std::shared_ptr<CrashLedger> ledger_;
    std::vector<Named> stores_, sweeps_, clouds_;
    FairSemaphore turns_{kAtOnce};
    mutable std::mutex mutex_;
    std::set<std::shared_ptr<CancellationToken>> askers_;
    std::map<size_t, std::pair<uint64_t, std::string>> recordings_;
    bool stopping_ = false;
};

}  // namespace opsight::server
