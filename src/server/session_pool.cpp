#include "server/session_pool.h"

#include <algorithm>
#include <chrono>

namespace opsight::server {
namespace {

constexpr size_t kMostSessions = 24;
constexpr std::chrono::seconds kPatience(1);
constexpr std::ptrdiff_t kMostOfRange = 8, kMostOfCutRange = 2;

}  // namespace

Lease::~Lease() {
    if (!pool_) return;
    if (token_) token_->set_interrupt({});
    // What was interrupted in the midst of its work, or thrown out of it, may have left half of it behind.
    if (std::uncaught_exceptions() > exceptions_ || (token_ && token_->cancelled()))
        pool_->discard(*session_);
    else
        pool_->give_back(*session_, table_);
}

void Lease::serve(std::shared_ptr<CancellationToken> cancellation) {
    token_ = std::move(cancellation);
    token_->set_interrupt([session = session_] { session->interrupt(); });
}

SessionPool::Slot* SessionPool::take(std::list<Slot>::iterator slot) {
    slots_.splice(slots_.end(), slots_, slot);
    slot->in_use = true;
    return &*slot;
}

// One that keeps the table, else, if `any` will do, the one used last.
SessionPool::Slot* SessionPool::idle_slot(const Key& key, const std::string& table, bool any) {
    auto last = slots_.end();
    for (auto slot = slots_.begin(); slot != slots_.end(); ++slot) {
        if (slot->in_use || slot->key != key) continue;
        if (!table.empty() && slot->session->kept(table).has_value()) return take(slot);
        if (any) last = slot;
    }
    return last == slots_.end() ? nullptr : take(last);
}

bool SessionPool::kept_by_another(const Key& key, const std::string& table) const {
    return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
        return slot.in_use && slot.key == key && slot.tables.contains(table);
    });
}

// Makes room by closing the session whose last use lies farthest back.
bool SessionPool::may_open(const Key& key) {
    const auto most = key.key_op.empty() && key.iteration_range.empty() ? kMostOfRange : kMostOfCutRange;
    if (std::count_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.key == key; }) >= most)
        return false;
    if (slots_.size() < kMostSessions) return true;
    const auto idle = std::find_if(slots_.begin(), slots_.end(), [](const Slot& s) { return !s.in_use; });
    if (idle == slots_.end()) return false;
    slots_.erase(idle);
    return true;
}

Result<Lease> SessionPool::lease(const query::RangeOptions& range, const std::string& table) {
    std::list<Slot>::iterator made;
    {
        std::unique_lock lock(mutex_);
        const auto patience = std::chrono::steady_clock::now() + kPatience;
        while (true) {
            if (stopping_) return fail("the server is stopping");
            const bool worth_waiting = !table.empty() && kept_by_another(range, table) &&
                                       std::chrono::steady_clock::now() < patience;
            if (Slot* slot = idle_slot(range, table, !worth_waiting))
                return Lease(*this, *slot->session, table);
            if (worth_waiting) {
                freed_.wait_until(lock, patience);
                continue;
            }
            if (may_open(range)) break;
            freed_.wait(lock);
        }
        made = slots_.insert(slots_.end(), Slot{range, nullptr});
    }
    const auto give_up = [&] {
        const std::lock_guard lock(mutex_);
        slots_.erase(made);
        freed_.notify_all();
    };
    try {
        Result<query::Session> session = query::Session::open_on(profile_, path_, range);
        if (!session) {
            give_up();
            return fail(std::move(session).error());
        }
        auto opened = std::make_unique<query::Session>(std::move(*session));
        const std::lock_guard lock(mutex_);
        made->session = std::move(opened);
    } catch (...) {
        give_up();
        throw;
    }
    return Lease(*this, *made->session, table);
}

void SessionPool::discard(query::Session& session) {
    const std::lock_guard lock(mutex_);
    std::erase_if(slots_, [&](const Slot& slot) { return slot.session.get() == &session; });
    freed_.notify_all();
}

void SessionPool::give_back(query::Session& session, const std::string& table) {
    const bool keeps = !table.empty() && session.kept(table).has_value();
    const std::lock_guard lock(mutex_);
    for (Slot& slot : slots_) {
        if (slot.session.get() != &session) continue;
        slot.in_use = false;
        if (keeps) slot.tables.insert(table);
    }
    freed_.notify_all();
}

void SessionPool::interrupt() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Slot& slot : slots_)
        if (slot.in_use && slot.session) slot.session->interrupt();
    freed_.notify_all();
}

}  // namespace opsight::server
