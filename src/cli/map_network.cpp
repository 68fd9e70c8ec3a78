#include "cli/map_network.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "cli/map_uses.h"
#include "cli/new_file.h"
#include "cli/standard_output.h"
#include "query/mapping/sweep.h"
#include "report/render.h"
#include "report/render_network_mapping.h"
#include "report/write_rows.h"

namespace opsight::cli {
namespace {

using importer::timeloop::AttributeChange;

Result<query::NetworkLayers> read_layers(const MapRequest& request) {
    OPSIGHT_ASSIGN(const ModelGraph graph, importer::import_model(request.model, request.sizes));
    query::NetworkLayers layers = query::network_layers(graph);
    if (layers.layers.empty())
        return fail(
            "no op of it is a convolution or product of known shapes", request.model, {},
            "'opsight estimate' lists its ops; --dim and --shape give sizes that the file leaves open");
    if (request.layer.empty()) return layers;
    if (!layers.keep_only(request.layer))
        return fail(
            fmt::format("no unique layer is called '{}'", request.layer), request.model, {},
            "the table without --layer names them: a layer that is there several times by its first op");
    return layers;
}

Result<query::NetworkMapping> map_layers(const MapRequest& request, query::NetworkLayers layers,
                                         const std::vector<AttributeChange>& changes) {
    std::vector<query::Accelerator> accelerators;
    for (const query::NetworkLayer& layer : layers.layers) {
        OPSIGHT_ASSIGN(importer::timeloop::Specification given,
                       importer::timeloop::read_accelerator(request.files, request.arch, changes,
                                                            layer.problem, request.values));
        accelerators.push_back({std::move(given.architecture), std::move(given.constraints)});
    }
    const query::LayersDone done = [&](size_t finished, size_t of) {
        if (request.shown)
            fmt::print(stderr, "\r\033[Kopsight: {} of {} layers (Ctrl-C: keep those)", finished, of);
    };
    query::NetworkMapping network =
        query::map_network(std::move(layers), accelerators, request.settings, done);
    if (request.shown) fmt::print(stderr, "\r\033[K");
    return network;
}

// "64k" is 65536, "1M" 1048576.
Result<double> value_of(const std::string& text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, bad] = std::from_chars(text.data(), end, value);
    const std::string_view rest(stop, static_cast<size_t>(end - stop));
    const double times = rest == "k" || rest == "K" ? 1024 : rest == "M" ? 1024 * 1024 : 1;
    if (bad != std::errc() || (times == 1 && !rest.empty()))
        return fail(usage(fmt::format("'{}' is not a value for a sweep", text), "use 65536 or 64k"));
    return value * times;
}

Result<query::SweepAxis> axis_of(const std::string& text) {
    const size_t equals = text.find('='), dot = text.rfind('.', equals);
    if (equals == std::string::npos || dot == std::string::npos || dot == 0 || dot + 1 == equals)
        return fail(usage(fmt::format("'{}' is not a sweep", text),
                          "use LEVEL.ATTRIBUTE=VALUE,VALUE, as in GlobalBuffer.depth=64k,128k"));
    query::SweepAxis axis{text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), {}};
    OPSIGHT_ASSIGN(const std::vector<std::string> words, list_items(text.substr(equals + 1), "--sweep"));
    for (const std::string& word : words) {
        OPSIGHT_ASSIGN(const double value, value_of(word));
        axis.values.push_back(value);
    }
    return axis;
}

}  // namespace

bool is_timeloop_file(const std::string& path) {
    return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".txt");
}

Status map_model(const MapRequest& request) {
    OPSIGHT_ASSIGN(query::NetworkLayers layers, read_layers(request));
    OPSIGHT_ASSIGN(const query::NetworkMapping network, map_layers(request, std::move(layers), {}));
    if (!request.roofline.empty())
        OPSIGHT_TRY(write_file(request.roofline, request.force, report::render_network_roofline(network)));
    if (request.format == "yaml") return print_text(report::render_network_yaml(network));
    OPSIGHT_ASSIGN(const report::Format format, report::parse_format(request.format));
    if (format == report::Format::kJson) return print_text(report::render_network_json(network));
    if (format == report::Format::kCsv)
        return print_text(report::render_csv(query::network_layer_table(network)));
    return print_text(report::render_network_text(network, report::terminal_width(report::kWidthWhenPiped)));
}

Status sweep(const MapRequest& request) {
    std::vector<query::SweepAxis> axes;
    for (const std::string& text : request.sweeps) {
        OPSIGHT_ASSIGN(query::SweepAxis axis, axis_of(text));
        axes.push_back(std::move(axis));
    }
    OPSIGHT_ASSIGN(const report::Format format, report::parse_format(request.format));
    query::NetworkLayers layers;
    if (!request.model.empty()) {
        OPSIGHT_ASSIGN(layers, read_layers(request));
    }
    const auto look = [&](const std::vector<query::SweepValue>& values) -> Result<query::NetworkMapping> {
        std::vector<AttributeChange> changes;
        for (const query::SweepValue& each : values)
            changes.push_back({each.part, each.attribute, fmt::format("{}", each.value)});
        if (!request.model.empty()) return map_layers(request, layers, changes);
        OPSIGHT_ASSIGN(
            importer::timeloop::Specification given,
            importer::timeloop::read_changed(request.files, request.arch, changes, request.values));
        query::NetworkLayers one;
        one.name = given.problem.name;
        one.layers.push_back({given.problem.name, "problem", {}, given.problem, 1});
        return query::map_network(std::move(one), {{given.architecture, given.constraints}}, request.settings,
                                  {});
    };
    OPSIGHT_ASSIGN(const query::ResultTable table, query::sweep_table(axes, request.settings, look));
    if (format == report::Format::kCsv) return print_text(report::render_csv(table));
    if (format == report::Format::kJson) return print_text(report::render_json_rows(table));
    return print_text(report::render_table(table, report::terminal_width(report::kWidthWhenPiped)));
}

}  // namespace opsight::cli
