// Two profiles beside each other, and all of them in their order.
#include <fmt/format.h>

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
constexpr size_t kMostRepeated = 50;               // of a side

// Reads the profiles of a call, over its range.
class Sides {
  public:
    struct Which {
        std::vector<size_t> numbers;  // of the profiles: one, or repeated runs
        int64_t items = 1;            // of an iteration, of one of which times are
    };
    Sides(Call& call, Which base, Which next, query::RangeOptions range)
        : call_(call), which_{std::move(base), std::move(next)}, range_(std::move(range)) {}

    Result<query::Side> read(bool next, size_t run, const query::RunChoice& choice) {
        const size_t number = which_[next].numbers[run];
        const auto lease = [this, number, &choice](query::RangeOptions range) {
            range.warmup = choice.warmup;
            return call_.profiles().lease(number, range, {}, call_.request().cancellation);
        };
        const auto session =
            lease(choice.whole ? query::RangeOptions{.whole = true, .rank = range_.rank} : range_);
        // The range is one of the first; a rank that was chosen is meant of each.
        const bool lacks_range = (next || run > 0) && !session && session.error().status == 400;
        own_range |= lacks_range;
        const auto otherwise = lacks_range ? std::optional(lease({.rank = range_.rank})) : std::nullopt;
        const auto& taken = otherwise ? *otherwise : session;
        if (taken)
            return query::read_side(**taken, call_.profiles().name(number), choice.rank,
                                    {.batch = which_[next].items});
        refused = taken.error();
        return fail(refused->text());
    }

    // The profile that is shown of a side: of repeated runs the one in the middle.
    size_t shown(bool next, const std::vector<query::Run>& runs) const {
        const auto found =
            std::find_if(runs.begin(), runs.end(), [](const query::Run& each) { return each.shown; });
        return found == runs.end() ? which_[next].numbers.front()
                                   : which_[next].numbers.at(static_cast<size_t>(found - runs.begin()));
    }
    size_t runs(bool next) const { return which_[next].numbers.size(); }

    bool own_range = false;          // a profile does not have the range, and was read over its own
    std::optional<Problem> refused;  // why one of them could not be asked

  private:
    Call& call_;
    Which which_[2];
    query::RangeOptions range_;
};

// A profile, and those that are named as more runs of it.
Expected<std::vector<size_t>> numbers_of(Call& call, const std::string& first, std::string_view more) {
    std::vector<std::string> ids = call.all(more);
    if (ids.size() >= kMostRepeated)
        return fail(
            Problem(400, "bad_request", fmt::format("{}: at most {} runs a side", more, kMostRepeated)));
    ids.insert(ids.begin(), first);
    std::vector<size_t> numbers;
    for (const std::string& id : ids) {
        OPSIGHT_ASSIGN(const size_t number, call.profiles().number_of(id));
        if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
    }
    return numbers;
}

Expected<Response> compare(Call& call) {
    Profiles& profiles = call.profiles();
    OPSIGHT_ASSIGN(std::vector<size_t> base, numbers_of(call, call.path("id"), "base_runs"));
    OPSIGHT_ASSIGN(std::vector<size_t> next, numbers_of(call, call.text("with"), "new_runs"));
    OPSIGHT_ASSIGN(query::RangeOptions range, profiles.range_of(call, base.front()));
    OPSIGHT_ASSIGN(const int64_t base_items, call.number("base_items", 1, 1, kMostItems));
    OPSIGHT_ASSIGN(const int64_t next_items, call.number("new_items", 1, 1, kMostItems));
    Sides sides(call, {std::move(base), base_items}, {std::move(next), next_items}, std::move(range));
    const FairSemaphore::Permit turn(profiles.questions());
    const Result<query::Comparison> made =
        query::compare_runs(sides.runs(false), sides.runs(true),
                            [&sides](bool is_next, size_t run, const query::RunChoice& choice) {
                                return sides.read(is_next, run, choice);
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
        json.field("base_shown", std::to_string(sides.shown(false, comparison.base_runs)));
        json.field("new_shown", std::to_string(sides.shown(true, comparison.next_runs)));
        json.list("tables", [&] {
            for (const query::Section& section : report.sections)
                report::put_page(json, section.table, comparison.base.range);
        });
    });
}

// Nothing of a profile that cannot be opened, holds nothing, or has no such rank.
std::optional<query::Side> samples_of(Call& call, size_t number, std::optional<int64_t> rank) {
    Profiles& profiles = call.profiles();
    const auto session = profiles.lease(number, {.rank = rank}, {}, call.request().cancellation);
    if (!session) return std::nullopt;
    auto side = query::read_samples(**session, profiles.name(number));
    return side ? std::optional(std::move(*side)) : std::nullopt;
}

// Of what can be opened. Runs without iterations that are sure are left out where others have some: a
// recording is not an iteration.
Expected<Response> trend(Call& call) {
    Profiles& profiles = call.profiles();
    OPSIGHT_ASSIGN(const std::optional<int64_t> rank, call.number("rank"));
    const FairSemaphore::Permit turn(profiles.questions());
    std::vector<query::Side> runs;
    std::vector<std::string> left_out;
    for (size_t number = 0; number < profiles.size(); ++number) {
        std::optional<query::Side> side;
        if (runs.size() < kMostRuns) side = samples_of(call, number, rank);
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
             std::vector<std::string>{"with", "base_runs", "new_runs", "base_items", "new_items"} +
                 range_parameters()},
            {"GET", "/api/v1/trend", trend, {"rank"}}};
}

}  // namespace opsight::server
