#include "server/viewer.h"

#include <fmt/format.h>

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "base/task_group.h"
#include "fleet/stores/open.h"
#include "query/mapping/cloud_file.h"
#include "query/sweep/sweep_folder.h"
#include "server/assets.h"

namespace opsight::server {
namespace {

namespace fs = std::filesystem;

constexpr uint16_t kMorePorts = 99;
constexpr size_t kLongestQuery = 8 * 1024;

size_t query_bytes(const Request& request) {
    size_t bytes = 0;
    for (const auto& [name, value] : request.query)
        bytes += name.size() + value.size() + 2;
    return bytes;
}

// The first address of this machine that is not its loopback; empty where there is none.
std::string address_for_others(int family) {
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0) return {};
    std::string found;
    for (const ifaddrs* each = all; each && found.empty(); each = each->ifa_next) {
        if (!each->ifa_addr || each->ifa_addr->sa_family != family) continue;
        if (!(each->ifa_flags & IFF_UP) || each->ifa_flags & IFF_LOOPBACK) continue;
        std::array<char, NI_MAXHOST> text{};
        const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
        if (::getnameinfo(each->ifa_addr, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
            continue;
        found = text.data();
        if (found.find('%') != found.npos) found.clear();  // reaches only the same cable
    }
    ::freeifaddrs(all);
    return found;
}

// An address as it stands in a URL that can be opened.
std::string url_host(std::string address) {
    const bool any = address == "0.0.0.0", any6 = address == "::";
    if (any || any6) {
        address = address_for_others(any ? AF_INET : AF_INET6);
        if (address.empty()) address = any ? "127.0.0.1" : "::1";
    }
    return address.find(':') == address.npos ? address : "[" + address + "]";
}

// A file that is named twice is one profile.
std::vector<std::string> each_once(const std::vector<std::string>& paths) {
    std::vector<std::string> once;
    std::set<fs::path> seen;
    for (const std::string& path : paths) {
        std::error_code problem;
        const fs::path real = fs::canonical(path, problem);
        if (seen.insert(problem ? fs::path(path) : real).second) once.push_back(path);
    }
    return once;
}

// Of a file itself, of a folder those in it.
Result<std::vector<std::string>> profiles_in(const std::string& path) {
    const char* how = "make a profile with 'opsight import TRACE' or 'opsight profile'";
    std::error_code problem;
    if (!fs::is_directory(path, problem)) {
        if (!fs::exists(path, problem)) return fail("no such file", path, {}, how);
        return std::vector<std::string>{path};
    }
    std::vector<std::string> inside;
    for (fs::directory_iterator it(path, problem), end; !problem && it != end; it.increment(problem))
        if (it->path().extension() == ".opsight" && it->is_regular_file(problem))
            inside.push_back(it->path().string());
    if (problem) return fail("cannot be read: " + problem.message(), path);
    if (inside.empty())
        return fail("holds no profile (no file that ends in .opsight), and is not a store of runs", path, {},
                    how);
    std::sort(inside.begin(), inside.end());
    return inside;
}

// Those that a sweep has recorded; none where it took profiles that were there before.
std::vector<std::string> profiles_of_sweep(const std::string& path) {
    std::vector<std::string> inside;
    std::error_code problem;
    for (fs::directory_iterator it(fs::path(path) / "runs", problem), end; !problem && it != end;
         it.increment(problem))
        if (it->path().extension() == ".opsight" && it->is_regular_file(problem))
            inside.push_back(it->path().string());
    std::sort(inside.begin(), inside.end());
    return inside;
}

// The first profile that can be read, else the first store, sweep or cloud; nothing where neither can.
struct FirstShown {
    bool any = false;
    std::optional<size_t> profile;
    std::optional<Error> refused;  // why the first that cannot be shown cannot
};

FirstShown first_shown(const Subjects& subjects, Profiles& profiles, Collections& collections) {
    FirstShown first;
    const auto note = [&first](const Problem& problem, const std::string& path) {
        if (!first.refused) first.refused = Error{problem.message, path, {}, problem.remedy};
    };
    for (size_t i = 0; i < profiles.size(); ++i) {
        const Expected<ProfileFacts> facts = profiles.facts(i);
        if (facts) return {true, i, {}};
        note(facts.error(), subjects.profiles[i]);
    }
    for (size_t i = 0; i < subjects.stores.size() && !first.any; ++i) {
        const auto store = collections.store(i, std::make_shared<CancellationToken>());
        first.any = store.has_value();
        if (!store) note(store.error(), subjects.stores[i]);
    }
    for (size_t i = 0; i < subjects.sweeps.size() && !first.any; ++i) {
        const auto sweep = query::SweepFolder::open(subjects.sweeps[i]);
        first.any = sweep.has_value();
        if (!sweep) note(Problem(sweep.error()), subjects.sweeps[i]);
    }
    for (size_t i = 0; i < subjects.clouds.size() && !first.any; ++i) {
        const auto cloud = query::read_cloud(subjects.clouds[i]);
        first.any = cloud.has_value();
        if (!cloud) note(Problem(cloud.error()), subjects.clouds[i]);
    }
    return first;
}

}  // namespace

Result<Subjects> find_subjects(const std::vector<std::string>& paths) {
    Subjects found;
    for (const std::string& path : paths) {
        if (fleet::is_store(path)) {
            OPSIGHT_ASSIGN(std::string shown, fleet::address_to_show(path));
            found.stores.push_back(std::move(shown));
            continue;
        }
        if (query::is_sweep(path)) {
            found.sweeps.push_back(path);
            const std::vector<std::string> runs = profiles_of_sweep(path);
            found.profiles.insert(found.profiles.end(), runs.begin(), runs.end());
            continue;
        }
        if (query::is_cloud(path)) {
            found.clouds.push_back(path);
            continue;
        }
        OPSIGHT_ASSIGN(const std::vector<std::string> profiles, profiles_in(path));
        found.profiles.insert(found.profiles.end(), profiles.begin(), profiles.end());
    }
    found.profiles = each_once(found.profiles);
    found.stores = each_once(found.stores);
    found.sweeps = each_once(found.sweeps);
    found.clouds = each_once(found.clouds);
    return found;
}

Result<Standing> Standing::make(size_t subjects, const ViewOptions& options) {
    OPSIGHT_ASSIGN(Guard guard, Guard::make(options.address));
    OPSIGHT_ASSIGN(Listener listener,
                   Listener::open(options.address, options.port, options.any_port ? kMorePorts : 0));
    OPSIGHT_ASSIGN(std::shared_ptr<CrashLedger> ledger, CrashLedger::make(subjects));
    return Standing{std::move(guard), std::move(listener), std::move(ledger)};
}

Result<Viewer> Viewer::start(const Subjects& subjects, const ViewOptions& options) {
    OPSIGHT_ASSIGN(Standing standing, Standing::make(subjects.size(), options));
    return start(subjects, options, std::move(standing));
}

Result<Viewer> Viewer::start(const Subjects& subjects, const ViewOptions& options, Standing standing) {
    auto profiles =
        std::make_unique<Profiles>(subjects.profiles, options.read_only, options.probe, standing.ledger);
    auto collections = std::make_unique<Collections>(subjects, standing.ledger);
    FirstShown first;
    if (!standing.again) {
        first = first_shown(subjects, *profiles, *collections);
        if (!first.any)
            return fail(
                first.refused.value_or(Error{"no profile was named", {}, {}, "name a file or a folder", 2}));
    }
    HttpServer http = HttpServer::on(std::move(standing.listener), options.limits);
    if (first.profile) profiles->read_timeline_ahead(*first.profile);
    return Viewer(std::move(profiles), std::move(collections), std::move(standing.guard), std::move(http),
                  options.address);
}

std::string Viewer::url() const {
    return fmt::format("http://{}:{}/?token={}", url_host(address_), http_.port(), guard_.token());
}

Response Viewer::answer(const Request& request) {
    Response response;
    if (query_bytes(request) > kLongestQuery) {
        response = to_response({414, "too_large", "the query is too long", "ask for less at once"});
    } else if (auto refused = guard_.refuse(request)) {
        response = std::move(*refused);
    } else if (request.path.starts_with("/api/")) {
        response = router_.answer(request, *profiles_, collections_.get());
    } else {
        response = serve_asset(request);
    }
    Guard::protect(response);
    return response;
}

bool Viewer::others_may_ask() const {
    return !guard_.loopback();
}

void Viewer::serve(const OnBad& on_bad) {
    TaskGroup looking;
    if (on_bad) looking.start_beside([this, &on_bad] { look_at_all(on_bad); });
    try {
        http_.serve([this](const Request& request) { return answer(request); }, [this] { interrupt(); });
    } catch (...) {
        interrupt();
        throw;
    }
    looking.join();
}

void Viewer::interrupt() {
    collections_->interrupt();
    profiles_->interrupt();
}

void Viewer::look_at_all(const OnBad& on_bad) {
    const auto look = [this](size_t number) -> Expected<ProfileFacts> {
        try {
            return profiles_->facts(number);
        } catch (...) {
            return fail(problem_thrown());
        }
    };
    for (size_t i = 0; i < profiles_->size() && !profiles_->stopping(); ++i) {
        const Expected<ProfileFacts> facts = look(i);
        if (!facts && !profiles_->stopping()) on_bad(profiles_->path(i), facts.error());
    }
    for (size_t i = 0; i < collections_->stores().size() && !profiles_->stopping(); ++i) {
        const auto store = collections_->store(i, std::make_shared<CancellationToken>());
        if (!store && !profiles_->stopping()) on_bad(collections_->stores()[i].address, store.error());
    }
    for (const Collections::Named& named : collections_->sweeps()) {
        const auto sweep = query::SweepFolder::open(named.address);
        if (!sweep && !profiles_->stopping()) on_bad(named.address, Problem(sweep.error()));
    }
    for (const Collections::Named& named : collections_->clouds()) {
        const auto cloud = query::read_cloud(named.address);
        if (!cloud && !profiles_->stopping()) on_bad(named.address, Problem(cloud.error()));
    }
}

}  // namespace opsight::server
