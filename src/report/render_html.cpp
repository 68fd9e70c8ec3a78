#include "report/render_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"
#include "report/html_style.h"
#include "report/units.h"

namespace opsight::report {
namespace {

// Columns that need more room than they tell are shown when asked for.
constexpr int kShownAtFirst = 5;
constexpr size_t kFits = 40;  // characters of a text that a cell shows whole

// On one line: control characters are spaces.
std::string escaped(std::string_view text) {
    std::string out = html_escaped(text);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return out;
}

bool is_number(const query::Cell& cell) {
    return std::holds_alternative<int64_t>(cell) || std::holds_alternative<double>(cell);
}

double number_of(const query::Cell& cell) {
    if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&cell)) return *real;
    return 0;
}

std::string exact(const query::Cell& cell) {
    if (const auto* whole = std::get_if<int64_t>(&cell)) return fmt::format("{}", *whole);
    if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
    return {};
}

// A value as people read it; the exact one is shown under the pointer.
std::string shown(const query::Cell& cell, const query::Column& column) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "yes" : "no";
    if (!is_number(cell)) return "";
    if (column.role == query::Role::kId) return exact(cell);
    if (column.role == query::Role::kMoment) return moment(number_of(cell));
    if (column.unit == query::Unit::kNone)
        return std::holds_alternative<int64_t>(cell) ? exact(cell) : fmt::format("{:.2f}", number_of(cell));
    return brief(column.unit, number_of(cell));
}

// Under the pointer: the whole header, and what it means.
std::string explained(const query::Column& column) {
    std::string text = escaped(column.header);
    if (!column.description.empty()) text += ": " + escaped(column.description);
    return text;
}

bool says_nothing(const query::ResultTable& table, size_t column) {
    return std::all_of(table.rows.begin(), table.rows.end(), [column](const auto& row) {
        return std::holds_alternative<std::monostate>(row[column]);
    });
}

std::string notes_html(const std::vector<std::string>& notes) {
    std::string out;
    for (const std::string& note : notes)
        out += "<p class=\"note\">" + escaped(note) + "</p>\n";
    return out;
}

std::string cell_html(const query::Cell& cell, const query::Column& column, bool more) {
    const std::string text = escaped(shown(cell, column));
    std::string classes = is_number(cell) ? "n" : "";
    if (more) classes += classes.empty() ? "more" : " more";
    std::string out = classes.empty() ? "<td" : fmt::format("<td class=\"{}\"", classes);
    if (is_number(cell))
        out += fmt::format(" data-v=\"{}\"", exact(cell));  // shown under the pointer by the script
    else if (text.size() > kFits)
        out += fmt::format(" title=\"{}\"", text);
    return out + ">" + text + "</td>";
}

// `only`: the heading above has told its title.
std::string table_html(const query::ResultTable& table, bool only) {
    std::vector<size_t> columns;
    for (size_t c = 0; c < table.columns.size(); ++c)
        if (!says_nothing(table, c)) columns.push_back(c);
    std::string out = fmt::format("<div class=\"table\"><h3{}>{}</h3>\n", only ? " class=\"only\"" : "",
                                  escaped(table.title));
    if (table.rows.empty()) return out + "<p class=\"note\">no rows</p></div>\n";
    const auto numbers = [&](size_t c) {
        return std::any_of(table.rows.begin(), table.rows.end(),
                           [c](const auto& row) { return is_number(row[c]); });
    };
    const auto more = [&](size_t c) { return table.columns[c].priority > kShownAtFirst; };
    out +=
        "<div class=\"tools\"><input type=\"search\" placeholder=\"Filter rows\" aria-label=\"Filter rows\">";
    if (std::any_of(columns.begin(), columns.end(), more))
        out += "<label><input type=\"checkbox\"> all columns</label>";
    if (table.rows_in_all > std::ssize(table.rows))
        out += fmt::format("<span>the first {} of {} rows</span>", table.rows.size(), table.rows_in_all);
    out += "</div>\n<div class=\"scroll\"><table><thead><tr>";
    for (const size_t c : columns)
        out += fmt::format(
            "<th scope=\"col\" class=\"{}{}\"><button type=\"button\" title=\"{}\">{}</button></th>",
            numbers(c) ? "n" : "", more(c) ? " more" : "", explained(table.columns[c]),
            escaped(header_without_unit(table.columns[c])));
    out += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
        out += "<tr>";
        for (const size_t c : columns)
            out += cell_html(row[c], table.columns[c], more(c));
        out += "</tr>\n";
    }
    return out + "</tbody></table></div>\n" + notes_html(table.notes) + "</div>\n";
}

// A table of one row: names and values side by side.
std::string facts_html(const query::ResultTable& table) {
    std::string out = fmt::format("<div class=\"facts\"><h3>{}</h3><dl>\n", escaped(table.title));
    if (!table.rows.empty())
        for (size_t c = 0; c < table.columns.size(); ++c) {
            const query::Cell& cell = table.rows[0][c];
            const std::string text = escaped(shown(cell, table.columns[c]));
            if (text.empty()) continue;
            out += fmt::format("<div><dt>{}</dt><dd title=\"{}\">{}</dd></div>\n",
                               escaped(header_without_unit(table.columns[c])),
                               is_number(cell) ? exact(cell) : text, text);
        }
    return out + "</dl></div>\n";
}

struct Share {
    size_t color;
    std::string name;
    double pct;
};

// The shares of the wall clock that the summary has.
std::vector<Share> shares_of(const query::ResultTable& table) {
    constexpr std::pair<const char*, const char*> kShares[] = {
        {"tensor_core_kernel_pct", "Tensor Core kernels"},
        {"non_tensor_core_kernel_pct", "kernels without Tensor Cores"},
        {"communication_pct", "communication"},
        {"memory_pct", "memory"},
        {"dataloader_pct", "data loading"},
        {"io_pct", "file I/O"},
        {"cpu_pct", "CPU"},
        {"idle_pct", "idle or not recorded"},
        {"unknown_kernel_pct", "kernels of unknown Tensor Core use"},
        {"host_pct", "Python and other host time"}};
    std::vector<Share> shares;
    for (size_t i = 0; i < std::size(kShares) && !table.rows.empty(); ++i)
        for (size_t c = 0; c < table.columns.size(); ++c)
            if (table.columns[c].key == kShares[i].first && number_of(table.rows[0][c]) > 0)
                shares.push_back({i, kShares[i].second, number_of(table.rows[0][c])});
    // Named as the heads name them: AMD's are Matrix Cores.
    const bool amd = std::any_of(table.columns.begin(), table.columns.end(),
                                 [](const query::Column& c) { return c.header.starts_with("Matrix Core"); });
    for (Share& share : shares)
        if (const size_t at = share.name.find("Tensor Core"); amd && at != share.name.npos)
            share.name.replace(at, 11, "Matrix Core");
    return shares;
}

std::string shares_html(const query::ResultTable& table) {
    std::string bar, legend;
    double at = 0;
    for (const Share& share : shares_of(table)) {
        bar += fmt::format(
            "<rect class=\"s{}\" x=\"{:.4f}\" width=\"{:.4f}\" height=\"6\"><title>{} {:.2f} "
            "%</title></rect>",
            share.color, at, share.pct, share.name, share.pct);
        legend += fmt::format("<li><span class=\"key s{}\"></span>{} {:.1f}%</li>", share.color, share.name,
                              share.pct);
        at += share.pct;
    }
    if (bar.empty()) return {};
    return "<svg class=\"shares\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" role=\"img\" "
           "aria-label=\"Shares of the wall clock\">" +
           bar + "</svg><ul class=\"legend\">" + legend + "</ul>\n";
}

std::string about_profile(const query::Info& info) {
    const query::Range& range = info.iterations;
    std::string out = fmt::format("<p>{}, {} recorded</p>", escaped(info.producer),
                                  human(query::Unit::kNs, static_cast<double>(info.end_ns - info.begin_ns)));
    if (!range.whole)
        out += fmt::format("<p>Iterations {} to {} of {} ({})</p>", range.start, range.stop, range.total,
                           escaped(range.description.empty() ? range.source : range.description));
    return out;
}

std::string head_html(const std::string& title, const std::string& about, bool advice,
                      const std::vector<query::Report>& reports) {
    std::string out = fmt::format("<header><h1>{}</h1>{}<nav>{}", escaped(title), about,
                                  advice ? "<a href=\"#advice\">Where to look first</a>" : "");
    for (const query::Report& report : reports)
        out += fmt::format("<a href=\"#{}\">{}</a>", report.name, escaped(report.title));
    return out + "</nav></header>\n";
}

std::string page_html(const std::string& title, const std::string& about, const std::string& writer,
                      const std::vector<query::Report>& reports, const std::string& first, bool advice) {
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        "<meta name=\"color-scheme\" content=\"light dark\">"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; script-src 'unsafe-inline'\">";
    out += fmt::format("<title>{}</title>\n<style>{}</style></head>\n<body>\n", escaped(title), kHtmlStyle);
    out += head_html(title, about, advice, reports) + "<main>\n" + first;
    for (const query::Report& report : reports) {
        out += fmt::format("<section id=\"{}\"><h2>{}</h2>\n", report.name, escaped(report.title));
        for (const query::Section& section : report.sections) {
            if (section.unnamed) out += shares_html(section.table);
            out += section.single ? facts_html(section.table)
                                  : table_html(section.table, report.sections.size() == 1);
        }
        out += notes_html(report.notes) + "</section>\n";
    }
    return out + fmt::format(
                     "</main>\n<footer>Made by {}. All numbers are defined in its docs/metrics.md.</footer>\n"
                     "<script>{}</script>\n</body></html>\n",
                     escaped(writer), kHtmlScript);
}

}  // namespace

std::string render_html(const std::string& title, const std::string& writer,
                        const std::vector<query::Report>& reports, const std::string& picture) {
    const std::string first = picture.empty() ? "" : "<section>" + picture + "</section>\n";
    return page_html(title, {}, writer, reports, first, false);
}

std::string render_html(const std::string& title, const query::Info& info,
                        const std::vector<query::Report>& reports, const std::string& first) {
    return page_html(title, about_profile(info), info.writer, reports, first, !first.empty());
}

}  // namespace opsight::report
