#include "server/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "server/profiles.h"

namespace opsight::server {
namespace {

constexpr int kMostVersions = 3;  // of a file that changes while it is asked
constexpr int kAskerGone = 499;   // nobody reads it

std::vector<std::string_view> segments(std::string_view path) {
    std::vector<std::string_view> parts;
    while (!path.empty() && path.front() == '/') {
        path.remove_prefix(1);
        parts.push_back(path.substr(0, path.find('/')));
        path.remove_prefix(parts.back().size());
    }
    return parts;
}

// The values of the pattern's names, where the path is one of its.
std::optional<std::map<std::string, std::string>> match(std::string_view pattern, std::string_view path) {
    const auto wanted = segments(pattern), given = segments(path);
    if (wanted.size() != given.size()) return std::nullopt;
    std::map<std::string, std::string> values;
    for (size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].starts_with('{'))
            values.emplace(wanted[i].substr(1, wanted[i].size() - 2), given[i]);
        else if (wanted[i] != given[i])
            return std::nullopt;
    }
    return values;
}

Problem bad_value(std::string_view name, const std::string& value, const std::string& expected) {
    return {400, "bad_request", fmt::format("'{}' is not a value for {}", value, name), expected};
}

Status check_parameters(const Route& route, const Request& request) {
    for (const auto& [name, value] : request.query)
        if (std::find(route.parameters.begin(), route.parameters.end(), name) == route.parameters.end())
            return fail(Error{fmt::format("there is no parameter '{}' here", name),
                              {},
                              {},
                              route.parameters.empty()
                                  ? std::string("this address takes none")
                                  : fmt::format("there are {}", fmt::join(route.parameters, ", ")),
                              2});
    return {};
}

// What an answer depends on. A named range counts by what it holds, for its name may go away.
Expected<std::string> cache_key(const Call& call) {
    std::vector<std::string> parts;  // each with its length, so that no text can look like another parameter
    const auto add = [&parts](std::string_view name, std::string_view value) {
        parts.push_back(fmt::format("{}={}:{}", name, value.size(), value));
    };
    for (const auto& [name, value] : call.request().query)
        if (name != "aggregation") add(name, value);
    if (!call.text("aggregation").empty()) {
        OPSIGHT_ASSIGN(const size_t number, call.profiles().number_of(call.path("id")));
        OPSIGHT_ASSIGN(const query::RangeOptions range, call.profiles().range_of(call, number));
        add("range", fmt::format("{} {} {} {}", range.start.value_or(-1), range.stop.value_or(-1), range.all,
                                 range.whole));
        add("range key_op", range.key_op);
        add("range iteration_range", range.iteration_range);
    }
    if (call.is_about_a_profile()) add("version", std::to_string(call.version()));
    std::sort(parts.begin(), parts.end());
    return fmt::format("{}?{}", call.request().path, fmt::join(parts, "&"));
}

}  // namespace

std::string Call::text(std::string_view name) const {
    std::string found;
    for (const auto& [each, value] : request_.query)
        if (each == name) found = value;
    return found;
}

std::vector<std::string> Call::all(std::string_view name) const {
    std::vector<std::string> found;
    for (const auto& [each, value] : request_.query)
        if (each == name) found.push_back(value);
    return found;
}

Expected<std::optional<int64_t>> Call::number(std::string_view name) const {
    const std::string given = text(name);
    if (given.empty()) return std::optional<int64_t>();
    int64_t value = 0;
    const auto end = given.data() + given.size();
    const auto result = std::from_chars(given.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end)
        return fail(bad_value(name, given, "give a whole number"));
    return std::optional<int64_t>(value);
}

Expected<int64_t> Call::number(std::string_view name, int64_t otherwise, int64_t least, int64_t most) const {
    OPSIGHT_ASSIGN(const std::optional<int64_t> given, number(name));
    const int64_t value = given.value_or(otherwise);
    if (value < least || value > most)
        return fail(
            bad_value(name, std::to_string(value), fmt::format("give a number from {} to {}", least, most)));
    return value;
}

Expected<int64_t> Call::needed_number(std::string_view name) const {
    OPSIGHT_ASSIGN(const std::optional<int64_t> given, number(name));
    if (!given)
        return fail(Problem(400, "bad_request", fmt::format("the parameter {} is missing", name),
                            "give a whole number"));
    return *given;
}

Expected<bool> Call::flag(std::string_view name) const {
    const std::string given = text(name);
    if (given.empty() || given == "0" || given == "false") return false;
    if (given == "1" || given == "true") return true;
    return fail(bad_value(name, given, "give 1 or 0"));
}

std::vector<std::string> range_parameters() {
    return {"iter_start", "iter_stop", "all", "whole", "key_op", "iteration_range", "aggregation", "rank"};
}

std::vector<std::string> operator+(std::vector<std::string> left, const std::vector<std::string>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

Response json_response(std::string body) {
    Response response;
    response.body = std::move(body);
    return response;
}

std::vector<Route> all_routes() {
    std::vector<Route> all;
    for (const auto& group :
         {profile_routes(), table_routes(), view_routes(), model_routes(), timeline_routes(),
          aggregation_routes(), compare_routes(), fleet_routes(), sweep_routes(), cloud_routes()})
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

Response Router::ask(const Route& route, Call& call) {
    const auto make = [&] {
        std::optional<FairSemaphore::Permit> turn;
        if (route.kept == Kept::kAnswer) turn.emplace(call.profiles().questions());
        if (call.request().cancellation->cancelled())
            return to_response({kAskerGone, "gone", "the client went away before it was its turn", ""});
        Expected<Response> response = route.handler(call);
        if (!response && call.request().cancellation->cancelled())
            return to_response({kAskerGone, "gone", "the client went away before the answer was there", ""});
        return response ? std::move(*response) : to_response(response.error());
    };
    if (route.kept == Kept::kNot) return make();
    const Expected<std::string> key = cache_key(call);
    AnswerCache& cache = route.kept == Kept::kPicture ? *pictures_ : *answers_;
    return key ? cache.get(*key, make) : to_response(key.error());
}

// An answer is about one version of its profile, and says which: a page must not mix two.
Response Router::answer_of_one_version(const Route& route, Call& call) {
    if (!call.is_about_a_profile()) return ask(route, call);
    const Expected<size_t> number = call.profiles().number_of(call.path("id"));
    if (!number) return ask(route, call);
    const int most = route.method == "GET" ? kMostVersions : 1;
    for (int attempt = 1;; ++attempt) {
        call.set_version(call.profiles().version(*number));
        Response response = ask(route, call);
        if (attempt < most && call.profiles().version(*number) != call.version()) continue;
        response.headers.emplace_back("Opsight-Profile-Version", std::to_string(call.version()));
        return response;
    }
}

Response Router::answer(const Request& request, Profiles& profiles, Collections* collections) {
    const std::string method = request.method == "HEAD" ? "GET" : request.method;
    std::string allowed;
    for (const Route& route : routes_) {
        auto values = match(route.pattern, request.path);
        if (!values) continue;
        allowed += (allowed.empty() ? "" : ", ") + route.method;
        if (route.method != method) continue;
        if (Status known = check_parameters(route, request); !known) return to_response(known.error());
        Call call(request, profiles, collections);
        call.set_path(std::move(*values));
        return answer_of_one_version(route, call);
    }
    if (allowed.empty())
        return to_response(
            {404, "not_found", "there is nothing at " + request.path, "docs/openapi.json lists the API"});
    Response response = to_response({405, "method_not_allowed", "this address takes only " + allowed, ""});
    response.headers.emplace_back("Allow", allowed);
    return response;
}

}  // namespace opsight::server
