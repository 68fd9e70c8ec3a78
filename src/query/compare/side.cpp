#include "query/compare/side.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "query/compare/sql.h"
#include "query/compare/statistics.h"
#include "query/reports/binding.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

int64_t longest_rank(const std::vector<IterationShares>& samples) {
    std::map<int64_t, int64_t> walls;
    for (const IterationShares& each : samples)
        walls[each.rank] += each.dur_ns;
    return std::max_element(walls.begin(), walls.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

}  // namespace

std::vector<int64_t> Side::times() const {
    std::vector<int64_t> all;
    for (const IterationShares& each : samples)
        all.push_back(of_an_item(each.dur_ns));
    return all;
}

std::vector<int64_t> Side::times_in(size_t resource) const {
    std::vector<int64_t> all;
    for (const IterationShares& each : samples)
        all.push_back(of_an_item(each.ns.at(resource)));
    return all;
}

int64_t Side::of_an_item(int64_t ns) const {
    return (ns + batch / 2) / batch;
}

std::vector<size_t> outliers_of(const Side& side) {
    constexpr double kOutlier = 1.5;
    const std::vector<int64_t> times = side.times();
    std::vector<size_t> out;
    if (times.size() < 3) return out;
    const auto least = kOutlier * static_cast<double>(std::max<int64_t>(1, median_of(times)));
    for (size_t i = 0; i < times.size(); ++i)
        if (static_cast<double>(times[i]) >= least) out.push_back(i);
    return out;
}

double likeness(const Side& a, const Side& b) {
    std::vector<std::string> both;
    std::set_intersection(a.names.begin(), a.names.end(), b.names.begin(), b.names.end(),
                          std::back_inserter(both));
    const auto fewer = static_cast<double>(std::min(a.names.size(), b.names.size()));
    return fewer > 0 ? static_cast<double>(both.size()) / fewer : 1;
}

Result<Side> read_samples(Session& session, std::string label, std::optional<int64_t> rank) {
    Side side;
    side.label = std::move(label);
    side.range = session.range();
    side.contents = session.contents();
    OPSIGHT_ASSIGN(std::vector<IterationShares> samples, shares_of_range(session));
    if (samples.empty())
        return fail("nothing was recorded in the range, so there is nothing to compare", side.label, {},
                    "'opsight info NAME' shows what the profile holds");
    side.slowest_rank = longest_rank(samples);
    const bool there = rank && std::any_of(samples.begin(), samples.end(),
                                           [&](const IterationShares& each) { return each.rank == *rank; });
    side.rank = there ? *rank : side.slowest_rank;
    std::erase_if(samples, [&side](const IterationShares& each) { return each.rank != side.rank; });
    side.samples = std::move(samples);
    OPSIGHT_ASSIGN(side.classes, budget_classes(session));
    OPSIGHT_ASSIGN(const Binding binding, what_binds(session));
    side.host_binds = binding.host;
    OPSIGHT_ASSIGN(side.info, profile_info(session));
    OPSIGHT_ASSIGN(const duck::Rows names, session.query(compare::sql::side_names));
    for (const auto& row : names.rows)
        side.names.push_back(text(row[0]));
    std::sort(side.names.begin(), side.names.end());
    return side;
}

Result<Side> read_side(Session& session, std::string label, std::optional<int64_t> rank,
                       const WorkOptions& options) {
    OPSIGHT_ASSIGN(Side side, read_samples(session, std::move(label), rank));
    side.batch = options.batch;
    OPSIGHT_ASSIGN(side.work, read_work_tree(session, side.samples, options));
    OPSIGHT_ASSIGN(side.state, read_run_state(session, side.samples));
    return side;
}

}  // namespace opsight::query
