// The terminal form of a ResultTable.
#include <fmt/format.h>

#include <algorithm>

#include "base/shorten_apart.h"
#include "base/terminal_text.h"
#include "report/render.h"
#include "report/units.h"

namespace opsight::report {
namespace {

constexpr size_t kGap = 2;             // blanks between columns
constexpr size_t kNarrowestText = 18;  // texts are not shortened below this
constexpr size_t kNarrowestName = 40;  // nor names, which tell the rows apart, below this

bool starts_code_point(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// Code points, which is the width of everything but wide and combining characters.
size_t display_width(std::string_view text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

// Byte offset of code point number `index`.
size_t offset_of(std::string_view text, size_t index) {
    size_t at = 0;
    while (at < text.size() && index > 0) {
        ++at;
        while (at < text.size() && !starts_code_point(text[at]))
            ++at;
        --index;
    }
    return at;
}

}  // namespace

std::string shorten(const std::string& text, size_t width) {
    const size_t length = display_width(text);
    if (length <= width) return text;
    const size_t tail = (width - 2) / 2, head = width - 2 - tail;
    return text.substr(0, offset_of(text, head)) + ".." + text.substr(offset_of(text, length - tail));
}

namespace {

// Of texts that would look the same when shortened, the first difference stays in sight: "head..part that
// differs..".
std::string shorten_around(const std::string& text, size_t width, size_t difference) {
    const size_t length = display_width(text);
    if (length <= width) return text;
    constexpr size_t kLead = 3;  // before the difference
    const size_t head = width / 3, room = width - head - 4;
    if (difference < head + kLead + 2) return text.substr(0, offset_of(text, width - 2)) + "..";
    const size_t from = std::min(difference - kLead, length - room - 2);
    const bool to_the_end = from + room + 2 >= length;
    return text.substr(0, offset_of(text, head)) + ".." +
           (to_the_end
                ? text.substr(offset_of(text, from))
                : text.substr(offset_of(text, from), offset_of(text, from + room) - offset_of(text, from)) +
                      "..");
}

// The texts of a column in `width`. Those that shortening makes equal are told apart.
std::vector<std::string> shortened(const std::vector<std::string>& cells, size_t width) {
    constexpr size_t kRoomToTell = 16;
    const auto alone = [width](const std::string& text) { return shorten(text, width); };
    return shorten_apart(cells, alone, [&](const std::string& text, size_t place) {
        return width < kRoomToTell ? alone(text)
                                   : shorten_around(text, width, display_width(text.substr(0, place)));
    });
}

// In one line of a terminal.
std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return terminal_text(text);
}

double number_of(const query::Cell& cell) {
    if (const auto* integer = std::get_if<int64_t>(&cell)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&cell)) return *real;
    return 0;
}

std::string cell_text(const query::Cell& cell, const query::Column& column) {
    if (std::holds_alternative<std::monostate>(cell)) return "-";
    if (const auto* text = std::get_if<std::string>(&cell)) return printable(*text);
    if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "yes" : "no";
    const bool whole = std::holds_alternative<int64_t>(cell);
    if (column.unit == query::Unit::kNone)
        return whole ? fmt::format("{}", std::get<int64_t>(cell)) : fmt::format("{:.2f}", number_of(cell));
    // The sign of percent stands in the header.
    if (column.unit == query::Unit::kPercent) return percent_digits(number_of(cell));
    return human(column.unit, number_of(cell));
}

struct TextColumn {
    std::string header;
    std::vector<std::string> cells;
    bool is_text = false, is_name = false;
    int priority = 0;
    size_t width = 0, cells_width = 0;
};

TextColumn text_column(const query::ResultTable& table, size_t index) {
    const query::Column& column = table.columns[index];
    TextColumn out;
    for (const auto& row : table.rows)
        out.is_text |= std::holds_alternative<std::string>(row[index]);
    out.header = column.unit == query::Unit::kPercent ? column.header : header_without_unit(column);
    out.priority = column.priority;
    out.is_name = column.key.ends_with("name");
    out.width = display_width(out.header);
    for (const auto& row : table.rows) {
        out.cells.push_back(cell_text(row[index], column));
        out.cells_width = std::max(out.cells_width, display_width(out.cells.back()));
    }
    out.width = std::max(out.width, out.cells_width);
    return out;
}

size_t line_width(const std::vector<TextColumn>& columns) {
    size_t width = columns.empty() ? 0 : kGap * (columns.size() - 1);
    for (const TextColumn& column : columns)
        width += column.width;
    return width;
}

size_t narrowest(const TextColumn& column) {
    if (!column.is_text) return column.width;
    const size_t least = column.is_name ? kNarrowestName : kNarrowestText;
    return std::min(column.width, std::max(least, display_width(column.header)));
}

size_t head_width(const TextColumn& column) {
    return column.is_text ? std::min(column.width, display_width(column.header)) : column.width;
}

// Where even the heads do not fit. A number is never shortened.
size_t least_width(const TextColumn& column) {
    constexpr size_t kLeast = 8;
    return std::min(column.width, column.is_text ? kLeast : std::max(kLeast, column.cells_width));
}

size_t narrowest_width(const std::vector<TextColumn>& columns) {
    size_t width = columns.empty() ? 0 : kGap * (columns.size() - 1);
    for (const TextColumn& column : columns)
        width += narrowest(column);
    return width;
}

// Shortens the widest texts by up to what is over `limit`, names only when nothing else is left to shorten.
void narrow_texts(std::vector<TextColumn>& columns, size_t limit, size_t (*least)(const TextColumn&)) {
    while (line_width(columns) > limit) {
        TextColumn* widest = nullptr;
        for (TextColumn& column : columns) {
            if (column.width <= least(column)) continue;
            const bool sooner = widest && column.is_name != widest->is_name
                                    ? widest->is_name
                                    : !widest || column.width > widest->width;
            if (sooner) widest = &column;
        }
        if (!widest) return;
        --widest->width;
    }
}

// Takes out the columns that may go, last and least needed first, until the rest fits; returns how many went.
size_t drop_columns(std::vector<TextColumn>& columns, size_t limit) {
    size_t dropped = 0;
    while (narrowest_width(columns) > limit) {
        auto least = std::max_element(columns.rbegin(), columns.rend(),
                                      [](const auto& a, const auto& b) { return a.priority < b.priority; });
        if (least == columns.rend() || least->priority == 0) break;
        columns.erase(std::next(least).base());
        ++dropped;
    }
    return dropped;
}

void append_line(std::string& out, const std::vector<TextColumn>& columns, int64_t row) {
    std::string line;
    for (size_t c = 0; c < columns.size(); ++c) {
        const TextColumn& column = columns[c];
        const std::string text =
            row < 0 ? shorten(column.header, column.width) : column.cells[static_cast<size_t>(row)];
        const std::string padding(column.width - std::min(column.width, display_width(text)), ' ');
        if (c) line += std::string(kGap, ' ');
        line += column.is_text ? text + padding : padding + text;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
}

}  // namespace

std::string wrapped(const std::string& text, int wanted) {
    constexpr std::string_view kIndent = "    ";
    constexpr int kNarrowest = 8;
    const int width = wanted > 0 ? std::max(wanted, kNarrowest) : wanted;
    std::string out;
    std::string_view rest = text, indent;
    for (;;) {
        // Only a line is looked at, however long the rest: names of files may have megabytes.
        const size_t room =
            width > 0 ? offset_of(rest, static_cast<size_t>(width) - indent.size()) : rest.size();
        if (room == rest.size()) return out.append(indent).append(rest) + '\n';
        size_t end = rest.rfind(' ', room);
        const bool breaks = end != std::string_view::npos && end > 0;
        if (!breaks) end = std::max<size_t>(room, 1);
        out.append(indent).append(rest.substr(0, end)) += '\n';
        rest.remove_prefix(end + (breaks ? 1 : 0));
        indent = kIndent;
    }
}

std::string render_table(const query::ResultTable& table, int width) {
    std::vector<TextColumn> columns;
    for (size_t c = 0; c < table.columns.size(); ++c)
        columns.push_back(text_column(table, c));
    // The first text tells the rows apart, whatever it is called.
    const auto first =
        std::find_if(columns.begin(), columns.end(), [](const TextColumn& c) { return c.is_text; });
    if (first != columns.end()) first->is_name = true;
    size_t dropped = 0;
    if (width > 0) {
        dropped = drop_columns(columns, static_cast<size_t>(width));
        narrow_texts(columns, static_cast<size_t>(width), narrowest);
        narrow_texts(columns, static_cast<size_t>(width), head_width);  // where no column may go any more
        narrow_texts(columns, static_cast<size_t>(width), least_width);
        for (TextColumn& column : columns)
            column.cells = shortened(column.cells, column.width);
    }
    std::string out = table.title + '\n';
    append_line(out, columns, -1);
    out += std::string(line_width(columns), '-') + '\n';
    for (size_t r = 0; r < table.rows.size(); ++r)
        append_line(out, columns, static_cast<int64_t>(r));
    if (table.rows.empty()) out += "(no rows)\n";
    if (table.rows_in_all > static_cast<int64_t>(table.rows.size()))
        out += fmt::format("{} of {} rows; --limit 0 shows all\n", table.rows.size(), table.rows_in_all);
    if (dropped) out += fmt::format("{} columns do not fit; --format csv or json has them all\n", dropped);
    for (const std::string& note : table.notes)
        out += wrapped("note: " + note, width);
    return out;
}

}  // namespace opsight::report
