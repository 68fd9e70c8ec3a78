#include "server/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <new>

#include "server/router.h"

namespace opsight::server {
namespace {

namespace fs = std::filesystem;

constexpr int kMostOpenings = 3;
constexpr size_t kMostOpenProfiles = 8;

std::string short_name(const fs::path& path) {
    std::string name = path.filename().string();
    if (constexpr std::string_view ending = ".opsight"; name.size() > ending.size() && name.ends_with(ending))
        name.resize(name.size() - ending.size());
    return name;
}

Error crashed(const CrashLedger::Record& record) {
    return {record.alone ? "crashed the process that was answering a question about it"
                         : "was asked about both times that a process crashed while it was answering",
            {},
            {},
            "it may be damaged: import the trace again; if that does not help, please report it"};
}

}  // namespace

Profiles::Profiles(const std::vector<std::string>& paths, bool read_only, std::vector<std::string> probe,
                   std::shared_ptr<CrashLedger> ledger)
    : ledger_(std::move(ledger)), read_only_(read_only) {
    if (!ledger_) {
        auto own = CrashLedger::make(paths.size());
        if (!own) throw std::bad_alloc();
        ledger_ = std::move(*own);
    }
    if (!probe.empty()) prober_ = std::make_unique<Prober>(std::move(probe));
    std::map<std::string, int> seen, given;
    for (const std::string& path : paths)
        ++seen[short_name(path)];
    for (const std::string& path : paths) {
        auto entry = std::make_unique<Entry>(path, read_only, (*ledger_)[entries_.size()]);
        entry->name = short_name(path);
        std::error_code ignored;
        const std::string folder = fs::absolute(path, ignored).parent_path().filename().string();
        if (seen[entry->name] > 1) entry->name = folder + "/" + entry->name;
        // Addresses name profiles: no two have the same name.
        if (const int before = given[entry->name]++; before > 0)
            entry->name += fmt::format(" ({})", before + 1);
        entries_.push_back(std::move(entry));
    }
}

Expected<size_t> Profiles::number_of(const std::string& id) const {
    size_t number = 0;
    const auto result = std::from_chars(id.data(), id.data() + id.size(), number);
    if (result.ec != std::errc() || result.ptr != id.data() + id.size() || number >= entries_.size())
        return fail(Problem(404, "not_found", fmt::format("there is no profile '{}'", id),
                            "the start page lists the profiles"));
    return number;
}

// What is opened is what `seen` tells, even where the file is replaced, or brought up to date, meanwhile.
Result<db::OpenProfile> Profiles::open(Entry& entry) const {
    db::ReadOptions options;
    options.may_write = !read_only_;
    for (int attempt = 1;; ++attempt) {
        entry.record.seen = identity_of(entry.path);
        Result<db::OpenProfile> profile = db::open_profile(entry.path, options);
        if (!profile || attempt == kMostOpenings || identity_of(entry.path) == entry.record.seen)
            return profile;
    }
}

// Where the file is another one than was opened or refused. The caller holds the mutex of the entry.
void Profiles::forget_what_changed(size_t number) {
    Entry& entry = *entries_[number];
    const std::optional<FileIdentity> now = identity_of(entry.path);
    if (!now || (entry.record.seen ? *now == *entry.record.seen : !entry.known)) return;
    entry.record.forget();
    entry.pool.reset();
    remember(entry, {});
    timelines_.forget(number);
}

uint64_t Profiles::version(size_t number) {
    Entry& entry = *entries_[number];
    const std::lock_guard lock(entry.mutex);
    forget_what_changed(number);
    return entry.record.version;
}

Expected<std::shared_ptr<SessionPool>> Profiles::pool_of(size_t number) {
    Entry& entry = *entries_[number];
    const std::lock_guard lock(entry.mutex);
    entry.used = std::chrono::steady_clock::now();
    if (!entry.pool) {
        if (prober_ || entry.known || entry.record.refused()) {
            OPSIGHT_TRY(look(entry));
        }
        auto profile = open(entry);
        if (!profile) return fail(not_usable(entry.path, profile.error()));
        entry.pool = std::make_shared<SessionPool>(entry.path, std::move(*profile));
        close_idle(entry);
    }
    return entry.pool;
}

// Each open file takes memory: those that nobody has asked for longest are closed, and opened again when
// asked for.
void Profiles::close_idle(const Entry& but) {
    Entry* longest = nullptr;
    std::unique_lock<std::timed_mutex> held;
    size_t open = 0;
    for (const auto& entry : entries_) {
        std::unique_lock lock(entry->mutex, std::defer_lock);
        if (entry.get() == &but || !lock.try_lock() || !entry->pool) continue;
        ++open;
        if (entry->pool.use_count() > 1 || (longest && longest->used <= entry->used)) continue;
        longest = entry.get();
        held = std::move(lock);
    }
    if (open >= kMostOpenProfiles && longest) longest->pool.reset();
}

// As open(), for the facts alone, and once for a file: what is wrong with it stays so until it is another
// one.
Expected<ProfileFacts> Profiles::look(Entry& entry) {
    if (entry.known) return *entry.known;
    if (entry.record.refused()) {
        const Expected<ProfileFacts> refused = fail(not_usable(entry.path, crashed(entry.record)));
        remember(entry, refused);
        return refused;
    }
    for (int attempt = 1;; ++attempt) {
        entry.record.seen = identity_of(entry.path);
        Expected<ProfileFacts> facts =
            prober_ ? prober_->ask(entry.path, !read_only_) : read_facts(entry.path, !read_only_);
        if (facts && attempt < kMostOpenings && identity_of(entry.path) != entry.record.seen) continue;
        if (facts || facts.error().status == kNotUsable) remember(entry, facts);
        return facts;
    }
}

void Profiles::remember(Entry& entry, const Known& known) {
    const std::lock_guard lock(entry.known_mutex);
    entry.known = known;
}

Expected<ProfileFacts> Profiles::facts(size_t number) {
    Entry& entry = *entries_[number];
    const std::lock_guard lock(entry.mutex);
    return look(entry);
}

Profiles::Known Profiles::facts_until(size_t number, std::chrono::steady_clock::time_point until) {
    Entry& entry = *entries_[number];
    const auto known = [&entry] {
        const std::lock_guard lock(entry.known_mutex);
        return entry.known;
    };
    std::unique_lock lock(entry.mutex, std::try_to_lock);
    if (!lock) {
        if (Known found = known(); found || !lock.try_lock_until(until)) return found;
    }
    forget_what_changed(number);
    if (Known found = known(); found || std::chrono::steady_clock::now() >= until) return found;
    return look(entry);
}

Expected<Lease> Profiles::lease(size_t number, const query::RangeOptions& range, const std::string& table,
                                std::shared_ptr<CancellationToken> cancellation) {
    CrashLedger::Work work = ledger_->work_on(number);
    OPSIGHT_ASSIGN(const std::shared_ptr<SessionPool> pool, pool_of(number));
    auto session = pool->lease(range, table);
    if (session) session->keep(pool, std::move(work));
    if (session && cancellation) session->serve(std::move(cancellation));
    if (session) return std::move(*session);
    // The file is open, so it is the range that does not fit it.
    return fail(Problem(400, "bad_request", session.error().what, session.error().remedy));
}

Expected<Lease> Profiles::lease(const Call& call) {
    OPSIGHT_ASSIGN(const size_t number, number_of(call.path("id")));
    OPSIGHT_ASSIGN(const query::RangeOptions range, range_of(call, number));
    return lease(number, range, {}, call.request().cancellation);
}

Expected<std::shared_ptr<const query::Timeline>> Profiles::timeline(const Call& call) {
    OPSIGHT_ASSIGN(const size_t number, number_of(call.path("id")));
    const CrashLedger::Work work = ledger_->work_on(number);
    OPSIGHT_ASSIGN(const std::shared_ptr<SessionPool> pool, pool_of(number));
    auto timeline = timelines_.get(number, entries_[number]->path, pool->database());
    if (!timeline)
        return fail(not_usable(entries_[number]->path,
                               about_a_file("cannot be shown on a timeline", timeline.error())));
    return std::move(*timeline);
}

void Profiles::read_timeline_ahead(size_t number) {
    CrashLedger::Work work = ledger_->work_on(number);
    const auto pool = pool_of(number);
    if (pool) timelines_.read_ahead(number, entries_[number]->path, (*pool)->database(), std::move(work));
}

void Profiles::interrupt() {
    stopping_ = true;
    timelines_.stop();
    if (prober_) prober_->stop();
    for (const auto& entry : entries_) {
        const std::lock_guard lock(entry->mutex);
        if (entry->pool) entry->pool->interrupt();
    }
}

Expected<query::RangeOptions> Profiles::range_of(const Call& call, size_t number) const {
    query::RangeOptions range;
    OPSIGHT_ASSIGN(range.start, call.number("iter_start"));
    OPSIGHT_ASSIGN(range.stop, call.number("iter_stop"));
    OPSIGHT_ASSIGN(range.all, call.flag("all"));
    OPSIGHT_ASSIGN(range.whole, call.flag("whole"));
    range.key_op = call.text("key_op");
    range.iteration_range = call.text("iteration_range");
    OPSIGHT_ASSIGN(range.rank, call.number("rank"));
    const std::string id = call.text("aggregation");
    if (id.empty()) return range;
    if (range.start || range.stop || range.all || range.whole || !range.key_op.empty() ||
        !range.iteration_range.empty())
        return fail(
            Problem(400, "bad_request", "an aggregation and another range exclude each other", "give one"));
    const auto found = entries_[number]->aggregations.find(id);
    if (!found)
        return fail(Problem(404, "not_found", fmt::format("there is no aggregation '{}'", id),
                            "its name may have been removed: choose the range again"));
    query::RangeOptions kept = found->range;
    kept.rank = range.rank;
    return kept;
}

}  // namespace opsight::server
