// HTML pages and tables. Names come from traces: every text is escaped.
#include "report/escape.h"
#include "report/stats_text.h"

namespace opsight::report::nsys {
namespace {

std::string table_text(const query::ResultTable& table, TimeUnit unit) {
    std::string out = "<table>\n  <tr>";
    for (const std::string& header : header_texts(table, unit))
        out += "<th>" + html_escaped(header) + "</th>";
    out += "</tr>\n";
    for (size_t r = 0; r < table.rows.size(); ++r) {
        const std::vector<std::string> row = row_texts(table, r, unit, false);
        out += "  <tr>";
        for (size_t c = 0; c < row.size(); ++c)
            out += (query::is_text(table.columns[c]) ? "<td>" : "<td align=\"right\">") +
                   html_escaped(row[c]) + "</td>";
        out += "</tr>\n";
    }
    return out + "</table>\n";
}

constexpr const char* kStyle =
    "<style>table { border-collapse: collapse; } th, td { border: 1px solid; padding: 2px 6px; }</style>";

}  // namespace

std::string html_text(const query::ResultTable& table, const Format& format, TimeUnit unit) {
    if (format.layout == Layout::kHtmlTable) return table_text(table, unit);
    std::string out = "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>" +
                      html_escaped(format.title) + "</title>\n";
    out += format.style.empty() ? std::string(kStyle) + "\n"
                                : "<link rel=\"stylesheet\" href=\"" + html_escaped(format.style) + "\">\n";
    return out + "</head>\n<body>\n" + table_text(table, unit) + "</body>\n</html>\n";
}

}  // namespace opsight::report::nsys
