#include "report/csv_writer.h"

#include <fmt/format.h>

namespace opsight::report {

void CsvWriter::part() {
    if (std::exchange(begun_, true)) out_ += ',';
}

CsvWriter& CsvWriter::bare(std::string_view text) {
    part();
    out_ += text;
    return *this;
}

CsvWriter& CsvWriter::field(std::string_view text) {
    return text.find_first_of(",\"\r\n") == text.npos ? bare(text) : quoted(text);
}

CsvWriter& CsvWriter::quoted(std::string_view text) {
    part();
    out_ += '"';
    for (const char c : text) {
        if (c == '"') out_ += '"';
        out_ += c;
    }
    out_ += '"';
    return *this;
}

CsvWriter& CsvWriter::cell(const query::Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return field(*text);
    if (const auto* flag = std::get_if<bool>(&cell)) return bare(*flag ? "yes" : "no");
    part();
    if (const auto* whole = std::get_if<int64_t>(&cell)) out_ += fmt::to_string(*whole);
    if (const auto* real = std::get_if<double>(&cell)) out_ += fmt::to_string(*real);
    return *this;
}

void CsvWriter::end_row() {
    out_ += '\n';
    begun_ = false;
}

}  // namespace opsight::report
