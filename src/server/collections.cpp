#include "server/collections.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <new>

#include "fleet/stores/open.h"
#include "server/facts.h"
#include "server/router.h"

namespace opsight::server {
namespace {

namespace fs = std::filesystem;

// The name of a folder, however it is written; an address of another kind as it is.
std::string name_of_collection(const std::string& address) {
    if (address.find("://") != std::string::npos) return address;
    std::error_code problem;
    const fs::path real = fs::canonical(address, problem);
    const std::string name = (problem ? fs::path(address) : real).filename().string();
    return name.empty() ? address : name;
}

std::vector<Collections::Named> named_collections(const std::vector<std::string>& addresses, size_t first) {
    std::vector<Collections::Named> all;
    std::map<std::string, int> given;
    for (const std::string& address : addresses) {
        std::string name = name_of_collection(address);
        if (const int before = given[name]++; before > 0) name += fmt::format(" ({})", before + 1);
        all.push_back({address, std::move(name), first + all.size()});
    }
    return all;
}

// As not_usable(), in the error's own words: a store is no profile.
Problem no_usable_store(const Collections::Named& named, const Error& error) {
    Problem problem(error);
    problem.status = kNotUsable;
    problem.message = named.name + ": " + error.what;
    return problem;
}

// Changes with every run that a store of files gets or loses.
std::string changes_with(const Collections::Named& named) {
    return named.address + "/_runs";
}

}  // namespace

std::vector<std::string> Subjects::all() const {
    std::vector<std::string> paths = profiles;
    paths.insert(paths.end(), stores.begin(), stores.end());
    return paths;
}

Collections::Collections(const Subjects& subjects, std::shared_ptr<CrashLedger> ledger)
    : ledger_(std::move(ledger)), stores_(named_collections(subjects.stores, subjects.profiles.size())) {
    if (ledger_) return;
    auto own = CrashLedger::make(subjects.size());
    if (!own) throw std::bad_alloc();
    ledger_ = std::move(*own);
}

Collections::OpenStore::OpenStore(Collections& of, const Named& named,
                                  std::shared_ptr<CancellationToken> asker)
    : of_(of),
      named_(named),
      asker_(std::move(asker)),
      turn_(of.turns_),
      work_(of.ledger_->work_on(named.record)) {
    const std::lock_guard lock(of_.mutex_);
    of_.askers_.insert(asker_);
    if (of_.stopping_) asker_->cancel();
}

Collections::OpenStore::~OpenStore() {
    const std::lock_guard lock(of_.mutex_);
    of_.askers_.erase(asker_);
}

Status Collections::OpenStore::open() {
    OPSIGHT_ASSIGN(store_, fleet::open_store(named_.address, false));
    store_->serve(asker_);
    return {};
}

// As a profile: until it is another one than the one that crashed the process before this.
Status Collections::refuse_what_crashed(const Named& named) {
    const std::lock_guard lock(mutex_);
    CrashLedger::Record& record = (*ledger_)[named.record];
    const std::optional<FileIdentity> now = identity_of(changes_with(named));
    if (record.refused() && now != record.seen) record.forget();
    record.seen = now;
    if (!record.refused()) return {};
    return fail("crashed the process that was answering a question about it", named.address, {},
                "it may be damaged: push its runs into a new store; if that does not help, please report it");
}

Expected<std::unique_ptr<Collections::OpenStore>> Collections::store(
    size_t number, std::shared_ptr<CancellationToken> asker) {
    const Named& named = stores_[number];
    if (const Status fine = refuse_what_crashed(named); !fine)
        return fail(no_usable_store(named, fine.error()));
    auto opened = std::make_unique<OpenStore>(*this, named, std::move(asker));
    if (const Status done = opened->open(); !done) return fail(no_usable_store(named, done.error()));
    return opened;
}

Expected<std::unique_ptr<Collections::OpenStore>> Collections::store(const Call& call) {
    const std::string& id = call.path("store");
    size_t number = 0;
    const auto result = std::from_chars(id.data(), id.data() + id.size(), number);
    if (result.ec != std::errc() || result.ptr != id.data() + id.size() || number >= stores_.size())
        return fail(Problem(404, "not_found", fmt::format("there is no store '{}'", id),
                            "name a store when the viewer is started: opsight view STORE"));
    return store(number, call.request().cancellation);
}

std::string Collections::recording(size_t profile, uint64_t version) const {
    const std::lock_guard lock(mutex_);
    const auto found = recordings_.find(profile);
    return found != recordings_.end() && found->second.first == version ? found->second.second
                                                                        : std::string();
}

void Collections::remember_recording(size_t profile, uint64_t version, const std::string& id) {
    const std::lock_guard lock(mutex_);
    recordings_[profile] = {version, id};
}

void Collections::interrupt() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& asker : askers_)
        asker->cancel();
}

}  // namespace opsight::server
