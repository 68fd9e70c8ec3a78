#include "query/mapping/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/mapping/network_tables.h"

namespace opsight::query {
namespace {

constexpr size_t kBar = 18;  // characters of the longest

// Where the energies of the parts come from whose sizes vary. A table's stay whatever the sizes are.
std::string sources_of(const std::vector<SweepValue>& values, const map::Architecture& architecture) {
    std::string text, last;
    for (const SweepValue& each : values) {
        const int place = architecture.level(each.part);
        const std::string& source = each.part == architecture.compute.name || place < 0
                                        ? architecture.compute.energy_source
                                        : architecture.levels[static_cast<size_t>(place)].energy_source;
        if (each.part == last) continue;
        last = each.part;
        const bool fixed = source == "ERT" || source == "architecture";
        text += fmt::format("{}{}: {}{}", text.empty() ? "" : "; ", each.part, source,
                            fixed ? ", the same at all sizes" : "");
    }
    return text;
}

std::vector<Cell> row_of(const std::vector<SweepValue>& values, const NetworkMapping& network,
                         std::vector<double>& costs) {
    std::vector<Cell> row;
    for (const SweepValue& each : values)
        row.push_back(whole_cell(each.value));
    const NetworkTotals totals = totals_of(network);
    std::string missing;
    for (const LayerMapping& each : network.mappings)
        if (!each.found) missing = each.failure;
    costs.push_back(missing.empty() ? totals.cost : 0);
    if (!missing.empty()) {
        row.resize(values.size() + 6);
        row.emplace_back(missing);
        row.resize(row.size() + 2);
        row.emplace_back();
        return row;
    }
    row.emplace_back(totals.cycles);
    row.emplace_back(totals.energy_pj);
    row.emplace_back(totals.edp());
    row.emplace_back(100 * totals.utilization);
    row.emplace_back(totals.last_level_words);
    row.emplace_back();
    if (totals.cost > 0) row.back() = std::max(0.0, 100 - 100 * totals.bound / totals.cost);
    row.emplace_back(is_proven(network, totals) ? "proven" : "best found");
    row.emplace_back(sources_of(values, network.architecture));
    row.emplace_back(network.layers.title());
    row.emplace_back();
    return row;
}

std::string fixed_note(const std::vector<SweepAxis>& axes, const map::Architecture& architecture) {
    std::vector<std::string> tables;
    for (const SweepAxis& axis : axes)
        if (const int place = architecture.level(axis.part);
            place >= 0 && architecture.levels[static_cast<size_t>(place)].energy_source == "ERT")
            tables.push_back(axis.part);
    if (tables.empty()) return {};
    return fmt::format(
        "the energies per access of {} stay as the ERT gives them, whatever the sizes of this sweep; without "
        "an ERT they follow the sizes",
        fmt::join(tables, ", "));
}

}  // namespace

Result<ResultTable> sweep_table(const std::vector<SweepAxis>& axes, const map::SearchSettings& settings,
                                const LookAt& look) {
    ResultTable out{"map_sweep", "Sweep"};
    size_t points = 1;
    for (const SweepAxis& axis : axes) {
        points *= axis.values.size();
        if (points > kMostSweepPoints)
            return fail(fmt::format("the sweep has more than {} points", kMostSweepPoints), {}, {},
                        "give fewer values");
        const std::string name = axis.part + "." + axis.attribute;
        out.columns.push_back({name, name, Unit::kNone, 0, Role::kNumber});
    }
    for (const Column& column : std::initializer_list<Column>{
             {"cycles", "Cycles", Unit::kNone, 0, Role::kNumber},
             {"energy_pj", "Energy (pJ)", Unit::kNone, 0, Role::kNumber},
             {"edp_j_cycles", "EDP (J*cycles)", Unit::kNone, 0, Role::kNumber},
             {"utilization_pct", "Utilization (%)", Unit::kPercent, 1},
             {"last_level_words", "Words of the Last Level", Unit::kNone, 2, Role::kNumber},
             {"gap_pct", "Gap (%)", Unit::kPercent, 1},
             {"result", "Result", Unit::kNone, 1},
             {"energy_source", "Energies", Unit::kNone, 2},
             {"of", "Of", Unit::kNone, 3},
             {"bar", std::string(name_of(settings.objective))}})
        out.columns.push_back(column);
    std::vector<double> costs;
    for (size_t point = 0; point < points; ++point) {
        if (settings.stop != nullptr && settings.stop->load()) {
            out.notes.push_back(fmt::format("Stopped after {} of {} points.", point, points));
            break;
        }
        std::vector<SweepValue> values(axes.size());
        size_t rest = point;
        for (size_t i = axes.size(); i-- > 0; rest /= axes[i].values.size())
            values[i] = {axes[i].part, axes[i].attribute, axes[i].values[rest % axes[i].values.size()]};
        OPSIGHT_ASSIGN(const NetworkMapping network, look(values));
        out.rows.push_back(row_of(values, network, costs));
        if (point == 0) {
            out.title = "Sweep, " + network.layers.title();
            if (std::string note = fixed_note(axes, network.architecture); !note.empty())
                out.notes.push_back(std::move(note));
        }
    }
    const double most = costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
    for (size_t i = 0; most > 0 && i < costs.size(); ++i)
        if (costs[i] > 0)
            out.rows[i].back().emplace<std::string>(
                std::max<size_t>(1, static_cast<size_t>(kBar * costs[i] / most)), '#');
    return out;
}

}  // namespace opsight::query
