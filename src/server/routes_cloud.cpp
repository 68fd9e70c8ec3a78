// A cloud of mappings: what `opsight map --cloud` has written, for the page.
#include "query/mapping/cloud_file.h"
#include "report/json_parts.h"
#include "report/render_page.h"
#include "server/collections.h"
#include "server/router.h"

namespace opsight::server {
namespace {

void put_told(JsonWriter& json, const query::ToldMapping& told) {
    json.object([&] {
        report::put_page_number(json.key("draw"), told.draw);
        json.field("energy_pj", told.energy_pj);
        report::put_page_number(json.key("cycles"), told.cycles);
        json.field("utilization", told.utilization).field("loop_nest", told.loop_nest);
        report::put_page(json.key("levels"), told.levels, {});
    });
}

Expected<Response> cloud(Call& call) {
    if (!call.collections()) return fail(Problem(404, "not_found", "there are no clouds of mappings here"));
    OPSIGHT_ASSIGN(const std::unique_ptr<Collections::Question> question, call.collections()->cloud(call));
    const auto read = query::read_cloud(question->about().address);
    if (!read) return fail(Collections::not_shown(question->about(), read.error()));
    return json_object([&](JsonWriter& json) {
        json.field("problem", read->problem).field("outer_level", read->outer_level);
        report::put_page_number(json.key("mappings"), read->mappings);
        json.field("notes", read->notes);
        report::put_page(json.key("best"), read->best, {});
        report::put_page(json.key("front"), read->front, {});
        report::put_page(json.key("points"), read->points, {});
        json.list("told", [&] {
            for (const query::ToldMapping& each : read->told)
                put_told(json, each);
        });
    });
}

}  // namespace

std::vector<Route> cloud_routes() {
    return {{"GET", "/api/v1/clouds/{cloud}", cloud, {}}};
}

}  // namespace opsight::server
