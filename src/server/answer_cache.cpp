#include "server/answer_cache.h"

namespace opsight::server {

Response AnswerCache::get(const std::string& key, const std::function<Response()>& make) {
    {
        std::unique_lock lock(mutex_);
        while (true) {
            if (const auto found = places_.find(key); found != places_.end()) {
                list_.splice(list_.end(), list_, found->second);
                return found->second->response;
            }
            if (making_.try_emplace(key, 1).second) break;
            made_.wait(lock);
        }
    }
    Response response;
    try {
        response = make();
    } catch (...) {  // who waits for it tries himself
        const std::lock_guard lock(mutex_);
        making_.erase(key);
        made_.notify_all();
        throw;
    }
    const std::lock_guard lock(mutex_);
    making_.erase(key);
    if (response.status == 200 && !response.more) keep(key, response);
    made_.notify_all();
    return response;
}

void AnswerCache::keep(const std::string& key, const Response& response) {
    const size_t size = key.size() + response.body.size();
    if (size > most_bytes_ / 4) return;  // one must not put out all others
    while (!list_.empty() && bytes_ + size > most_bytes_) {
        bytes_ -= list_.front().key.size() + list_.front().response.body.size();
        places_.erase(list_.front().key);
        list_.pop_front();
    }
    list_.push_back({key, response});
    places_[key] = std::prev(list_.end());
    bytes_ += size;
}

}  // namespace opsight::server
