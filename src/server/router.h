// The table of routes: each names its parameters, so that a wrong one is refused in one place and
// docs/openapi.json can be held against what is served.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "query/session/session.h"
#include "server/answer_cache.h"
#include "server/http.h"

namespace opsight::server {

class Profiles;
class Collections;

// One request on its way through a route.
class Call {
  public:
    Call(const Request& request, Profiles& profiles, Collections* collections)
        : request_(request), profiles_(profiles), collections_(collections) {}
    const Request& request() const { return request_; }
    Profiles& profiles() const { return profiles_; }
    Collections* collections() const { return collections_; }  // null: there are none

    // What stands in the place of {name} in the pattern.
    const std::string& path(const std::string& name) const { return path_.at(name); }
    void set_path(std::map<std::string, std::string> values) { path_ = std::move(values); }
    bool is_about_a_profile() const { return path_.contains("id"); }
    // Of the profile {id}, as it was when this call began: Profiles::version.
    uint64_t version() const { return version_; }
    void set_version(uint64_t version) { version_ = version; }

    // Parameters of the query; the last one of a name counts.
    std::string text(std::string_view name) const;
    Expected<std::optional<int64_t>> number(std::string_view name) const;
    Expected<int64_t> number(std::string_view name, int64_t otherwise, int64_t least, int64_t most) const;
    Expected<int64_t> needed_number(std::string_view name) const;
    Expected<bool> flag(std::string_view name) const;
    std::vector<std::string> all(std::string_view name) const;

  private:
    const Request& request_;
    Profiles& profiles_;
    Collections* collections_;
    std::map<std::string, std::string> path_;
    uint64_t version_ = 0;
};

using RouteHandler = Expected<Response> (*)(Call&);

// Answers that were given before, of which those asked for last stay: tables and sums, which take long to
// work out; and pictures of the timeline, which are many and would put the others out.
enum class Kept : uint8_t { kNot, kAnswer, kPicture };

struct Route {
    std::string method, pattern;  // "GET", "/api/v1/profiles/{id}/info"
    RouteHandler handler;
    std::vector<std::string> parameters;  // of the query
    Kept kept = Kept::kNot;
};

// Groups of parameters that many routes take.
std::vector<std::string> range_parameters();
std::vector<std::string> operator+(std::vector<std::string> left, const std::vector<std::string>& right);

Response json_response(std::string body);
// An object of what `body` writes into it.
template <class Body>
Response json_object(Body&& body) {
    JsonWriter json;
    json.object([&] { body(json); });
    return json_response(json.take());
}

class Router {
  public:
    explicit Router(std::vector<Route> routes) : routes_(std::move(routes)) {}
    const std::vector<Route>& routes() const { return routes_; }
    Response answer(const Request& request, Profiles& profiles, Collections* collections = nullptr);

  private:
    Response ask(const Route& route, Call& call);
    Response answer_of_one_version(const Route& route, Call& call);
    std::vector<Route> routes_;
    std::unique_ptr<AnswerCache> answers_ = std::make_unique<AnswerCache>();
    std::unique_ptr<AnswerCache> pictures_ = std::make_unique<AnswerCache>(size_t{32} << 20);
};

// All routes, and the groups that they come from: one file each.
std::vector<Route> all_routes();
std::vector<Route> profile_routes();
std::vector<Route> table_routes();
std::vector<Route> timeline_routes();
std::vector<Route> view_routes();
std::vector<Route> model_routes();
std::vector<Route> aggregation_routes();
std::vector<Route> compare_routes();
std::vector<Route> fleet_routes();
std::vector<Route> sweep_routes();
std::vector<Route> cloud_routes();

}  // namespace opsight::server
