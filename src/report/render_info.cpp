#include "report/render_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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

// Kineto's messages are lists of texts, written as JSON.
std::string without_list_marks(const std::string& text) {
    const nlohmann::json list =
        text.starts_with("[") ? nlohmann::json::parse(text, nullptr, false) : nlohmann::json();
    const auto is_text = [](const nlohmann::json& each) { return each.is_string(); };
    if (!list.is_array() || list.empty() || !std::all_of(list.begin(), list.end(), is_text)) return text;
    const auto texts = list.get<std::vector<std::string>>();
    return texts.size() == 1 ? texts[0]
                             : fmt::format("{} messages: {}", texts.size(), fmt::join(texts, "; "));
}

// A line for each key: where files differ, what several of them tell. What does not fit is in the JSON.
std::string property_lines(const Properties& all, int width) {
    std::vector<std::pair<std::string, std::vector<std::string>>> lines;
    for (const auto& [key, value] : all) {
        auto line = std::find_if(lines.begin(), lines.end(),
                                 [&key = key](const auto& each) { return each.first == key; });
        if (line == lines.end()) line = lines.insert(line, {key, {}});
        std::string text =
            query::is_version_number(key) ? query::version_text(value) : without_list_marks(value);
        if (std::find(line->second.begin(), line->second.end(), text) == line->second.end())
            line->second.push_back(std::move(text));
    }
    std::string out;
    for (const auto& [key, values] : lines) {
        const std::string head = key + "  ";
        const std::string text =
            values.size() == 1 ? values[0] : fmt::format("{} values: {}", values.size(), joined(values));
        constexpr size_t kLeast = 40;
        const size_t room = std::max(static_cast<size_t>(std::max(width, 0)), head.size() + kLeast);
        out += head + (width > 0 ? shorten(text, room - head.size()) : text) + "\n";
    }
    return out;
}

// Of a profile without a span there is none.
std::string duration_text(const query::Info& info) {
    if (info.end_ns <= info.begin_ns) return "-";
    std::string text = human(query::Unit::kNs, static_cast<double>(info.end_ns - info.begin_ns));
    if (info.not_one_job)
        text += " from the first begin to the last end of recordings that are not of one job";
    return text;
}

std::string iterations_text(const query::Range& range) {
    if (range.total == 0) return "none found";
    const std::string found = fmt::format("{} by {}{}", range.total, range.source,
                                          range.description.empty() ? "" : " (" + range.description + ")");
    return range.whole ? found + "; the whole run is the default range"
                       : fmt::format("{}; {} to {} are the default range", found, range.start, range.stop);
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
            json.field("api", info.words.api).field("multiprocessor", info.words.multiprocessor);
            json.field("clock", info.words.clock);
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
    std::string out = fmt::format("Producer    {}\nFrameworks  {}\nWritten by  {}\n", info.producer,
                                  info.frameworks.empty() ? "-" : joined(info.frameworks), info.writer);
    out += wrapped("Duration    " + duration_text(info), width);
    out += wrapped("Iterations  " + iterations_text(info.iterations), width);
    out += property_lines(info.properties, width);
    out += "\n" + render_table(info.ranks, width);
    if (!info.clocks.rows.empty()) out += "\n" + render_table(info.clocks, width);
    if (!info.devices.rows.empty()) out += "\n" + render_table(info.devices, width);
    out += "\nCounts\n";
    for (size_t i = 0; i < info.counts.columns.size(); ++i)
        if (const auto* value = std::get_if<int64_t>(&info.counts.rows.at(0)[i]); value && *value > 0)
            out += fmt::format("  {:<22} {:>12}\n", info.counts.columns[i].header, *value);
    if (!info.diagnostics.rows.empty()) out += "\n" + render_diagnostics(info.diagnostics, width);
    if (!info.unread.rows.empty()) out += "\n" + render_table(info.unread, width);
    for (const std::string& note : info.iterations.notes)
        out += wrapped("note: " + note, width);
    return terminal_text(out);
}

}  // namespace opsight::report
