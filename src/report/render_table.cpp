// The terminal form of a ResultTable.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/terminal_text.h"
#include "report/render.h"
#include "report/units.h"

namespace opsight {
namespace {

constexpr size_t kGap = 2;             // blanks between columns
constexpr size_t kNarrowestText = 18;  // texts are not shortened below this
constexpr size_t kNarrowestName = 26;  // nor names, which tell the rows apart, below this

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

// Keeps both ends: the begin tells the family of a name, the end tells instances apart.
std::string shorten(const std::string& text, size_t width) {
    const size_t length = display_width(text);
    if (length <= width) return text;
    const size_t tail = (width - 2) / 2, head = width - 2 - tail;
    return text.substr(0, offset_of(text, head)) + ".." + text.substr(offset_of(text, length - tail));
}

// In one line of a terminal.
std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return terminal_text(text);
}

double number_of(const Cell& cell) {
    if (const auto* integer = std::get_if<int64_t>(&cell)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&cell)) return *real;
    return 0;
}

std::string cell_text(const Cell& cell, const Column& column, const Scale& scale) {
    if (std::holds_alternative<std::monostate>(cell)) return "-";
    if (const auto* text = std::get_if<std::string>(&cell)) return printable(*text);
    if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "yes" : "no";
    const bool whole = std::holds_alternative<int64_t>(cell);
    if (whole && (column.unit == Unit::kNone || column.unit == Unit::kCount))
        return fmt::format("{}", std::get<int64_t>(cell));
    const int decimals = scale.decimals == 0 && !whole ? 2 : scale.decimals;
    return fmt::format("{:.{}f}", number_of(cell) / scale.divisor, decimals);
}

struct TextColumn {
    std::string head;
    std::vector<std::string> cells;
    bool is_text = false, is_name = false;
    int priority = 0;
    size_t width = 0;
};

// "Total CPU Time (ns)" -> "Total CPU Time (ms)".
std::string scaled_head(const Column& column, const Scale& scale) {
    if (column.unit != Unit::kNs && column.unit != Unit::kBytes && column.unit != Unit::kFlops)
        return column.head;
    std::string head = column.head;
    if (const size_t at = head.rfind(" ("); at != std::string::npos) head.resize(at);
    return fmt::format("{} ({})", head, scale.suffix);
}

TextColumn text_column(const ResultTable& table, size_t index) {
    const Column& column = table.columns[index];
    double largest = 0;
    TextColumn out;
    for (const auto& row : table.rows) {
        largest = std::max(largest, std::fabs(number_of(row[index])));
        out.is_text |= std::holds_alternative<std::string>(row[index]);
    }
    const Scale scale = scale_for(column.unit, largest);
    out.head = scaled_head(column, scale);
    out.priority = column.priority;
    out.is_name = column.key.ends_with("name");
    out.width = display_width(out.head);
    for (const auto& row : table.rows) {
        out.cells.push_back(cell_text(row[index], column, scale));
        out.width = std::max(out.width, display_width(out.cells.back()));
    }
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
    return std::min(column.width, std::max(least, display_width(column.head)));
}

size_t head_width(const TextColumn& column) {
    return column.is_text ? std::min(column.width, display_width(column.head)) : column.width;
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
            shorten(row < 0 ? column.head : column.cells[static_cast<size_t>(row)], column.width);
        const std::string padding(column.width - std::min(column.width, display_width(text)), ' ');
        if (c) line += std::string(kGap, ' ');
        line += column.is_text ? text + padding : padding + text;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
}

}  // namespace

std::string render_table(const ResultTable& table, int width) {
    std::vector<TextColumn> columns;
    for (size_t c = 0; c < table.columns.size(); ++c)
        columns.push_back(text_column(table, c));
    size_t dropped = 0;
    if (width > 0) {
        dropped = drop_columns(columns, static_cast<size_t>(width));
        narrow_texts(columns, static_cast<size_t>(width), narrowest);
        narrow_texts(columns, static_cast<size_t>(width), head_width);  // where no column may go any more
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
        out += "note: " + note + '\n';
    return out;
}

}  // namespace opsight
