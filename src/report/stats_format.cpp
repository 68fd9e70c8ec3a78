#include "report/stats_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/json_writer.h"
#include "report/csv_writer.h"
#include "report/stats_text.h"
#include "report/units.h"

namespace opsight::report::nsys {
namespace {

struct UnitFacts {
    std::string_view name, symbol;
    double divisor;
    int decimals;
};
constexpr UnitFacts kUnits[] = {
    {"nsec", "ns", 1, 0}, {"usec", "us", 1e3, 3}, {"msec", "ms", 1e6, 6}, {"seconds", "s", 1e9, 9}};

const UnitFacts& facts(TimeUnit unit) {
    return kUnits[static_cast<size_t>(unit)];
}

double as_double(const query::Cell& cell) {
    if (const auto* integer = std::get_if<int64_t>(&cell)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&cell)) return *real;
    return 0;
}

// "1234567.8" -> "1,234,567.8".
std::string with_commas(std::string text) {
    const size_t digits = text.starts_with('-') ? 1 : 0;
    size_t at = std::min(text.find('.'), text.size());
    while (at > digits + 3) {
        at -= 3;
        text.insert(at, ",");
    }
    return text;
}

// What has a fraction, such as a mean, shows that it has one.
std::string plain_text(const query::Cell& cell) {
    if (const auto* integer = std::get_if<int64_t>(&cell)) return fmt::format("{}", *integer);
    return fmt::format("{:.1f}", as_double(cell));
}

bool in_megabytes(const query::Column& column) {
    const bool bytes = column.unit == query::Unit::kBytes || column.unit == query::Unit::kBytesPerSecond;
    return bytes && column.role != query::Role::kNumber;
}

std::string number_text(const query::Cell& cell, const query::Column& column, TimeUnit unit) {
    if (in_megabytes(column)) return fmt::format("{:.3f}", as_double(cell) / 1e6);
    if (column.unit == query::Unit::kPercent) return fmt::format("{:.1f}", as_double(cell));
    if (column.unit == query::Unit::kNs && unit != TimeUnit::kNs)
        return fmt::format("{:.{}f}", as_double(cell) / facts(unit).divisor, facts(unit).decimals);
    return plain_text(cell);
}

// The number of a width argument; -1: automatic.
bool parse_width(std::string_view text, int& width) {
    width = -1;
    if (text == ".") return true;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), width);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() && width >= 0;
}

bool take_argument(std::string_view word, Format& format) {
    const Layout layout = format.layout;
    const bool html = layout == Layout::kHtmlDocument || layout == Layout::kHtmlTable;
    if (word == "nohdr" && layout != Layout::kJson && !html) return !(format.header = false);
    if (word == "esc" && layout == Layout::kTsv) return format.escaped = true;
    if (format.for_people()) {
        if (word == "nolimit") return !(format.limit = false);
        if (word == "nofmt") return !(format.grouped = false);
        int width = 0;
        if (!parse_width(word, width)) return false;
        format.widths.push_back(width);
        return true;
    }
    if (layout != Layout::kHtmlDocument) return false;
    if (word.starts_with("title=")) {
        format.title = word.substr(6);
        return true;
    }
    if (word.starts_with("css=")) {
        format.style = word.substr(4);
        return true;
    }
    return false;
}

// A tab or a line end inside a field would tear the row.
std::string tsv_field(const std::string& text, bool escaped) {
    std::string out;
    for (const char c : text) {
        const char* code = c == '\t' ? "\\t" : c == '\n' ? "\\n" : c == '\r' ? "\\r" : nullptr;
        if (escaped && c == '\\') code = "\\\\";
        if (!code)
            out += c;
        else if (escaped)
            out += code;
        else
            out += ' ';
    }
    return out;
}

template <class Field>
std::string tab_separated(const query::ResultTable& table, const Format& format, TimeUnit unit,
                          const Field& field) {
    std::string out;
    const auto line = [&](const std::vector<std::string>& cells) {
        for (size_t i = 0; i < cells.size(); ++i) {
            if (i) out += '\t';
            out += field(cells[i]);
        }
        out += '\n';
    };
    if (format.header) line(header_texts(table, unit));
    for (size_t r = 0; r < table.rows.size(); ++r)
        line(row_texts(table, r, unit, false));
    return out;
}

std::string csv(const query::ResultTable& table, const Format& format, TimeUnit unit) {
    CsvWriter csv;
    const auto line = [&](const std::vector<std::string>& cells) {
        for (const std::string& cell : cells)
            csv.field(cell);
        csv.end_row();
    };
    if (format.header) line(header_texts(table, unit));
    for (size_t r = 0; r < table.rows.size(); ++r)
        line(row_texts(table, r, unit, false));
    return csv.take();
}

// One object a row; numbers as they are written elsewhere.
std::string json(const query::ResultTable& table, TimeUnit unit) {
    const std::vector<std::string> keys = header_texts(table, unit);
    JsonWriter json;
    json.begin_list();
    for (size_t r = 0; r < table.rows.size(); ++r) {
        const std::vector<std::string> texts = row_texts(table, r, unit, false);
        json.line(2).object([&] {
            for (size_t c = 0; c < keys.size(); ++c) {
                json.key(keys[c]);
                if (std::holds_alternative<std::monostate>(table.rows[r][c]))
                    json.value(nullptr);
                else if (query::is_text(table.columns[c]))
                    json.value(texts[c]);
                else
                    json.raw(texts[c]);
            }
        });
    }
    if (!table.rows.empty()) json.line();
    json.end_list();
    return json.take() + "\n";
}

}  // namespace

// As in nsys, the begin of a word is enough where it fits one unit only.
Result<TimeUnit> parse_time_unit(std::string_view name) {
    struct Word {
        std::string_view text;
        TimeUnit unit;
    };
    constexpr Word kWords[] = {{"nsec", TimeUnit::kNs},        {"nanoseconds", TimeUnit::kNs},
                               {"usec", TimeUnit::kUs},        {"microseconds", TimeUnit::kUs},
                               {"msec", TimeUnit::kMs},        {"milliseconds", TimeUnit::kMs},
                               {"seconds", TimeUnit::kSeconds}};
    std::optional<TimeUnit> found;
    bool one = !name.empty();
    for (const Word& word : kWords) {
        if (!word.text.starts_with(name)) continue;
        one &= !found || *found == word.unit;
        found = word.unit;
    }
    if (found && one) return *found;
    return fail(Error{fmt::format("there is no time unit '{}'", name),
                      {},
                      {},
                      "use nsec, usec, msec or seconds, or nanoseconds, microseconds, milliseconds",
                      2});
}

const std::vector<FormatHelp>& format_help() {
    static const std::vector<FormatHelp> all = {
        {"column", "[:nohdr][:nolimit][:nofmt][:<width>...]",
         "Columns for the eye. Texts are cut at 100 characters; nolimit: at none; nofmt: no commas in "
         "numbers; a "
         "width of 0 hides a column, '.' leaves it automatic."},
        {"table", "[:nohdr][:nolimit][:nofmt][:<width>...]", "The same with lines around the cells."},
        {"csv", "[:nohdr]", "Comma-separated values."},
        {"tsv", "[:nohdr][:esc]",
         "Tab-separated values; esc: tabs and line ends in texts are written \\t, \\n."},
        {"json", "", "An array with an object for each row."},
        {"hdoc", "[:title=<title>][:css=<url>]", "A whole HTML page."},
        {"htable", "", "An HTML table."},
    };
    return all;
}

Result<Format> parse_format(std::string_view text) {
    Format format;
    const std::string_view name = text.substr(0, text.find(':'));
    bool known = false;
    for (size_t i = 0; i < format_help().size(); ++i)
        if (format_help()[i].name == name) {
            format.layout = static_cast<Layout>(i);
            known = true;
        }
    if (!known)
        return fail(Error{fmt::format("there is no format '{}'", name),
                          {},
                          {},
                          "use column, table, csv, tsv, json, hdoc or htable",
                          2});
    for (size_t at = name.size(); at < text.size();) {
        const size_t end = std::min(text.find(':', at + 1), text.size());
        const std::string_view word = text.substr(at + 1, end - at - 1);
        if (!take_argument(word, format))
            return fail(Error{fmt::format("format {} takes no argument '{}'", name, word),
                              {},
                              {},
                              "'opsight stats --help-formats' lists the arguments",
                              2});
        at = end;
    }
    return format;
}

std::string_view file_ending(const Format& format) {
    switch (format.layout) {
        case Layout::kColumn:
        case Layout::kTable:
            return "txt";
        case Layout::kCsv:
            return "csv";
        case Layout::kTsv:
            return "tsv";
        case Layout::kJson:
            return "json";
        case Layout::kHtmlDocument:
        case Layout::kHtmlTable:
            return "html";
    }
    return "txt";
}

// "Total Time (us)", "Size (MB)": with the unit that the values are written in.
std::string header_text(const query::Column& column, TimeUnit unit) {
    if (column.unit == query::Unit::kNs)
        return fmt::format("{} ({})", header_without_unit(column), facts(unit).symbol);
    if (!in_megabytes(column)) return column.header;
    return header_without_unit(column) + (column.unit == query::Unit::kBytes ? " (MB)" : " (MB/s)");
}

std::vector<std::string> header_texts(const query::ResultTable& table, TimeUnit unit) {
    std::vector<std::string> headers;
    for (const query::Column& column : table.columns)
        headers.push_back(header_text(column, unit));
    return headers;
}

std::vector<std::string> row_texts(const query::ResultTable& table, size_t row, TimeUnit unit, bool grouped) {
    std::vector<std::string> out;
    out.reserve(table.columns.size());
    for (size_t c = 0; c < table.columns.size(); ++c) {
        const query::Cell& cell = table.rows[row][c];
        if (std::holds_alternative<std::monostate>(cell)) {
            out.emplace_back();
        } else if (const auto* text = std::get_if<std::string>(&cell)) {
            out.push_back(*text);
        } else {
            std::string number = number_text(cell, table.columns[c], unit);
            out.push_back(grouped ? with_commas(std::move(number)) : std::move(number));
        }
    }
    return out;
}

std::string render(const query::ResultTable& table, const Format& format, TimeUnit unit) {
    switch (format.layout) {
        case Layout::kColumn:
        case Layout::kTable:
            return columns_text(table, format, unit);
        case Layout::kCsv:
            return csv(table, format, unit);
        case Layout::kTsv:
            return tab_separated(table, format, unit,
                                 [&](const std::string& text) { return tsv_field(text, format.escaped); });
        case Layout::kJson:
            return json(table, unit);
        case Layout::kHtmlDocument:
        case Layout::kHtmlTable:
            return html_text(table, format, unit);
    }
    return {};
}

}  // namespace opsight::report::nsys
