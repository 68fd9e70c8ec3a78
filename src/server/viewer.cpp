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

}  // namespace

Result<std::vector<std::string>> find_profiles(const std::vector<std::string>& paths) {
    const char* how = "make a profile with 'opsight import TRACE' or 'opsight profile'";
    std::vector<std::string> found;
    for (const std::string& path : paths) {
        std::error_code problem;
        if (!fs::is_directory(path, problem)) {
            if (!fs::exists(path, problem)) return fail("no such file", path, {}, how);
            found.push_back(path);
            continue;
        }
        std::vector<std::string> inside;
        for (fs::directory_iterator it(path, problem), end; !problem && it != end; it.increment(problem))
            if (it->path().extension() == ".opsight" && it->is_regular_file(problem))
                inside.push_back(it->path().string());
        if (problem) return fail("cannot be read: " + problem.message(), path);
        if (inside.empty()) return fail("holds no profile (no file that ends in .opsight)", path, {}, how);
        std::sort(inside.begin(), inside.end());
        found.insert(found.end(), inside.begin(), inside.end());
    }
    return each_once(found);
}

Result<Standing> Standing::make(size_t profiles, const ViewOptions& options) {
    OPSIGHT_ASSIGN(Guard guard, Guard::make(options.address));
    OPSIGHT_ASSIGN(Listener listener,
                   Listener::open(options.address, options.port, options.any_port ? kMorePorts : 0));
    OPSIGHT_ASSIGN(std::shared_ptr<CrashLedger> ledger, CrashLedger::make(profiles));
    return Standing{std::move(guard), std::move(listener), std::move(ledger)};
}

Result<Viewer> Viewer::start(std::vector<std::string> paths, const ViewOptions& options) {
    OPSIGHT_ASSIGN(Standing standing, Standing::make(paths.size(), options));
    return start(std::move(paths), options, std::move(standing));
}

Result<Viewer> Viewer::start(std::vector<std::string> paths, const ViewOptions& options, Standing standing) {
    auto profiles = std::make_unique<Profiles>(paths, options.read_only, options.probe, standing.ledger);
    std::optional<Error> first;
    bool any = standing.again;
    size_t readable = 0;
    for (size_t i = 0; i < profiles->size() && !any; ++i) {
        const Expected<ProfileFacts> facts = profiles->facts(i);
        any = facts.has_value();
        if (any) readable = i;
        if (any || first) continue;
        const Problem& problem = facts.error();
        first = Error{problem.message, paths[i], {}, problem.remedy};
    }
    if (!any)
        return fail(first.value_or(Error{"no profile was named", {}, {}, "name a file or a folder", 2}));
    HttpServer http = HttpServer::on(std::move(standing.listener), options.limits);
    if (!standing.again) profiles->read_timeline_ahead(readable);
    return Viewer(std::move(profiles), std::move(standing.guard), std::move(http), options.address);
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
        response = router_.answer(request, *profiles_);
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
        http_.serve([this](const Request& request) { return answer(request); },
                    [this] { profiles_->interrupt(); });
    } catch (...) {
        profiles_->interrupt();
        throw;
    }
    looking.join();
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
}

}  // namespace opsight::server
