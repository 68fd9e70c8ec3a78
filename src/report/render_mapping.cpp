#include "report/render_mapping.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/json_parts.h"
#include "report/mapping_picture.h"
#include "report/render.h"

namespace opsight::report {
namespace {

constexpr std::string_view kEstimate = "estimate: ";

void put_summary(JsonWriter& json, const map::Evaluation& evaluation) {
    json.field("cycles", evaluation.cycles).field("computes", evaluation.computes);
    json.field("utilization", evaluation.utilization).field("energy_pj", evaluation.energy_pj);
    json.field("edp_j_cycles", evaluation.edp());
    json.field("energy_per_compute_pj", evaluation.energy_pj / static_cast<double>(evaluation.computes));
    json.field("area_um2", evaluation.area_um2);
}

void put_compute(JsonWriter& json, const query::MappingAnswer& answer) {
    const map::ComputeUnit& compute = answer.architecture.compute;
    json.field("name", compute.name).field("instances", compute.mesh.instances());
    json.field("cycles", answer.evaluation.compute_cycles).field("throttle", 1.0);
    json.field("energy_pj", answer.evaluation.compute_pj).field("leakage_pj", 0.0);
    json.field("area_um2", answer.evaluation.compute_area_um2);
    json.field("compute_pj", compute.compute_pj).field("energy_source", compute.energy_source);
}

void put_level(JsonWriter& json, const map::Level& level, const map::LevelStats& stats) {
    json.field("name", level.name).field("instances", level.mesh.instances());
    json.field("cycles", stats.cycles).field("throttle", stats.throttle);
    json.field("energy_pj", stats.energy_pj()).field("leakage_pj", stats.leak_pj);
    json.field("area_um2", level.area_um2 * static_cast<double>(level.mesh.instances()));
    json.field("read_pj", level.read_pj)
        .field("write_pj", level.write_pj)
        .field("update_pj", level.update_pj);
    json.field("energy_source", level.energy_source);
}

void put_units(JsonWriter& json, const query::MappingAnswer& answer) {
    json.object([&] { put_compute(json, answer); });
    for (size_t i = 0; i < answer.evaluation.levels.size(); ++i)
        if (const map::Level& level = answer.architecture.levels[i]; !level.dummy)
            json.object([&] { put_level(json, level, answer.evaluation.levels[i]); });
}

// The level that bandwidth holds back most.
std::string slowest(const query::MappingAnswer& answer) {
    for (size_t i = 0; i < answer.evaluation.levels.size(); ++i)
        if (answer.evaluation.levels[i].cycles == answer.evaluation.cycles &&
            answer.evaluation.levels[i].throttle < 1)
            return fmt::format(", held back by the bandwidth of {} (x{:.2f})",
                               answer.architecture.levels[i].name, 1 / answer.evaluation.levels[i].throttle);
    return {};
}

std::string search_text(const query::MappingSearch& search) {
    std::string text =
        search.proven ? "proven: no mapping under these constraints" : "best found, not proven: no mapping";
    const std::string_view name = name_of(search.objective);
    if (search.proven)
        text += fmt::format(" has less {}", name);
    else
        text += fmt::format(" has less {} than {:.4g} {}, {:.1f}% below", name, search.bound,
                            unit_of(search.objective), 100 - 100 * search.bound / search.cost);
    if (search.stopped) text += "; stopped before its end";
    return fmt::format(
        "Search       {}\n             {} mappings tried, {} fit; {} choices cut off by bounds\n", text,
        search.tried, search.valid, search.cut);
}

void put_search(JsonWriter& json, const query::MappingSearch& search) {
    json.field("objective", name_of(search.objective));
    json.field("tried", search.tried);
    json.field("valid", search.valid);
    json.field("cut", search.cut);
    json.field("proven", search.proven);
    json.field("stopped", search.stopped);
    json.field("cost", search.cost);
    json.field("bound", search.bound);
}

// Parts of a mapping's file: a line each, as an object, which YAML reads too.
class MappingParts {
  public:
    explicit MappingParts(const query::MappingAnswer& answer) : answer_(answer) {}

    std::string text() const {
        std::string text = "mapping:\n";
        for (size_t i = answer_.mapping.levels.size(); i-- > 0;) {
            if (!answer_.architecture.levels[i].dummy) text += kept(i);
            if (answer_.architecture.fanout(i).instances() > 1) text += loops(i, true);
            text += loops(i, false);
        }
        return text;
    }

  private:
    template <class Fields>
    std::string part(size_t level, const char* type, const Fields& fields) const {
        JsonWriter json;
        json.object([&] {
            json.field("target", answer_.architecture.levels[level].name);
            json.field("type", type);
            fields(json);
        });
        return "- " + json.take() + "\n";
    }

    std::string kept(size_t level) const {
        return part(level, "dataspace", [&](JsonWriter& json) {
            for (const bool keep : {true, false})
                json.list(keep ? "keep" : "bypass", [&] {
                    for (size_t i = 0; i < answer_.problem.spaces.size(); ++i)
                        if (answer_.mapping.levels[level].keeps(i) == keep)
                            json.value(answer_.problem.spaces[i].name);
                });
        });
    }

    // Innermost first; those across Y follow those across X.
    std::string loops(size_t level, bool across) const {
        std::vector<map::Loop> loops;
        std::vector<int> order;
        for (const map::Across along : {map::Across::kX, map::Across::kY, map::Across::kTime})
            for (const map::Loop& loop : answer_.mapping.levels[level].loops)
                if (loop.across == along && (along != map::Across::kTime) == across) loops.push_back(loop);
        std::string factors;
        int64_t split = 0;
        for (const map::Loop& loop : loops) {
            order.push_back(loop.dimension);
            if (loop.across == map::Across::kX) ++split;
        }
        for (int i = 0; i < static_cast<int>(answer_.problem.dimensions.size()); ++i) {
            int64_t factor = 1;
            for (const map::Loop& loop : loops)
                if (loop.dimension == i) factor *= loop.count;
            factors += fmt::format("{}{}={}", i == 0 ? "" : " ", answer_.problem.dimensions[i].name, factor);
            if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
        }
        return part(level, across ? "spatial" : "temporal", [&](JsonWriter& json) {
            json.field("factors", factors);
            json.list("permutation", [&] {
                for (const int dimension : order)
                    json.value(answer_.problem.dimensions[dimension].name);
            });
            if (across) json.field("split", split);
        });
    }

    const query::MappingAnswer& answer_;
};

}  // namespace

void put_energy_sources(JsonWriter& json, const map::Architecture& architecture) {
    json.list("energy_sources", [&] {
        for (const query::EnergySource& each : query::energy_sources(architecture))
            json.object([&] { json.field("part", each.part).field("source", each.source); });
    });
    json.field("unread_attributes", architecture.unread);
}

std::string energy_line(const map::Architecture& architecture) {
    std::vector<std::pair<std::string, std::vector<std::string>>> kinds;
    for (const query::EnergySource& each : query::energy_sources(architecture)) {
        const std::string kind = each.source.starts_with(kEstimate) ? "estimates or tables of components"
                                 : each.source == "built-in"        ? "the built-in table"
                                                                    : "the " + each.source;
        const auto at =
            std::find_if(kinds.begin(), kinds.end(), [&](const auto& known) { return known.first == kind; });
        if (at == kinds.end())
            kinds.push_back({kind, {each.part}});
        else
            at->second.push_back(each.part);
    }
    std::string text;
    for (const auto& [kind, parts] : kinds)
        text +=
            fmt::format("{}{} ({})", text.empty() ? "energies are of " : ", ", kind, fmt::join(parts, ", "));
    return text;
}

std::string energy_note(const map::Architecture& architecture) {
    std::vector<std::string> built_in, tables, own;
    std::string estimates;
    for (const query::EnergySource& each : query::energy_sources(architecture)) {
        if (each.source == "built-in") built_in.push_back(each.part);
        if (each.source == "ERT") tables.push_back(each.part);
        if (each.source == "architecture") own.push_back(each.part);
        if (each.source.starts_with(kEstimate))
            estimates += fmt::format("  {}: {}\n", each.part, each.source.substr(kEstimate.size()));
    }
    std::string text;
    if (!tables.empty()) text += fmt::format("Energies of {} are of the ERT.\n", fmt::join(tables, ", "));
    if (!own.empty())
        text += fmt::format("Energies of {} are the architecture's own (vector_access_energy).\n",
                            fmt::join(own, ", "));
    if (!built_in.empty())
        text += fmt::format(
            "Energies of {} are of the built-in table (docs/MAPPING.md); give an ERT for others.\n",
            fmt::join(built_in, ", "));
    if (!estimates.empty())
        text += "Estimates, and where they come from; they know no leakage. An ERT goes before them.\n" +
                estimates;
    constexpr size_t kMost = 10;
    if (const size_t all = architecture.unread.size(); all > 0) {
        const auto end = architecture.unread.begin() + static_cast<std::ptrdiff_t>(std::min(all, kMost));
        text += fmt::format("Attributes that change no number: {}{}.\n",
                            fmt::join(architecture.unread.begin(), end, ", "),
                            all > kMost ? fmt::format(", and {} more", all - kMost) : "");
    }
    return text;
}

std::string render_mapping_text(const query::MappingAnswer& answer, int width) {
    const map::Evaluation& evaluation = answer.evaluation;
    std::string text = map::loop_nest(answer.mapping, answer.architecture, answer.problem);
    text += fmt::format("\nCycles       {}{}\n", evaluation.cycles, slowest(answer));
    text += fmt::format("Utilization  {:.1f}%\n", 100 * evaluation.utilization);
    text += fmt::format("Energy       {}, {:.3f} pJ per compute\n", query::energy_words(evaluation.energy_pj),
                        evaluation.energy_pj / static_cast<double>(evaluation.computes));
    text += fmt::format("EDP          {:.4g} J*cycles\n", evaluation.edp());
    if (evaluation.area_um2 > 0) text += fmt::format("Area         {:.4g} mm2\n", evaluation.area_um2 * 1e-6);
    if (answer.search) text += search_text(*answer.search);
    text += "\n" + render_table(query::mapping_levels(answer), width);
    // Between single instances nothing is sent on or shared.
    query::ResultTable networks = query::mapping_networks(answer);
    std::erase_if(networks.rows, [](const auto& row) { return row[2] == query::Cell(int64_t{1}); });
    if (!networks.rows.empty()) text += "\n" + render_table(networks, width);
    text += "\n" + render_mapping_bars(answer);
    const std::string note = energy_note(answer.architecture);
    return note.empty() ? text : text + "\n" + note;
}

std::string render_mapping_json(const query::MappingAnswer& answer) {
    JsonWriter json(2);
    json.object([&] {
        json.field("problem", answer.problem.name);
        json.object("dimensions", [&] {
            for (const map::Dimension& dimension : answer.problem.dimensions)
                json.field(dimension.name, dimension.bound);
        });
        json.object("summary", [&] { put_summary(json, answer.evaluation); });
        if (answer.search) json.object("search", [&] { put_search(json, *answer.search); });
        put_energy_sources(json, answer.architecture);
        json.list("units", [&] { put_units(json, answer); });
        put_rows(json.key("levels"), query::mapping_levels(answer));
        put_rows(json.key("networks"), query::mapping_networks(answer));
        json.field("loop_nest", map::loop_nest(answer.mapping, answer.architecture, answer.problem));
    });
    return json.take() + "\n";
}

std::string render_mapping_yaml(const query::MappingAnswer& answer) {
    return MappingParts(answer).text();
}

}  // namespace opsight::report
