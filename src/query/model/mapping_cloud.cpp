#include "query/model/mapping_cloud.h"

#include <algorithm>

namespace opsight::query {
namespace {

constexpr double kSame = 2e-9;  // bounds are rounded down

ResultTable empty_table(const char* name, const char* title) {
    ResultTable out{name, title};
    out.columns = {{"draw", "Draw", Unit::kNone, 0, Role::kId},
                   {"energy_pj", "Energy (pJ)", Unit::kNone, 0, Role::kNumber},
                   {"cycles", "Cycles", Unit::kCount},
                   {"edp_j_cycles", "EDP (J*cycles)", Unit::kNone, 0, Role::kNumber},
                   {"outer_accesses", "Outermost Level (words)", Unit::kCount},
                   {"pareto", "Pareto Front", Unit::kNone, 3, Role::kYesNo}};
    return out;
}

std::vector<Cell> row_of(const map::CloudPoint& point) {
    return {static_cast<int64_t>(point.draw),
            point.energy_pj,
            point.cycles,
            point.energy_pj * 1e-12 * static_cast<double>(point.cycles),
            point.outer_accesses,
            int64_t{point.pareto ? 1 : 0}};
}

}  // namespace

std::vector<const map::CloudPoint*> CloudAnswer::front() const {
    std::vector<const map::CloudPoint*> out;
    for (const map::CloudPoint& point : cloud.points)
        if (point.pareto) out.push_back(&point);
    std::sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->cycles < b->cycles; });
    return out;
}

ResultTable no_cloud_points() {
    return empty_table("map_cloud", "Mappings");
}

ResultTable no_cloud_front() {
    return empty_table("map_front", "Pareto Front");
}

ResultTable no_cloud_best() {
    ResultTable out{"map_best", "Least of Those Drawn"};
    out.columns = {{"objective", "Objective"},
                   {"cost", "Least Drawn", Unit::kNone, 0, Role::kNumber},
                   {"unit", "Unit"},
                   {"bound", "Lower Bound of All", Unit::kNone, 0, Role::kNumber},
                   {"gap_percent", "Gap (%)", Unit::kPercent},
                   {"proven", "Proven", Unit::kNone, 0, Role::kYesNo},
                   {"draw", "Draw", Unit::kNone, 0, Role::kId}};
    return out;
}

ResultTable cloud_points(const CloudAnswer& answer, size_t most) {
    ResultTable out = no_cloud_points();
    const std::vector<map::CloudPoint>& points = answer.cloud.points;
    const int64_t fewest = answer.cloud.least_accesses().accesses;
    const auto first = [fewest](const map::CloudPoint& point) {
        return point.pareto || point.outer_accesses == fewest;
    };
    const auto firsts = static_cast<size_t>(std::count_if(points.begin(), points.end(), first));
    const bool all = most == 0 || points.size() <= most;
    size_t others = all ? points.size() : most - std::min(most, firsts);
    size_t rows = all ? points.size() : most;
    for (const map::CloudPoint& point : points) {
        const bool wanted = first(point) || others > 0;
        if (!wanted || rows == 0) continue;
        if (!first(point)) --others;
        --rows;
        out.rows.push_back(row_of(point));
    }
    return out;
}

ResultTable cloud_front(const CloudAnswer& answer) {
    ResultTable out = no_cloud_front();
    for (const map::CloudPoint* point : answer.front())
        out.rows.push_back(row_of(*point));
    return out;
}

// Energy, delay and EDP have their least on the front: where several have it, the least of the others too.
ResultTable cloud_best(const CloudAnswer& answer) {
    ResultTable out = no_cloud_best();
    const std::vector<const map::CloudPoint*> front = answer.front();
    const map::Cloud::Least fewest = answer.cloud.least_accesses();
    const auto add = [&](map::Objective objective, double cost, uint64_t draw) {
        const double bound = map::cost_of(answer.least, objective);
        const bool proven = cost * (1 - kSame) <= bound;
        const Cell gap = proven ? Cell(0.0) : Cell(100 - 100 * bound / cost);
        out.rows.push_back({std::string(name_of(objective)), cost, std::string(unit_of(objective)),
                            proven ? cost : bound, gap, proven, static_cast<int64_t>(draw)});
    };
    const auto edp = [](const map::CloudPoint* point) {
        return point->energy_pj * 1e-12 * static_cast<double>(point->cycles);
    };
    const map::CloudPoint* least = *std::min_element(
        front.begin(), front.end(), [&](const auto* a, const auto* b) { return edp(a) < edp(b); });
    add(map::Objective::kEnergy, front.back()->energy_pj, front.back()->draw);
    add(map::Objective::kDelay, static_cast<double>(front.front()->cycles), front.front()->draw);
    add(map::Objective::kEdp, edp(least), least->draw);
    add(map::Objective::kLastLevel, static_cast<double>(fewest.accesses), fewest.least_draw);
    return out;
}

}  // namespace opsight::query
