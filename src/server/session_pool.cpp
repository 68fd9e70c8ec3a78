#include "server/session_pool.h"

#include <algorithm>

namespace opsight::server {
namespace {

constexpr size_t kMostSessions = 24;
constexpr std::ptrdiff_t kMostOfRange = 8, kMostOfCutRange = 2;

}  // namespace

Lease::~Lease() {
    if (pool_) pool_->give_back(*session_);
}

SessionPool::Slot* SessionPool::idle_slot(const Key& key) {
    for (auto slot = slots_.begin(); slot != slots_.end(); ++slot) {
        if (slot->in_use || slot->key != key) continue;
        slots_.splice(slots_.end(), slots_, slot);
        slots_.back().in_use = true;
        return &slots_.back();
    }
    return nullptr;
}

// Makes room by closing the session whose last use lies farthest back.
bool SessionPool::may_open(const Key& key) {
    const auto& [start, stop, all, key_op, iteration_range] = key;
    const auto most = key_op.empty() && iteration_range.empty() ? kMostOfRange : kMostOfCutRange;
    if (std::count_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.key == key; }) >= most)
        return false;
    if (slots_.size() < kMostSessions) return true;
    const auto idle = std::find_if(slots_.begin(), slots_.end(), [](const Slot& s) { return !s.in_use; });
    if (idle == slots_.end()) return false;
    slots_.erase(idle);
    return true;
}

Result<Lease> SessionPool::lease(const RangeOptions& range) {
    const Key key{range.start, range.stop, range.all, range.key_op, range.iteration_range};
    std::list<Slot>::iterator made;
    {
        std::unique_lock lock(mutex_);
        while (true) {
            if (stopping_) return fail("the server is stopping");
            if (Slot* slot = idle_slot(key)) return Lease(*this, *slot->session);
            if (may_open(key)) break;
            freed_.wait(lock);
        }
        made = slots_.insert(slots_.end(), Slot{key, nullptr, true});
    }
    Result<Session> session = Session::open_on(profile_, path_, range);
    const std::lock_guard lock(mutex_);
    if (!session) {
        slots_.erase(made);
        freed_.notify_all();
        return fail(std::move(session).error());
    }
    made->session = std::make_unique<Session>(std::move(*session));
    return Lease(*this, *made->session);
}

void SessionPool::give_back(Session& session) {
    const std::lock_guard lock(mutex_);
    for (Slot& slot : slots_)
        if (slot.session.get() == &session) slot.in_use = false;
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
