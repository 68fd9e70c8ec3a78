#include <fmt/format.h>

#include <cstdio>

#include "cli/map_network.h"
#include "cli/map_uses.h"
#include "cli/standard_output.h"
#include "import/timeloop/socs.h"
#include "query/mapping/soc.h"
#include "report/render.h"
#include "report/render_soc.h"
#include "report/write_rows.h"

namespace opsight::cli {
namespace {

// All layers on one engine.
Result<query::NetworkMapping> map_on_engine(const MapRequest& request, const query::NetworkLayers& layers,
                                            const importer::timeloop::SocEngine& engine) {
    std::vector<std::string> files;
    if (!engine.file.empty()) files.push_back(engine.file);
    std::vector<query::Accelerator> accelerators;
    for (const query::NetworkLayer& layer : layers.layers) {
        OPSIGHT_ASSIGN(
            importer::timeloop::Specification given,
            importer::timeloop::read_accelerator(files, engine.arch, {}, layer.problem, request.values));
        accelerators.push_back({std::move(given.architecture), std::move(given.constraints)});
    }
    const query::LayersDone done = [&](size_t finished, size_t of) {
        if (request.shown)
            fmt::print(stderr, "\r\033[Kopsight: {} of {} layers on {}", finished, of, engine.name);
    };
    query::NetworkMapping mapping = query::map_network(layers, accelerators, request.settings, done);
    if (request.shown) fmt::print(stderr, "\r\033[K");
    if (mapping.stopped)
        return fail("was stopped before all layers were mapped on all engines", request.model, {},
                    "a smaller --budget takes less time");
    return mapping;
}

}  // namespace

Status map_on_soc(const MapRequest& request) {
    const map::Objective objective = request.settings.objective;
    if (objective != map::Objective::kDelay && objective != map::Objective::kEnergy)
        return fail(usage(
            fmt::format("--soc makes a sum least, and {} is none of runs and transfers", name_of(objective)),
            "use --search delay or --search energy"));
    OPSIGHT_ASSIGN(const importer::timeloop::Soc soc, importer::timeloop::read_soc(request.soc));
    OPSIGHT_ASSIGN(const report::Format format, report::parse_format(request.format));
    OPSIGHT_ASSIGN(const ModelGraph graph, importer::import_model(request.model, request.sizes));
    const query::NetworkLayers layers = query::network_layers(graph);
    if (layers.layers.empty())
        return fail(
            "no op of it is a convolution or product of known shapes", request.model, {},
            "'opsight estimate' lists its ops; --dim and --shape give sizes that the file leaves open");
    query::MachineOfSoc machine{soc.name, {}, {}, soc.host};
    for (const importer::timeloop::SocLink& link : soc.links)
        machine.links.push_back({link.bytes_per_s, link.latency_s, link.pj_per_byte});
    for (const importer::timeloop::SocEngine& engine : soc.engines) {
        OPSIGHT_ASSIGN(query::NetworkMapping mapping, map_on_engine(request, layers, engine));
        machine.engines.push_back({engine.name, engine.clock_hz, std::move(mapping)});
    }
    auto mapped = query::map_soc(graph, std::move(machine), objective);
    if (!mapped) {
        Error error = mapped.error();
        error.file = request.model;
        return fail(std::move(error));
    }
    if (format == report::Format::kCsv)
        return print_text(report::render_csv(query::soc_layer_table(*mapped)));
    if (format == report::Format::kJson) return print_text(report::render_soc_json(*mapped));
    return print_text(report::render_soc_text(*mapped, report::terminal_width(report::kWidthWhenPiped)));
}

}  // namespace opsight::cli
