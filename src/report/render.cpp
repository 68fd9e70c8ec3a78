#include "report/render.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "report/escape.h"

namespace opsight::report {
namespace {

struct CsvText {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(bool value) const { return value ? "yes" : "no"; }
    std::string operator()(const std::string& value) const { return csv_field(value); }
};

nlohmann::ordered_json json_value(const query::Cell& cell) {
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

int terminal_width(int otherwise) {
    if (const char* columns = std::getenv("COLUMNS"); columns && std::atoi(columns) > 0)
        return std::atoi(columns);
    winsize size{};
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return otherwise;
    return size.ws_col > 0 ? size.ws_col : otherwise;
}

std::string csv_heads(const query::ResultTable& table) {
    std::string out;
    for (size_t c = 0; c < table.columns.size(); ++c) {
        if (c) out += ',';
        out += csv_field(table.columns[c].header);
    }
    return out + '\n';
}

std::string csv_rows(const std::vector<std::vector<query::Cell>>& rows) {
    std::string out;
    for (const std::vector<query::Cell>& row : rows) {
        for (size_t c = 0; c < row.size(); ++c) {
            if (c) out += ',';
            out += std::visit(CsvText{}, row[c]);
        }
        out += '\n';
    }
    return out;
}

std::string render_csv(const query::ResultTable& table) {
    return csv_heads(table) + csv_rows(table.rows);
}

std::string json_row_list(const std::vector<query::Column>& columns,
                          const std::vector<std::vector<query::Cell>>& rows, bool first) {
    std::string out;
    for (const std::vector<query::Cell>& row : rows) {
        nlohmann::ordered_json object;
        for (size_t c = 0; c < columns.size(); ++c)
            object[columns[c].key] = json_value(row[c]);
        out += first ? "\n " : ",\n ";
        first = false;
        out += object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    }
    return out;
}

std::string render_json_rows(const query::ResultTable& table) {
    return "[" + json_row_list(table.columns, table.rows, true) + (table.rows.empty() ? "]" : "\n]");
}

}  // namespace opsight::report
