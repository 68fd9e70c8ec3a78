// Which profiles there are, and what is in each.
#include <chrono>
#include <filesystem>
#include <optional>

#include "advise/advise.h"
#include "query/reports/info.h"
#include "query/reports/reports.h"
#include "report/render_advice.h"
#include "report/render_info.h"
#include "report/write_rows.h"
#include "server/collections.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

constexpr std::chrono::milliseconds kListPatience(1000);

// Of a profile that is still to be opened no more than its name once `patient_until` is over: there may be
// thousands.
void put_entry(JsonWriter& json, Profiles& profiles, size_t number,
               std::chrono::steady_clock::time_point patient_until) {
    json.field("id", std::to_string(number)).field("name", profiles.name(number));
    const Profiles::Known known = profiles.facts_until(number, patient_until);
    if (known && !*known) {
        json.field("state", "error");
        put_problem(json.key("error"), known->error());
        return;
    }
    json.field("state", known ? "ok" : "reading").field("error", nullptr);
    if (known) put_facts(json, **known);
}

void put_collections(JsonWriter& json, const char* key, const std::vector<Collections::Named>& all) {
    json.list(key, [&] {
        for (size_t i = 0; i < all.size(); ++i)
            json.object([&] { json.field("id", std::to_string(i)).field("name", all[i].name); });
    });
}

Expected<Response> list(Call& call) {
    const auto until = std::chrono::steady_clock::now() + kListPatience;
    return json_object([&](JsonWriter& json) {
        json.field("version", OPSIGHT_VERSION);
        json.list("profiles", [&] {
            for (size_t i = 0; i < call.profiles().size(); ++i)
                json.object([&] { put_entry(json, call.profiles(), i, until); });
        });
        const Collections* others = call.collections();
        put_collections(json, "stores", others ? others->stores() : std::vector<Collections::Named>());
        put_collections(json, "sweeps", others ? others->sweeps() : std::vector<Collections::Named>());
        put_collections(json, "clouds", others ? others->clouds() : std::vector<Collections::Named>());
        json.field("read_only", call.profiles().read_only());
    });
}

Expected<Response> info(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const query::Info found, query::profile_info(*session));
    return json_response(report::render_info_json(found));
}

Expected<Response> summary(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const query::Report report, query::summary_report(*session, {}));
    return json_response(report::render_report_json(report, session->range()));
}

constexpr size_t kRowsOfEvidence = 10;

Expected<Response> findings(Call& call) {
    OPSIGHT_ASSIGN(const Lease session, call.profiles().lease(call));
    OPSIGHT_ASSIGN(const size_t number, call.profiles().number_of(call.path("id")));
    advise::Options options;
    options.run = std::filesystem::path(call.profiles().path(number)).filename();
    options.rows = kRowsOfEvidence;
    OPSIGHT_ASSIGN(const advise::Advice advice, advise::advise(*session, options));
    return json_object([&](JsonWriter& json) { report::put_advice(json, advice); });
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
