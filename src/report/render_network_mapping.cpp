#include "report/render_network_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/json_parts.h"
#include "report/render.h"
#include "report/render_mapping.h"
#include "report/svg_chart.h"

namespace opsight::report {
namespace {

query::MappingAnswer answer_of(const query::NetworkMapping& network, size_t layer) {
    query::MappingAnswer answer;
    answer.problem = network.layers.layers[layer].problem;
    answer.architecture = network.architecture;
    answer.mapping = network.mappings[layer].found->mapping;
    answer.evaluation = network.mappings[layer].found->evaluation;
    return answer;
}

void put_totals(JsonWriter& json, const query::NetworkMapping& network) {
    const query::NetworkTotals totals = query::totals_of(network);
    json.field("complete", network.complete()).field("stopped", network.stopped);
    json.field("macs", totals.macs).field("cycles", totals.cycles).field("energy_pj", totals.energy_pj);
    json.field("edp_j_cycles", totals.edp()).field("utilization", totals.utilization);
    json.field("last_level_words", totals.last_level_words);
    json.field("objective", name_of(network.settings.objective));
    json.field("cost", totals.cost).field("bound", totals.bound);
    json.field("layers", network.mappings.size()).field("proven_layers", totals.proven);
}

void put_roofline(JsonWriter& json, const query::NetworkMapping& network) {
    const query::Roofline roofline = query::roofline_of(network);
    json.field("macs_per_cycle", roofline.macs_per_cycle);
    json.field("words_per_cycle", roofline.words_per_cycle).field("word_bits", roofline.word_bits);
    json.list("layers", [&] {
        for (const query::Roofline::Point& point : roofline.points)
            json.object([&] {
                json.field("layer", network.layers.layers[point.layer].name);
                json.field("macs_per_word", point.intensity).field("macs_per_cycle", point.rate);
            });
    });
}

void put_problem(JsonWriter& json, const query::NetworkLayer& layer) {
    const map::Problem& problem = layer.problem;
    json.object("shape", [&] {
        json.field("name", problem.name);
        json.list("dimensions", [&] {
            for (const map::Dimension& dimension : problem.dimensions)
                json.value(dimension.name);
        });
        json.list("data_spaces", [&] {
            for (const map::DataSpace& space : problem.spaces)
                json.object([&] {
                    json.field("name", space.name);
                    json.list("projection", [&] {
                        for (const std::vector<map::Term>& axis : space.axes)
                            json.list([&] {
                                for (const map::Term& term : axis)
                                    json.list([&] {
                                        json.value(
                                            problem.dimensions[static_cast<size_t>(term.dimension)].name);
                                        if (term.coefficient != 1) json.value(term.coefficient);
                                    });
                            });
                    });
                    if (space.written) json.field("read_write", true);
                });
        });
    });
    json.object("instance", [&] {
        for (const map::Dimension& dimension : problem.dimensions)
            json.field(dimension.name, dimension.bound);
    });
}

void put_mappings(JsonWriter& json, const query::NetworkMapping& network) {
    for (size_t i = 0; i < network.mappings.size(); ++i)
        if (network.mappings[i].found)
            json.object([&] {
                json.field("layer", network.layers.layers[i].name);
                json.field("loop_nest",
                           map::loop_nest(network.mappings[i].found->mapping, network.architecture,
                                          network.layers.layers[i].problem));
            });
}

std::string rooflines(const query::NetworkMapping& network, double width, double height) {
    const query::Roofline roofline = query::roofline_of(network);
    const double top = roofline.macs_per_cycle;
    double low = 1, high = 10, least = top;
    for (const query::Roofline::Point& point : roofline.points) {
        low = std::min(low, point.intensity);
        high = std::max(high, point.intensity);
        least = std::min(least, point.rate);
    }
    if (roofline.words_per_cycle) high = std::max(high, 2 * top / *roofline.words_per_cycle);
    const ChartAxis x{.title = "multiply-adds for each word of the outermost level",
                      .from = decade_below(low / 1.5),
                      .to = decade_above(high * 1.2)};
    const ChartAxis y{
        .title = "multiply-adds per cycle", .from = decade_below(least / 1.5), .to = decade_above(top * 1.2)};
    SvgChart chart(8, 52, width, height, x, y);
    const double ridge = roofline.words_per_cycle ? top / *roofline.words_per_cycle : x.from;
    chart.line({std::clamp(ridge, x.from, x.to), top, x.to, top}, "s2", fmt::format("units: {:g}", top));
    if (roofline.words_per_cycle) {
        const double from = std::max(x.from, y.from / *roofline.words_per_cycle);
        chart.line({from, from * *roofline.words_per_cycle, ridge, top}, "s4",
                   fmt::format("{}: {:g} words per cycle", network.architecture.levels.back().name,
                               *roofline.words_per_cycle));
    }
    for (const query::Roofline::Point& point : roofline.points) {
        const query::NetworkLayer& layer = network.layers.layers[point.layer];
        chart.point(point.intensity, point.rate, std::clamp(40 * std::sqrt(point.share), 2.0, 16.0), "s0",
                    fmt::format("{} ({}): {:.4g} per cycle, {:.4g} per word, {:.1f}% of the cycles",
                                layer.name, layer.shape(), point.rate, point.intensity, 100 * point.share));
    }
    return chart.finish("Layers under the roofline (size: share of the cycles)");
}

bool has_bandwidth(const map::Level& level) {
    return level.read_bandwidth || level.write_bandwidth || level.shared_bandwidth;
}

// Why the last level has no line in the roofline; bandwidths that are not drawn bound all the same.
std::string no_line(const std::vector<map::Level>& levels) {
    const std::string& name = levels.back().name;
    if (has_bandwidth(levels.back()))
        return fmt::format(
            "; no bandwidth line is drawn for {}, of which not both reads and writes are given", name);
    if (std::any_of(levels.begin(), levels.end(), has_bandwidth))
        return fmt::format("; {} has no bandwidth here, those of other levels are not drawn", name);
    return fmt::format("; {} has no bandwidth here, so that only the units bound", name);
}

}  // namespace

std::string render_network_text(const query::NetworkMapping& network, int width) {
    std::string text = render_table(query::network_total_table(network), width);
    text += "\n" + render_table(query::network_layer_table(network), width);
    const query::ResultTable unmapped = query::network_unmapped_table(network);
    if (!unmapped.rows.empty()) text += "\n" + render_table(unmapped, width);
    for (const std::string& note : network.layers.notes)
        text += wrapped(note + "\n", width);
    text += energy_note(network.architecture);
    text += wrapped(
        "Words are as wide as the accelerator's, whatever the model's types are; the built-in table is a "
        "scale, not a technology.\n",
        width);
    return text;
}

std::string render_network_json(const query::NetworkMapping& network) {
    JsonWriter json(2);
    json.object([&] {
        json.field("network", network.layers.name).field("architecture", network.architecture.name);
        // Sums of one layer are not the network's.
        if (!network.layers.only.empty()) json.field("only_layer", network.layers.only);
        put_energy_sources(json, network.architecture);
        json.object("totals", [&] { put_totals(json, network); });
        put_rows(json.key("layers"), query::network_layer_table(network));
        put_rows(json.key("unmapped"), query::network_unmapped_table(network));
        json.object("roofline", [&] { put_roofline(json, network); });
        json.list("mappings", [&] { put_mappings(json, network); });
        json.field("notes", network.layers.notes);
    });
    return json.take() + "\n";
}

std::string render_network_yaml(const query::NetworkMapping& network) {
    std::string text;
    for (size_t i = 0; i < network.mappings.size(); ++i) {
        if (!network.mappings[i].found) continue;
        JsonWriter problem;
        problem.object([&] { put_problem(problem, network.layers.layers[i]); });
        text += "---\nproblem: " + problem.take() + "\n" + render_mapping_yaml(answer_of(network, i));
    }
    return text;
}

std::string render_network_roofline(const query::NetworkMapping& network) {
    constexpr double kWidth = 760, kHeight = 500;
    const query::NetworkTotals totals = query::totals_of(network);
    const std::string bound =
        query::roofline_of(network).words_per_cycle ? "" : no_line(network.architecture.levels);
    return svg_picture(kWidth, kHeight + kFootnote,
                       fmt::format("{}: least {} of each layer that was found", network.layers.title(),
                                   name_of(network.settings.objective)),
                       fmt::format("{} of {} proven; worked out, nothing is measured{}", totals.proven,
                                   network.mappings.size(), bound),
                       {rooflines(network, kWidth - 16, kHeight - 60),
                        svg_footnote(kHeight - 4, kWidth, energy_line(network.architecture))});
}

}  // namespace opsight::report
