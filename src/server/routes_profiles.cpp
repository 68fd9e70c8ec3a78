// Which profiles there are, and what is in each.
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "query/reports/findings.h"
#include "query/reports/info.h"
#include "query/reports/reports.h"
#include "report/render_info.h"
#include "report/render_report.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kPatience(1000);

// Of a profile that is still to be opened no more than its name once `patient_until` is over: there may be
// thousands.
Json entry_of(Profiles& profiles, size_t number, std::chrono::steady_clock::time_point patient_until) {
    Json object = {{"id", std::to_string(number)}, {"name", profiles.name(number)}};
    const Profiles::Known known = profiles.facts_until(number, patient_until);
    if (!known) {
        object["state"] = "reading";
        object["error"] = nullptr;
        return object;
    }
    const Expected<ProfileFacts>& facts = *known;
    if (!facts) {
        const Problem& problem = facts.error();
        object["state"] = "error";
        object["error"] = {{"code", problem.code}, {"message", problem.text()}, {"remedy", problem.remedy}};
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
    object["device_work"] = facts->device_work;
    return object;
}

Expected<Response> list(Call& call) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    Json object = {{"version", OPSIGHT_VERSION}, {"profiles", Json::array()}};
    for (size_t i = 0; i < call.profiles().size(); ++i)
        object["profiles"].push_back(entry_of(call.profiles(), i, until));
    object["read_only"] = call.profiles().read_only();
    return json_response(object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Expected<Response> info(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const query::Info found, query::profile_info(*session));
    return json_response(report::render_info_json(found));
}

Expected<Response> summary(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const query::Report report, query::summary_report(*session, {}));
    return json_response("{\"range\": " + report::range_json(session->range()) +
                         ",\n\"summary\": " + report::render_report_json(report) + "}");
}

Expected<Response> findings(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const std::vector<query::Finding> found, query::find_findings(*session));
    Json list = Json::array();
    for (const query::Finding& each : found) {
        Json reading = Json::array();
        for (const auto& [title, address] : each.reading)
            reading.push_back({{"title", title}, {"address", address}});
        list.push_back({{"id", each.id},
                        {"kind", each.kind},
                        {"title", each.title},
                        {"evidence", each.evidence},
                        {"advice", each.advice},
                        {"share_pct", each.share_pct ? Json(*each.share_pct) : Json()},
                        {"view", each.view},
                        {"tab", each.tab},
                        {"reading", std::move(reading)}});
    }
    return json_response(Json({{"findings", std::move(list)}}).dump());
}

}  // namespace

std::vector<Route> profile_routes() {
    return {
        {"GET", "/api/v1/profiles", list, {}},
        {"GET", "/api/v1/profiles/{id}/info", info, {}, Kept::kAnswer},
        {"GET", "/api/v1/profiles/{id}/summary", summary, range_parameters(), Kept::kAnswer},
        {"GET", "/api/v1/profiles/{id}/findings", findings, range_parameters(), Kept::kAnswer},
    };
}

}  // namespace opsight::server
