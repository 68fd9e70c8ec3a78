// Columns for the eye, with and without lines.
#include <algorithm>

#include "base/terminal_text.h"
#include "report/stats_text.h"

namespace opsight::report::nsys {
namespace {

constexpr size_t kWidest = 100;         // characters of an automatic column
constexpr size_t kMeasuredRows = 100;   // that decide an automatic width
constexpr const char* kCut = "\u2026";  // one character, three bytes

bool starts_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

size_t characters(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

// At most `width` characters; what was cut shows.
std::string cut(const std::string& text, size_t width) {
    if (characters(text) <= width) return text;
    if (width == 0) return {};
    size_t at = 0, seen = 0;
    while (at < text.size() && (seen < width - 1 || !starts_character(text[at]))) {
        if (starts_character(text[at])) ++seen;
        ++at;
    }
    while (at < text.size() && !starts_character(text[at]))
        ++at;
    return text.substr(0, at) + kCut;
}

// In one line of a terminal.
std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return terminal_text(text);
}

enum class Align { kLeft, kRight, kCentre };

std::string placed(const std::string& text, size_t width, Align align) {
    const std::string shown = cut(printable(text), width);
    const size_t pad = width - characters(shown);
    const size_t left = align == Align::kRight ? pad : align == Align::kCentre ? pad / 2 : 0;
    return std::string(left, ' ') + shown + std::string(pad - left, ' ');
}

// 0: the column is hidden.
std::vector<size_t> widths_of(const query::ResultTable& table, const Format& format, TimeUnit unit) {
    const std::vector<std::string> headers = header_texts(table, unit);
    std::vector<size_t> widths(headers.size());
    for (size_t c = 0; c < headers.size(); ++c)
        widths[c] = characters(headers[c]);
    const size_t rows = format.limit ? std::min(table.rows.size(), kMeasuredRows) : table.rows.size();
    for (size_t r = 0; r < rows; ++r) {
        const std::vector<std::string> texts = row_texts(table, r, unit, format.grouped);
        for (size_t c = 0; c < texts.size(); ++c)
            widths[c] = std::max(widths[c], characters(texts[c]));
    }
    for (size_t c = 0; c < widths.size(); ++c) {
        const int told = c < format.widths.size() ? format.widths[c] : -1;
        if (told >= 0)
            widths[c] = static_cast<size_t>(told);
        else if (format.limit)
            widths[c] = std::min(widths[c], kWidest);
    }
    return widths;
}

struct Lines {
    std::string begin, between, end;
};

class Drawing {
  public:
    Drawing(const query::ResultTable& table, const Format& format, TimeUnit unit)
        : table_(table), widths_(widths_of(table, format, unit)), boxed_(format.layout == Layout::kTable) {}

    void row(const std::vector<std::string>& cells, bool header) {
        line(boxed_ ? Lines{"| ", " | ", " |"} : Lines{" ", "  ", ""}, [&](size_t c) {
            const Align align = header                              ? Align::kCentre
                                : query::is_text(table_.columns[c]) ? Align::kLeft
                                                                    : Align::kRight;
            return placed(cells[c], widths_[c], align);
        });
    }
    void rule() {
        line(boxed_ ? Lines{"+-", "-+-", "-+"} : Lines{" ", "  ", ""},
             [&](size_t c) { return std::string(widths_[c], '-'); });
    }
    std::string out;

  private:
    template <class Cell>
    void line(const Lines& lines, const Cell& cell) {
        out += lines.begin;
        bool first = true;
        for (size_t c = 0; c < widths_.size(); ++c) {
            if (widths_[c] == 0) continue;
            if (!first) out += lines.between;
            first = false;
            out += cell(c);
        }
        out += lines.end + '\n';
    }

    const query::ResultTable& table_;
    std::vector<size_t> widths_;
    bool boxed_;
};

}  // namespace

std::string columns_text(const query::ResultTable& table, const Format& format, TimeUnit unit) {
    Drawing drawing(table, format, unit);
    const bool boxed = format.layout == Layout::kTable;
    if (boxed) drawing.rule();
    if (format.header) {
        drawing.row(header_texts(table, unit), true);
        drawing.rule();
    }
    for (size_t r = 0; r < table.rows.size(); ++r)
        drawing.row(row_texts(table, r, unit, format.grouped), false);
    if (boxed && !table.rows.empty()) drawing.rule();
    return std::move(drawing.out);
}

}  // namespace opsight::report::nsys
