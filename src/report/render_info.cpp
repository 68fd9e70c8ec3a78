#include "report/render_info.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/terminal_text.h"
#include "query/ask/versions.h"
#include "report/json_parts.h"
#include "report/render.h"
#include "report/render_report.h"
#include "report/units.h"

namespace opsight::report {
namespace {

std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts)
        out += (out.empty() ? "" : ", ") + part;
    return out;
}

using Properties = std::vector<std::pair<std::string, std::string>>;

// Where several files tell a property, the value of the last at the place of the first: keys are there once.
Properties last_of_each(const Properties& all) {
    Properties once;
    for (const auto& property : all) {
        const auto found = std::find_if(once.begin(), once.end(),
                                        [&](const auto& each) { return each.first == property.first; });
        if (found == once.end())
            once.push_back(property);
        else
            found->second = property.second;
    }
    return once;
}

}  // namespace

std::string render_info_json(const query::Info& info) {
    JsonWriter json(2);
    json.object([&] {
        json.field("producer", info.producer).field("writer", info.writer);
        json.field("frameworks", info.frameworks).field("sources", info.sources);
        put_rows(json.key("ranks"), info.ranks);
        if (!info.clocks.columns.empty()) put_rows(json.key("clocks"), info.clocks);
        put_rows(json.key("devices"), info.devices);
        json.object("range", [&] {
            json.field("begin_ns", info.begin_ns).field("end_ns", info.end_ns);
            json.field("ns", info.end_ns - info.begin_ns).field("origin_ns", info.origin_ns);
            json.field("origin_is_unix", info.origin_is_unix);
        });
        put_range(json.key("iterations"), info.iterations);
        json.object("words", [&] {
            json.field("device", info.words.device).field("matrix_unit", info.words.matrix_unit);
            json.field("api", info.words.api);
        });
        json.object("counts", [&] { put_fields(json, info.counts.columns, info.counts.rows.at(0)); });
        put_rows(json.key("diagnostics"), info.diagnostics);
        put_rows(json.key("unread_tables"), info.unread);
        json.object("properties", [&] {
            for (const auto& [key, value] : last_of_each(info.properties))
                json.field(key, value);
        });
    });
    return json.take() + "\n";
}

std::string render_info(const query::Info& info, int width) {
    std::string out = fmt::format("Producer    {}\nFrameworks  {}\nWritten by  {}\nDuration    {}\n",
                                  info.producer, joined(info.frameworks), info.writer,
                                  human(query::Unit::kNs, static_cast<double>(info.end_ns - info.begin_ns)));
    const query::Range& range = info.iterations;
    if (range.total == 0)
        out += "Iterations  none found\n";
    else if (range.whole)
        out += fmt::format("Iterations  {} by {}{}; the whole run is the default range\n", range.total,
                           range.source, range.description.empty() ? "" : " (" + range.description + ")");
    else
        out += fmt::format("Iterations  {} by {}{}; {} to {} are the default range\n", range.total,
                           range.source, range.description.empty() ? "" : " (" + range.description + ")",
                           range.start, range.stop);
    for (const auto& [key, value] : info.properties)
        out +=
            fmt::format("{}  {}\n", key, query::is_version_number(key) ? query::version_text(value) : value);
    out += "\n" + render_table(info.ranks, width);
    if (!info.clocks.rows.empty()) out += "\n" + render_table(info.clocks, width);
    if (!info.devices.rows.empty()) out += "\n" + render_table(info.devices, width);
    out += "\nCounts\n";
    for (size_t i = 0; i < info.counts.columns.size(); ++i)
        if (const auto* value = std::get_if<int64_t>(&info.counts.rows.at(0)[i]); value && *value > 0)
            out += fmt::format("  {:<22} {:>12}\n", info.counts.columns[i].header, *value);
    if (!info.diagnostics.rows.empty()) out += "\n" + render_diagnostics(info.diagnostics, width);
    if (!info.unread.rows.empty()) out += "\n" + render_table(info.unread, width);
    for (const std::string& note : range.notes)
        out += wrapped("note: " + note, width);
    return terminal_text(out);
}

}  // namespace opsight::report
