#include "report/render_soc.h"

#include "report/json_parts.h"
#include "report/render.h"

namespace opsight::report {

std::string render_soc_text(const query::SocMapping& soc, int width) {
    std::string text = render_table(query::soc_total_table(soc), width);
    text += "\n" + render_table(query::soc_layer_table(soc), width);
    const query::ResultTable unmapped = query::soc_unmapped_table(soc);
    if (!unmapped.rows.empty()) text += "\n" + render_table(unmapped, width);
    for (const std::string& note : soc.notes)
        text += wrapped(note + "\n", width);
    return text + "The built-in table of energies is a scale, not a technology.\n";
}

std::string render_soc_json(const query::SocMapping& soc) {
    JsonWriter json(2);
    json.object([&] {
        json.field("network", soc.network).field("soc", soc.machine.name);
        json.field("objective", name_of(soc.objective)).field("exact", soc.assignment.exact);
        json.field("host", soc.machine.engines[soc.machine.host].name);
        json.list("engines", [&] {
            for (const query::EngineOfSoc& engine : soc.machine.engines)
                json.object([&] {
                    json.field("name", engine.name).field("clock_hz", engine.clock_hz);
                    json.field("architecture", engine.mapping.architecture.name);
                });
        });
        put_rows(json.key("totals"), query::soc_total_table(soc));
        put_rows(json.key("layers"), query::soc_layer_table(soc));
        put_rows(json.key("unmapped"), query::soc_unmapped_table(soc));
        json.field("notes", soc.notes);
    });
    return json.take() + "\n";
}

}  // namespace opsight::report
