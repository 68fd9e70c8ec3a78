#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/nsys/stats.h"

namespace opsight::report::nsys {

enum class Layout : uint8_t { kColumn, kTable, kCsv, kTsv, kJson, kHtmlDocument, kHtmlTable };

enum class TimeUnit : uint8_t { kNs, kUs, kMs, kSeconds };
// "nsec", "usec", "msec", "seconds", the long words ("microseconds"), or the begin of one ("sec").
Result<TimeUnit> parse_time_unit(std::string_view name);

// "column:nohdr:40:0:.": a format with its arguments.
struct Format {
    Layout layout = Layout::kColumn;
    bool header = true;   // nohdr
    bool limit = true;    // nolimit: columns as wide as their longest text
    bool grouped = true;  // nofmt: numbers without commas
    bool escaped = false;
    std::vector<int> widths;   // 0 hides a column, -1 is automatic
    std::string title, style;  // of an HTML document; `style` is a link to a style sheet
    bool for_people() const { return layout == Layout::kColumn || layout == Layout::kTable; }
};
Result<Format> parse_format(std::string_view text);
std::string_view file_ending(const Format& format);  // "txt", "csv", "tsv", "json", "html"

struct FormatHelp {
    std::string_view name, arguments, doc;
};
const std::vector<FormatHelp>& format_help();

std::string header_text(const query::Column& column, TimeUnit unit);  // "Total Time (ns)"
std::string render(const query::ResultTable& table, const Format& format, TimeUnit unit);

}  // namespace opsight::report::nsys
