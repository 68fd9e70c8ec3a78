#include "server/timelines.h"

#include <algorithm>

namespace opsight::server {

void Timelines::read_ahead(size_t number, const std::string& path, const duck::Database& database,
                           CrashLedger::Work work) {
    // A failure is told to whoever asks for it.
    ahead_.start_beside([this, number, path, open = database.share(), work = std::move(work)]() mutable {
        const CrashLedger::Work until_it_is_read = std::move(work);
        (void)get(number, path, open);
    });
}

void Timelines::forget(size_t number) {
    const std::lock_guard lock(mutex_);
    entries_.remove_if([number](const auto& each) { return each->number == number; });
}

std::shared_ptr<Timelines::Entry> Timelines::entry(size_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [number](const auto& each) { return each->number == number; });
    if (found != entries_.end()) {
        entries_.splice(entries_.end(), entries_, found);
    } else {
        entries_.push_back(std::make_shared<Entry>(number));
        if (entries_.size() > kKept) entries_.pop_front();
    }
    return entries_.back();
}

Result<std::shared_ptr<const query::Timeline>> Timelines::get(size_t number, const std::string& path,
                                                              const duck::Database& database) {
    const std::shared_ptr<Entry> wanted = entry(number);
    const std::lock_guard lock(wanted->reading);
    if (!wanted->timeline) {
        OPSIGHT_ASSIGN(query::Timeline timeline, query::Timeline::open(path, database, 0, &stop_));
        wanted->timeline = std::make_shared<const query::Timeline>(std::move(timeline));
    }
    return wanted->timeline;
}

}  // namespace opsight::server
