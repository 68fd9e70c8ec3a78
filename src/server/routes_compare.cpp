// Two profiles beside each other.
#include "query/compare/runs.h"
#include "report/render_page.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

constexpr int64_t kMostRows = 2000;  // of a table: the page has them all at once

// Reads the two profiles of a call, over its range.
class Sides {
  public:
    Sides(Call& call, size_t base, size_t next, query::RangeOptions range)
        : call_(call), numbers_{base, next}, range_(std::move(range)) {}

    Result<query::Side> read(bool next, std::optional<int64_t> rank, bool whole) {
        const auto lease = [this, number = numbers_[next]](const query::RangeOptions& range) {
            return call_.profiles().lease(number, range, {}, call_.request().cancellation);
        };
        const auto session = lease(whole ? query::RangeOptions{.whole = true} : range_);
        own_range |= next && !session && session.error().status == 400;
        const auto otherwise = own_range && !session ? std::optional(lease({})) : std::nullopt;
        const auto& taken = otherwise ? *otherwise : session;
        if (taken) return query::read_side(**taken, call_.profiles().name(numbers_[next]), rank);
        refused = taken.error();
        return fail(refused->text());
    }

    bool own_range = false;          // the new profile does not have the range, and was read over its own
    std::optional<Problem> refused;  // why one of them could not be asked

  private:
    Call& call_;
    size_t numbers_[2];
    query::RangeOptions range_;
};

Expected<Response> compare(Call& call) {
    Profiles& profiles = call.profiles();
    OPSIGHT_ASSIGN(const size_t base, profiles.number_of(call.path("id")));
    OPSIGHT_ASSIGN(const size_t next, profiles.number_of(call.text("with")));
    OPSIGHT_ASSIGN(query::RangeOptions range, profiles.range_of(call, base));
    Sides sides(call, base, next, std::move(range));
    const FairSemaphore::Permit turn(profiles.questions());
    const Result<query::Comparison> made =
        query::compare_runs(1, 1, [&sides](bool is_next, size_t, std::optional<int64_t> rank, bool whole) {
            return sides.read(is_next, rank, whole);
        });
    if (sides.refused) return fail(*sides.refused);
    if (!made) return fail(Problem(made.error()));
    const query::Comparison& comparison = *made;
    query::TableShape shape;
    shape.limit = kMostRows;
    const query::Report report = query::comparison_report(comparison, shape);
    return json_object([&](JsonWriter& json) {
        json.field("answer", query::verdict_text(comparison));
        json.field("verdict", query::verdict_name(comparison.time.verdict));
        json.field("own_range", sides.own_range);
        json.list("tables", [&] {
            for (const query::Section& section : report.sections)
                report::put_page(json, section.table, comparison.base.range);
        });
    });
}

}  // namespace

std::vector<Route> compare_routes() {
    return {{"GET", "/api/v1/profiles/{id}/compare", compare,
             std::vector<std::string>{"with"} + range_parameters()}};
}

}  // namespace opsight::server
