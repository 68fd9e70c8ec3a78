#include "query/ask/lean_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include "base/sql.h"
#include "db/schema.h"

namespace opsight::query {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Words and single signs; what is quoted is one sign.
std::vector<std::string_view> tokens_of(std::string_view sql) {
    std::vector<std::string_view> tokens;
    for (size_t at = 0; at < sql.size();) {
        size_t end = std::min(duck::past_quoted(sql, at), sql.size());
        if (end == at) end = at + 1;
        if (is_word(sql[at]))
            while (end < sql.size() && is_word(sql[end]))
                ++end;
        if (!std::isspace(static_cast<unsigned char>(sql[at]))) tokens.push_back(sql.substr(at, end - at));
        at = end;
    }
    return tokens;
}

bool is_view(std::string_view name) {
    const auto& all = db::views();
    return std::any_of(all.begin(), all.end(), [&](const db::View& view) { return view.name == name; });
}

// "(FROM ops", or a star that is not count's and multiplies nothing.
bool takes_all(const std::vector<std::string_view>& tokens) {
    for (size_t i = 1; i + 1 < tokens.size(); ++i) {
        const std::string_view before = tokens[i - 1];
        if (tokens[i] == "FROM" && before == "(" && is_view(tokens[i + 1])) return true;
        if (tokens[i] == "*" && (before == "SELECT" || before == "," || before == ".")) return true;
    }
    return false;
}

struct Joined {
    std::string_view text, alias;
    bool optional = false;  // a LEFT JOIN: without its columns it changes nothing, for it is by an id
};

std::vector<Joined> joins_of(std::string_view source) {
    constexpr std::string_view kLeft = " LEFT JOIN ", kJoin = " JOIN ", kOn = " ON ";
    std::vector<Joined> joins;
    for (size_t at = 0; at < source.size();) {
        const size_t end =
            std::min({source.find(kLeft, at + 1), source.find(kJoin, at + kLeft.size()), source.size()});
        const std::string_view text = source.substr(at, end - at);
        const std::string_view named = text.substr(0, text.find(kOn));
        joins.push_back({text, named.substr(named.find_last_of(' ') + 1), text.starts_with(kLeft)});
        at = end;
    }
    return joins;
}

bool names(std::string_view text, std::string_view alias) {
    for (size_t at = text.find(alias); at != text.npos; at = text.find(alias, at + 1))
        if (text.substr(at + alias.size()).starts_with('.') && (at == 0 || !is_word(text[at - 1])))
            return true;
    return false;
}

// Empty where every join is needed.
std::string lean(const db::View& view, const std::set<std::string_view>& words) {
    std::string columns, needed;
    for (const db::Column& column : view.columns) {
        if (!words.contains(column.name)) continue;
        const std::string made = column.expression.empty() ? std::string(column.name) : column.expression;
        columns += fmt::format("{}CAST({} AS {}) AS {}", columns.empty() ? "" : ", ", made,
                               duck::type_name(column.type), column.name);
        needed += made + " ";
    }
    std::string source;
    bool spared = false;
    const std::vector<Joined> joins = joins_of(view.source);
    for (auto join = joins.rbegin(); join != joins.rend(); ++join) {
        if (join->optional && !names(needed, join->alias)) {
            spared = true;
            continue;
        }
        source.insert(0, join->text);
        needed += join->text;
    }
    if (!spared || columns.empty()) return {};
    return fmt::format("{} AS NOT MATERIALIZED (SELECT {} FROM {})", view.name, columns, source);
}

}  // namespace

std::string with_lean_views(const std::string& statement) {
    constexpr std::string_view kWith = "WITH ";
    const std::vector<std::string_view> tokens = tokens_of(statement);
    if (tokens.empty() || takes_all(tokens) || (tokens[0] != "SELECT" && tokens[0] != "WITH"))
        return statement;
    const std::set<std::string_view> words(tokens.begin(), tokens.end());
    std::string views;
    for (const db::View& view : db::views()) {
        bool read = false;
        for (size_t i = 1; i < tokens.size(); ++i)
            read |= tokens[i] == view.name && (tokens[i - 1] == "FROM" || tokens[i - 1] == "JOIN");
        const std::string made = read ? lean(view, words) : std::string();
        if (!made.empty()) views += (views.empty() ? "" : ", ") + made;
    }
    if (views.empty()) return statement;
    if (tokens[0] != "WITH") return fmt::format("WITH {} {}", views, statement);
    return fmt::format("WITH {}, {}", views, statement.substr(statement.find(kWith) + kWith.size()));
}

}  // namespace opsight::query
