// Sessions of one profile. A Session serves one thread at a time and takes milliseconds to open (longer where
// iterations are cut anew), so sessions are kept for the ranges asked for last. All of them share one open
// file and its cache.
#pragma once

#include <condition_variable>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "base/cancellation_token.h"
#include "query/session/session.h"
#include "server/crash_ledger.h"

namespace opsight::server {

class SessionPool;

// A session that nobody else uses until this goes away.
class Lease {
  public:
    Lease(SessionPool& pool, query::Session& session, std::string table)
        : pool_(&pool), session_(&session), table_(std::move(table)) {}
    Lease(Lease&& other) noexcept
        : pool_(other.pool_),
          session_(other.session_),
          table_(std::move(other.table_)),
          token_(std::move(other.token_)),
          kept_(std::move(other.kept_)),
          work_(std::move(other.work_)) {
        other.pool_ = nullptr;
    }
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    query::Session& operator*() const { return *session_; }
    query::Session* operator->() const { return session_; }
    // From now on it works for this one, and stops when he goes away.
    void serve(std::shared_ptr<CancellationToken> cancellation);
    // The pool stays as long as this, where its owner lets go of it; `work` is what the session is used for.
    void keep(std::shared_ptr<SessionPool> pool, CrashLedger::Work work) {
        kept_ = std::move(pool);
        work_ = std::move(work);
    }

  private:
    SessionPool* pool_;
    query::Session* session_;
    std::string table_;
    std::shared_ptr<CancellationToken> token_;
    std::shared_ptr<SessionPool> kept_;
    CrashLedger::Work work_;
    int exceptions_ = std::uncaught_exceptions();
};

class SessionPool {
  public:
    SessionPool(std::string path, db::OpenProfile profile)
        : path_(std::move(path)), profile_(std::move(profile)) {}
    SessionPool(const SessionPool&) = delete;
    SessionPool& operator=(const SessionPool&) = delete;

    // The open file, for further connections.
    const duck::Database& database() const { return profile_.database; }

    // Waits where as many as may be are in use. For a range that is cut anew only few are made, for each
    // costs a pass over the profile.
    // `table`: rather the session that keeps the table of that name (Session::kept), for working it out again
    // takes longer than to wait a moment.
    Result<Lease> lease(const query::RangeOptions& range, const std::string& table = {});
    // What runs now fails soon, and nothing new begins: for the end of the program.
    void interrupt();

  private:
    friend class Lease;
    using Key = query::RangeOptions;
    struct Slot {
        Key key;
        std::unique_ptr<query::Session> session;  // null while it is being opened
        bool in_use = true;
        std::set<std::string> tables = {};  // that it kept when it was given back
    };
    Slot* take(std::list<Slot>::iterator slot);
    Slot* idle_slot(const Key& key, const std::string& table, bool any);
    bool kept_by_another(const Key& key, const std::string& table) const;
    bool may_open(const Key& key);
    void give_back(query::Session& session, const std::string& table);
    void discard(query::Session& session);

    std::string path_;
    db::OpenProfile profile_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::list<Slot> slots_;  // used last at the end
    bool stopping_ = false;
};

}  // namespace opsight::server
