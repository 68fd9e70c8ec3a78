// Which profiles there are, and what is in each.
#include <nlohmann/json.hpp>

#include "query/info.h"
#include "query/reports.h"
#include "report/render_info.h"
#include "report/render_report.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

using Json = nlohmann::ordered_json;

Json facts_of(Profiles& profiles, size_t number) {
    Json object = {{"id", std::to_string(number)}, {"name", profiles.name(number)}};
    (void)profiles.version(number);  // the facts of the file as it is now
    const Expected<ProfileFacts> facts = profiles.facts(number);
    if (!facts) {
        const Problem& problem = facts.error();
        object["state"] = "error";
        object["error"] = {{"code", problem.code}, {"message", problem.message}, {"remedy", problem.remedy}};
        return object;
    }
    object["state"] = "ok";
    object["error"] = nullptr;
    object["producer"] = facts->producer;
    object["duration_ns"] = facts->duration_ns;
    object["ranks"] = facts->ranks;
    object["devices"] = facts->devices;
    object["iterations"] = facts->iterations;
    object["kernels"] = facts->kernels;
    object["ops"] = facts->ops;
    object["ranges"] = facts->ranges;
    return object;
}

Expected<Response> list(Call& call) {
    Json object = {{"version", OPSIGHT_VERSION}, {"profiles", Json::array()}};
    for (size_t i = 0; i < call.profiles().size(); ++i)
        object["profiles"].push_back(facts_of(call.profiles(), i));
    object["read_only"] = call.profiles().read_only();
    return json_response(object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Expected<Response> info(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const Info found, profile_info(*session));
    return json_response(render_info_json(found));
}

Expected<Response> summary(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const Report report, summary_report(*session, {}));
    return json_response("{\"range\": " + range_json(session->range()) +
                         ",\n\"summary\": " + render_report_json(report) + "}");
}

// Advice is not given yet; the page says so.
Expected<Response> findings(Call& call) {
    OPSIGHT_TRY(call.profiles().lease(call));
    return json_response(R"({"available": false, "findings": []})");
}

}  // namespace

std::vector<Route> profile_routes() {
    return {
        {"GET", "/api/v1/profiles", list, {}},
        {"GET", "/api/v1/profiles/{id}/info", info, {}, Kept::kAnswer},
        {"GET", "/api/v1/profiles/{id}/summary", summary, range_parameters(), Kept::kAnswer},
        {"GET", "/api/v1/profiles/{id}/findings", findings, range_parameters()},
    };
}

}  // namespace opsight::server
