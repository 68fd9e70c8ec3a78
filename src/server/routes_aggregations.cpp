// Named ranges: made by re-aggregating, and used in place of a range by every other address.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/json_parts.h"
#include "server/aggregations.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestName = 200;

// The parameters as a URL has them.
void put_parameters(JsonWriter& json, const query::RangeOptions& range) {
    if (range.start) json.field("iter_start", *range.start);
    if (range.stop) json.field("iter_stop", *range.stop);
    if (range.all) json.field("all", true);
    if (range.whole) json.field("whole", true);
    if (!range.key_op.empty()) json.field("key_op", range.key_op);
    if (!range.iteration_range.empty()) json.field("iteration_range", range.iteration_range);
}

void put(JsonWriter& json, const Aggregation& a) {
    json.field("id", a.id).field("name", a.name);
    json.object("parameters", [&] { put_parameters(json, a.range); });
    json.key("range").raw(a.found);
}

Expected<Response> list_aggregations(Call& call) {
    OPSIGHT_ASSIGN(const size_t number, call.profiles().number_of(call.path("id")));
    Aggregations& kept = call.profiles().aggregations(number);
    const std::vector<Aggregation> all = kept.list();
    const std::string problem = kept.not_kept_because();
    return json_object([&](JsonWriter& json) {
        json.list("aggregations", [&] {
            for (const Aggregation& each : all)
                json.object([&] { put(json, each); });
        });
        json.field("kept", problem.empty());
        json.field("not_kept_because", problem.empty() ? std::nullopt : std::optional(problem));
    });
}

struct Wish {
    std::string name;
    query::RangeOptions range;
};

Problem bad_body(const std::string& what) {
    return {
        400, "bad_request", what,
        "send an object of name, iter_start, iter_stop, all, whole, key_op, iteration_range, each of which "
        "may be missing"};
}

std::optional<int64_t> number_of(const Json& value) {
    return value.is_null() ? std::nullopt : std::optional<int64_t>(value.get<int64_t>());
}

Expected<Wish> read_wish(const std::string& body) {
    const Json object = Json::parse(body, nullptr, false);
    if (!object.is_object()) return fail(bad_body("the body is not a JSON object"));
    Wish wish;
    for (const auto& [key, value] : object.items()) {
        const bool text = value.is_string(), number = value.is_number_integer() || value.is_null();
        if (key == "name" && text)
            wish.name = value.get<std::string>();
        else if (key == "key_op" && text)
            wish.range.key_op = value.get<std::string>();
        else if (key == "iteration_range" && text)
            wish.range.iteration_range = value.get<std::string>();
        else if (key == "iter_start" && number)
            wish.range.start = number_of(value);
        else if (key == "iter_stop" && number)
            wish.range.stop = number_of(value);
        else if (key == "all" && value.is_boolean())
            wish.range.all = value.get<bool>();
        else if (key == "whole" && value.is_boolean())
            wish.range.whole = value.get<bool>();
        else
            return fail(bad_body(fmt::format("'{}' is unknown, or its value of the wrong kind", key)));
    }
    if (wish.name.size() > kLongestName)
        return fail(bad_body(fmt::format("the name is longer than {} bytes", kLongestName)));
    return wish;
}

std::string name_for(const query::Range& range, const query::RangeOptions& options) {
    if (range.whole) return "whole profile";
    std::string name = fmt::format("iterations {} to {}", range.start, range.stop);
    if (!options.key_op.empty()) name += " by " + options.key_op;
    if (!options.iteration_range.empty()) name += " of " + options.iteration_range;
    return name;
}

Expected<Response> make(Call& call) {
    OPSIGHT_ASSIGN(const size_t number, call.profiles().number_of(call.path("id")));
    OPSIGHT_ASSIGN(Wish wish, read_wish(call.request().body));
    OPSIGHT_ASSIGN(const Lease session,
                   call.profiles().lease(number, wish.range, {}, call.request().cancellation));
    if (wish.name.empty()) wish.name = name_for(session->range(), wish.range);
    JsonWriter found;
    report::put_range(found, session->range());
    const auto made =
        call.profiles().aggregations(number).add(std::move(wish.name), wish.range, found.take());
    if (!made)
        return fail(Problem(409, "too_many",
                            fmt::format("there are {} aggregations already", Aggregations::kMost),
                            "remove some first"));
    Response response = json_object([&](JsonWriter& json) { put(json, *made); });
    response.status = 201;
    return response;
}

Expected<Response> remove(Call& call) {
    OPSIGHT_ASSIGN(const size_t number, call.profiles().number_of(call.path("id")));
    const std::string& id = call.path("aggregation");
    if (!call.profiles().aggregations(number).remove(id))
        return fail(Problem(404, "not_found", fmt::format("there is no aggregation '{}'", id), ""));
    Response response;
    response.status = 204;
    return response;
}

}  // namespace

std::vector<Route> aggregation_routes() {
    const std::string all = "/api/v1/profiles/{id}/aggregations";
    return {
        {"GET", all, list_aggregations, {}},
        {"POST", all, make, {}},
        {"DELETE", all + "/{aggregation}", remove, {}},
    };
}

}  // namespace opsight::server
