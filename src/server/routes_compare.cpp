// Two profiles beside each other, and all of them in their order.
#include <algorithm>

#include "query/compare/runs.h"
#include "query/compare/trend.h"
#include "report/render_page.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

constexpr int64_t kMostItems = 1'000'000'000;
constexpr int64_t kMostRows = 2000;                // of a table: the page has them all at once
constexpr size_t kLeastRuns = 2, kMostRuns = 500;  // of a trend: each opens a file

// Reads the two profiles of a call, over its range.
class Sides {
  public:
    struct Which {
        size_t number = 0;  // of the profile
        int64_t items = 1;  // of an iteration, of one of which times are
    };
    Sides(Call& call, Which base, Which next, query::RangeOptions range)
        : call_(call), which_{base, next}, range_(std::move(range)) {}

    Result<query::Side> read(bool next, std::optional<int64_t> rank, bool whole) {
        const auto lease = [this, number = which_[next].number](const query::RangeOptions& range) {
            return call_.profiles().lease(number, range, {}, call_.request().cancellation);
        };
        const auto session = lease(whole ? query::RangeOptions{.whole = true} : range_);
        own_range |= next && !session && session.error().status == 400;
        const auto otherwise = own_range && !session ? std::optional(lease({})) : std::nullopt;
        const auto& taken = otherwise ? *otherwise : session;
        if (taken) return read_side(**taken, which_[next], rank);
        refused = taken.error();
        return fail(refused->text());
    }

    bool own_range = false;          // the new profile does not have the range, and was read over its own
    std::optional<Problem> refused;  // why one of them could not be asked

  private:
    Result<query::Side> read_side(query::Session& session, const Which& which, std::optional<int64_t> rank) {
        return query::read_side(session, call_.profiles().name(which.number), rank, {.batch = which.items});
    }

    Call& call_;
    Which which_[2];
    query::RangeOptions range_;
};

Expected<Response> compare(Call& call) {
    Profiles& profiles = call.profiles();
    OPSIGHT_ASSIGN(const size_t base, profiles.number_of(call.path("id")));
    OPSIGHT_ASSIGN(const size_t next, profiles.number_of(call.text("with")));
    OPSIGHT_ASSIGN(query::RangeOptions range, profiles.range_of(call, base));
    OPSIGHT_ASSIGN(const int64_t base_items, call.number("base_items", 1, 1, kMostItems));
    OPSIGHT_ASSIGN(const int64_t next_items, call.number("new_items", 1, 1, kMostItems));
    Sides sides(call, {base, base_items}, {next, next_items}, std::move(range));
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

// Nothing of a profile that cannot be opened, or holds nothing.
std::optional<query::Side> samples_of(Call& call, size_t number) {
    Profiles& profiles = call.profiles();
    const auto session = profiles.lease(number, {}, {}, call.request().cancellation);
    if (!session) return std::nullopt;
    auto side = query::read_samples(**session, profiles.name(number));
    return side ? std::optional(std::move(*side)) : std::nullopt;
}

// Of what can be opened. Runs without iterations that are sure are left out where others have some: a
// recording is not an iteration.
Expected<Response> trend(Call& call) {
    Profiles& profiles = call.profiles();
    const FairSemaphore::Permit turn(profiles.questions());
    std::vector<query::Side> runs;
    std::vector<std::string> left_out;
    for (size_t number = 0; number < profiles.size(); ++number) {
        std::optional<query::Side> side;
        if (runs.size() < kMostRuns) side = samples_of(call, number);
        if (side)
            runs.push_back(std::move(*side));
        else
            left_out.push_back(profiles.name(number));
    }
    const bool any =
        std::any_of(runs.begin(), runs.end(), [](const query::Side& run) { return !run.range.whole; });
    for (const query::Side& run : runs)
        if (any && run.range.whole) left_out.push_back(run.label);
    if (any) std::erase_if(runs, [](const query::Side& run) { return run.range.whole; });
    query::Report report;
    if (runs.size() >= kLeastRuns) {
        const bool by_time = query::order_by_time(runs);
        OPSIGHT_ASSIGN(report, query::trend_report(runs, by_time));
    }
    return json_object([&](JsonWriter& json) {
        json.field("notes", report.notes).field("left_out", left_out);
        json.list("tables", [&] {
            for (const query::Section& section : report.sections)
                report::put_page(json, section.table, runs.front().range);
        });
    });
}

}  // namespace

std::vector<Route> compare_routes() {
    return {{"GET", "/api/v1/profiles/{id}/compare", compare,
             std::vector<std::string>{"with", "base_items", "new_items"} + range_parameters()},
            {"GET", "/api/v1/trend", trend, {}}};
}

}  // namespace opsight::server
