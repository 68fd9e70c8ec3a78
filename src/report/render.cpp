#include "report/render.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace opsight {
namespace {

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

struct CsvText {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(bool value) const { return value ? "yes" : "no"; }
    std::string operator()(const std::string& value) const { return csv_field(value); }
};

nlohmann::ordered_json json_value(const Cell& cell) {
    return std::visit(
        [](const auto& value) -> nlohmann::ordered_json {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
                return nullptr;
            else
                return value;
        },
        cell);
}

}  // namespace

Result<Format> parse_format(std::string_view name) {
    if (name == "table") return Format::kTable;
    if (name == "csv") return Format::kCsv;
    if (name == "json") return Format::kJson;
    return fail(Error{.what = fmt::format("unknown format '{}'", name),
                      .remedy = "use table, csv or json",
                      .exit_code = 2});
}

int terminal_width() {
    if (const char* columns = std::getenv("COLUMNS"); columns && std::atoi(columns) > 0)
        return std::atoi(columns);
    winsize size{};
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

std::string render_csv(const ResultTable& table) {
    std::string out;
    for (size_t c = 0; c < table.columns.size(); ++c) {
        if (c) out += ',';
        out += csv_field(table.columns[c].head);
    }
    out += '\n';
    for (const std::vector<Cell>& row : table.rows) {
        for (size_t c = 0; c < row.size(); ++c) {
            if (c) out += ',';
            out += std::visit(CsvText{}, row[c]);
        }
        out += '\n';
    }
    return out;
}

std::string render_json_rows(const ResultTable& table) {
    std::string out = "[";
    for (size_t r = 0; r < table.rows.size(); ++r) {
        nlohmann::ordered_json object;
        for (size_t c = 0; c < table.columns.size(); ++c)
            object[table.columns[c].key] = json_value(table.rows[r][c]);
        out += r ? ",\n " : "\n ";
        out += object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    }
    return out + (table.rows.empty() ? "]" : "\n]");
}

}  // namespace opsight
