#include "fleet/clickhouse/clickhouse_dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "fleet/store/schema.h"

namespace opsight::fleet::clickhouse {
namespace {

std::string text_literal(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\0') {
            out += "\\0";
            continue;
        }
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

bool is_space(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

struct Named {
    size_t begin = 0, end = 0;
    std::string_view name;
};

// The next {{NAME}} from a place on; words with arguments are not of them.
std::optional<Named> next_named(std::string_view text, size_t from) {
    for (size_t open = text.find("{{", from); open != std::string_view::npos;
         open = text.find("{{", open + 2)) {
        const size_t close = text.find("}}", open);
        if (close == std::string_view::npos) return std::nullopt;
        std::string_view name = text.substr(open + 2, close - open - 2);
        while (!name.empty() && is_space(name.front()))
            name.remove_prefix(1);
        while (!name.empty() && is_space(name.back()))
            name.remove_suffix(1);
        if (!name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
                return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
            }))
            return Named{open, close + 2, name};
    }
    return std::nullopt;
}

bool follows_from(std::string_view before) {
    while (!before.empty() && is_space(before.back()))
        before.remove_suffix(1);
    constexpr std::string_view kFrom = "FROM";
    return before.size() >= kFrom.size() && before.substr(before.size() - kFrom.size()) == kFrom;
}

bool is_join(std::string_view name) {
    return name == "join" || name == "left_join";
}

// Where the USING (...) of a join ends that begins at `at`; npos where there is none.
size_t end_of_using(std::string_view text, size_t at) {
    int depth = 0;
    constexpr std::string_view kUsing = "USING";
    for (; at < text.size() && depth >= 0; ++at) {
        depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
        if (depth == 0 && text.substr(at, kUsing.size()) == kUsing) {
            const size_t close = text.find(')', at);
            return close == std::string_view::npos ? close : close + 1;
        }
    }
    return std::string_view::npos;
}

}  // namespace

std::string ClickHouseDialect::literal(const duck::Cell& value) const {
    if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
    if (const int64_t* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
    if (const double* real = std::get_if<double>(&value)) return fmt::format("toFloat64('{}')", *real);
    const auto* text = std::get_if<std::string>(&value);
    return text ? text_literal(*text) : "NULL";
}

std::string ClickHouseDialect::relation(std::string_view table) const {
    return "(" + relations_(table).whole + ")";
}

std::string ClickHouseDialect::word(std::string_view name, const std::vector<std::string>& arguments) const {
    // GLOBAL: the right side is worked out once, of the rows of all nodes, and sent to each.
    if (name == "join") return "GLOBAL ALL INNER JOIN";
    if (name == "left_join") return "GLOBAL ALL LEFT JOIN";
    if (name == "median") return fmt::format("quantileExact(0.5)({})", arguments.at(0));
    if (name == "quantile") return fmt::format("quantileExact({})({})", arguments.at(1), arguments.at(0));
    if (name == "ratio") return fmt::format("(({}) / nullIf({}, 0))", arguments.at(0), arguments.at(1));
    return fmt::format("toString({})", arguments.at(0));
}

std::set<std::string> tables_of(std::string_view question) {
    std::set<std::string> out;
    size_t at = 0;
    while (const auto named = next_named(question, at)) {
        if (find_table(named->name)) out.emplace(named->name);
        at = named->end;
    }
    return out;
}

std::string with_relations(std::string_view question, const Relations& relations) {
    std::string text(question);
    size_t at = 0;
    while (const auto named = next_named(text, at)) {
        at = named->end;
        if (!find_table(named->name)) continue;
        const Relation relation = relations(named->name);
        const auto next = next_named(text, named->end);
        const bool joined = next && is_join(next->name) &&
                            std::all_of(text.begin() + static_cast<std::ptrdiff_t>(named->end),
                                        text.begin() + static_cast<std::ptrdiff_t>(next->begin), is_space);
        const std::string condition = " PREWHERE " + relation.rows;
        std::string place = "(" + relation.whole + ")";
        if (follows_from(std::string_view(text).substr(0, named->begin))) {
            const size_t end = joined ? end_of_using(text, next->end) : std::string::npos;
            if (end != std::string::npos) text.insert(end, condition);
            if (end != std::string::npos || !joined) place = relation.name + (joined ? "" : condition);
        }
        const size_t begin = named->begin, length = named->end - named->begin;
        text.replace(begin, length, place);
        at = begin + place.size();
    }
    return text;
}

}  // namespace opsight::fleet::clickhouse
