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

std::vector<Collections::Named> named_collections(const std::vector<std::string>& addresses, size_t first,
                                                  Collections::Kind kind) {
    std::vector<Collections::Named> all;
    std::map<std::string, int> given;
    for (const std::string& address : addresses) {
        std::string name = name_of_collection(address);
        if (const int before = given[name]++; before > 0) name += fmt::format(" ({})", before + 1);
        all.push_back({address, std::move(name), first + all.size(), kind});
    }
    return all;
}

// Changes with every run that a store of files, or a sweep, gets or loses, and with a cloud that is written
// anew.
std::string changes_with(const Collections::Named& named) {
    switch (named.kind) {
        case Collections::Kind::kStore:
            return named.address + "/_runs";
        case Collections::Kind::kSweep:
            return named.address + "/runs.jsonl";
        case Collections::Kind::kCloud:
            break;
    }
    return named.address;
}

const char* help_where_one_crashed(Collections::Kind kind) {
    switch (kind) {
        case Collections::Kind::kStore:
            return "it may be damaged: push its runs into a new store; if that does not help, please report "
                   "it";
        case Collections::Kind::kSweep:
            return "it may be damaged: run the sweep into another folder; if that does not help, please "
                   "report "
                   "it";
        case Collections::Kind::kCloud:
            break;
    }
    return "it may be damaged: write it again with opsight map --cloud; if that does not help, please report "
           "it";
}

// Nothing where the text is not the number of one.
const Collections::Named* numbered(const std::vector<Collections::Named>& all, const std::string& id) {
    size_t number = 0;
    const auto result = std::from_chars(id.data(), id.data() + id.size(), number);
    const bool whole = result.ec == std::errc() && result.ptr == id.data() + id.size();
    return whole && number < all.size() ? &all[number] : nullptr;
}

}  // namespace

std::vector<std::string> Subjects::all() const {
    std::vector<std::string> paths = profiles;
    paths.insert(paths.end(), stores.begin(), stores.end());
    paths.insert(paths.end(), sweeps.begin(), sweeps.end());
    paths.insert(paths.end(), clouds.begin(), clouds.end());
    return paths;
}

Collections::Collections(const Subjects& subjects, std::shared_ptr<CrashLedger> ledger)
    : ledger_(std::move(ledger)),
      stores_(named_collections(subjects.stores, subjects.profiles.size(), Kind::kStore)),
      sweeps_(named_collections(subjects.sweeps, subjects.profiles.size() + subjects.stores.size(),
                                Kind::kSweep)),
      clouds_(named_collections(subjects.clouds, subjects.size() - subjects.clouds.size(), Kind::kCloud)) {
    if (ledger_) return;
    auto own = CrashLedger::make(subjects.size());
    if (!own) throw std::bad_alloc();
    ledger_ = std::move(*own);
}

Collections::Question::Question(Collections& of, const Named& named, std::shared_ptr<CancellationToken> asker)
    : of_(of),
      named_(named),
      asker_(std::move(asker)),
      turn_(of.turns_),
      work_(of.ledger_->work_on(named.record)) {
    const std::lock_guard lock(of_.mutex_);
    of_.askers_.insert(asker_);
    if (of_.stopping_) asker_->cancel();
}

Collections::Question::~Question() {
    const std::lock_guard lock(of_.mutex_);
    of_.askers_.erase(asker_);
}

Status Collections::OpenStore::open() {
    OPSIGHT_ASSIGN(store_, fleet::open_store(question_->about().address, false));
    store_->serve(question_->asker());
    return {};
}

Problem Collections::not_shown(const Named& named, const Error& error) {
    Problem problem(error);
    problem.status = kNotUsable;
    problem.message = named.name + ": " + error.what;
    return problem;
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
                help_where_one_crashed(named.kind));
}

Expected<std::unique_ptr<Collections::Question>> Collections::ask(const Named& named,
                                                                  std::shared_ptr<CancellationToken> asker) {
    if (const Status fine = refuse_what_crashed(named); !fine) return fail(not_shown(named, fine.error()));
    // Each that waits holds a worker of the server, which others need.
    if (turns_.waiting() >= kMostWaiting)
        return fail(
            Problem(503, "busy",
                    "too many questions about stores, sweeps and clouds go on at the same time; ask again"));
    return std::make_unique<Question>(*this, named, std::move(asker));
}

Expected<std::unique_ptr<Collections::OpenStore>> Collections::store(
    size_t number, std::shared_ptr<CancellationToken> asker) {
    const Named& named = stores_[number];
    OPSIGHT_ASSIGN(std::unique_ptr<Question> question, ask(named, std::move(asker)));
    auto opened = std::make_unique<OpenStore>(std::move(question));
    if (const Status done = opened->open(); !done) return fail(not_shown(named, done.error()));
    return opened;
}

Expected<std::unique_ptr<Collections::OpenStore>> Collections::store(const Call& call) {
    const Named* named = numbered(stores_, call.path("store"));
    if (!named)
        return fail(Problem(404, "not_found", fmt::format("there is no store '{}'", call.path("store")),
                            "name a store when the viewer is started: opsight view STORE"));
    return store(static_cast<size_t>(named - stores_.data()), call.request().cancellation);
}

Expected<std::unique_ptr<Collections::Question>> Collections::sweep(const Call& call) {
    return sweep(call.path("sweep"), call.request().cancellation);
}

Expected<std::unique_ptr<Collections::Question>> Collections::sweep(
    const std::string& id, std::shared_ptr<CancellationToken> asker) {
    const Named* named = numbered(sweeps_, id);
    if (!named)
        return fail(Problem(404, "not_found", fmt::format("there is no sweep '{}'", id),
                            "name the folder of a sweep when the viewer is started: opsight view FOLDER"));
    return ask(*named, std::move(asker));
}

Expected<std::unique_ptr<Collections::Question>> Collections::cloud(const Call& call) {
    const Named* named = numbered(clouds_, call.path("cloud"));
    if (!named)
        return fail(Problem(404, "not_found",
                            fmt::format("there is no cloud of mappings '{}'", call.path("cloud")),
                            "name the file of one when the viewer is started: opsight view CLOUD.json"));
    return ask(*named, call.request().cancellation);
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
