#include "report/render_info.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "query/ask/versions.h"
#include "report/render.h"
#include "report/render_report.h"
#include "report/units.h"

namespace opsight::report {
namespace {

using Json = nlohmann::ordered_json;

Json rows(const query::ResultTable& table) {
    return Json::parse(render_json_rows(table));
}

Json range_object(const query::Range& range) {
    const auto number = [](int64_t value) { return value < 0 ? Json() : Json(value); };
    return {{"source", range.source},           {"confidence", range.confidence},
            {"description", range.description}, {"total", range.total},
            {"selected", range.selected},       {"start", number(range.start)},
            {"stop", number(range.stop)},       {"whole", range.whole},
            {"left_out", range.left_out},       {"notes", range.notes}};
}

std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts)
        out += (out.empty() ? "" : ", ") + part;
    return out;
}

}  // namespace

std::string range_json(const query::Range& range) {
    return range_object(range).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string render_info_json(const query::Info& info) {
    Json object;
    object["producer"] = info.producer;
    object["writer"] = info.writer;
    object["frameworks"] = info.frameworks;
    object["sources"] = info.sources;
    object["ranks"] = rows(info.ranks);
    object["devices"] = rows(info.devices);
    object["range"] = {{"begin_ns", info.begin_ns},
                       {"end_ns", info.end_ns},
                       {"ns", info.end_ns - info.begin_ns},
                       {"origin_ns", info.origin_ns},
                       {"origin_is_unix", info.origin_is_unix}};
    object["iterations"] = range_object(info.iterations);
    object["counts"] = rows(info.counts).at(0);
    object["diagnostics"] = rows(info.diagnostics);
    object["unread_tables"] = rows(info.unread);
    object["properties"] = Json::object();
    for (const auto& [key, value] : info.properties)
        object["properties"][key] = value;
    return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
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
    if (!info.devices.rows.empty()) out += "\n" + render_table(info.devices, width);
    out += "\nCounts\n";
    for (size_t i = 0; i < info.counts.columns.size(); ++i)
        if (const auto* value = std::get_if<int64_t>(&info.counts.rows.at(0)[i]); value && *value > 0)
            out += fmt::format("  {:<22} {:>12}\n", info.counts.columns[i].header, *value);
    if (!info.diagnostics.rows.empty()) out += "\n" + render_diagnostics(info.diagnostics, width);
    if (!info.unread.rows.empty()) out += "\n" + render_table(info.unread, width);
    for (const std::string& note : range.notes)
        out += wrapped("note: " + note, width);
    return out;
}

}  // namespace opsight::report
