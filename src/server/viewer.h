// The viewer: profiles on a local web page.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/collections.h"
#include "server/crash_ledger.h"
#include "server/http_server.h"
#include "server/profiles.h"
#include "server/router.h"
#include "server/security.h"

namespace opsight::server {

struct ViewOptions {
    std::string address = "127.0.0.1";
    uint16_t port = 8000;
    bool any_port = true;  // the next free one where `port` is taken
    bool read_only = false;
    HttpLimits limits;
    std::vector<std::string> probe;  // as of Profiles
};

// What stays as it is where another process goes on answering: the address with its token, and what the last
// one crashed at.
struct Standing {
    Guard guard;
    Listener listener;
    std::shared_ptr<CrashLedger> ledger;
    bool again = false;  // another process has answered before

    static Result<Standing> make(size_t subjects, const ViewOptions& options);
};

class Viewer {
  public:
    // Listens already; fails where no path can be shown, unless one could before.
    static Result<Viewer> start(const Subjects& subjects, const ViewOptions& options, Standing standing);
    static Result<Viewer> start(const Subjects& subjects, const ViewOptions& options);
    // With the token; where all addresses of the machine are listened on, with one that others reach.
    std::string url() const;
    bool others_may_ask() const;  // it listens on an address that other machines reach
    // Until Ctrl-C. Meanwhile `on_bad` is told of each profile, store, sweep and cloud that cannot be shown,
    // from a thread of its own.
    using OnBad = std::function<void(const std::string& path, const Problem& problem)>;
    void serve(const OnBad& on_bad = {});
    void stop() { http_.stop(); }

    Response answer(const Request& request);

  private:
    Viewer(std::unique_ptr<Profiles> profiles, std::unique_ptr<Collections> collections, Guard guard,
           HttpServer http, std::string address)
        : profiles_(std::move(profiles)),
          collections_(std::move(collections)),
          guard_(std::move(guard)),
          http_(std::move(http)),
          address_(std::move(address)),
          router_(all_routes()) {}
    void look_at_all(const OnBad& on_bad);
    void interrupt();

    std::unique_ptr<Profiles> profiles_;
    std::unique_ptr<Collections> collections_;
    Guard guard_;
    HttpServer http_;
    std::string address_;
    Router router_;
};

// What paths and addresses name: a store by its mark, a sweep by its plan, with the profiles that it has
// recorded, a cloud of mappings by its first field; the profiles of a folder are those that end in .opsight,
// by name.
Result<Subjects> find_subjects(const std::vector<std::string>& paths);

}  // namespace opsight::server
