#include "fleet/clickhouse/free_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "fleet/store/schema.h"

namespace opsight::fleet::clickhouse {
namespace {

constexpr int kDeepest = 64;  // more than people nest SELECTs and calls

struct Token {
    size_t begin = 0, end = 0;
    std::string word;  // small letters; of a mark: itself
    bool is_word = false;
};

bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

auto refused(const std::string& what) {
    return fail(Error{"the statement " + what,
                      {},
                      {},
                      "'opsight fleet schema' lists the tables; they are read by SELECTs alone",
                      2});
}

// Where a text in quotes or a comment ends that begins at `at`; `at` itself: there is none; npos: it does not
// end.
size_t end_of_quoted(const std::string& sql, size_t at) {
    const char c = sql[at];
    if (c == '\'' || c == '"' || c == '`') {
        for (size_t end = at + 1; end < sql.size(); ++end) {
            if (sql[end] == '\\')
                ++end;
            else if (sql[end] == c)
                return end + 1;
        }
        return std::string::npos;
    }
    if (sql.compare(at, 2, "--") == 0) return std::min(sql.find('\n', at), sql.size());
    if (sql.compare(at, 2, "/*") == 0) {
        const size_t end = sql.find("*/", at + 2);
        return end == std::string::npos ? end : end + 2;
    }
    return at;
}

Result<std::vector<Token>> tokens_of(const std::string& sql) {
    std::vector<Token> out;
    int depth = 0;
    for (size_t at = 0; at < sql.size();) {
        const size_t end = end_of_quoted(sql, at);
        if (end == std::string::npos) return refused("has a text or a comment without an end");
        if (end > at) {
            const bool comment = sql[at] == '-' || sql[at] == '/';
            if (!comment) out.push_back({at, end, std::string(1, sql[at]), false});
            at = end;
            continue;
        }
        const size_t begin = at;
        if (in_word(sql[at])) {
            while (at < sql.size() && in_word(sql[at]))
                ++at;
            std::string word = sql.substr(begin, at - begin);
            std::transform(word.begin(), word.end(), word.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            out.push_back({begin, at, std::move(word), true});
            continue;
        }
        ++at;
        if (std::isspace(static_cast<unsigned char>(sql[begin]))) continue;
        // Later releases begin comments and texts with them, so what is a word here could be none there.
        if (sql[begin] == '#' || sql[begin] == '$' || static_cast<unsigned char>(sql[begin]) >= 0x80)
            return refused(fmt::format("has {} outside of quotes", sql[begin] == '#' ? "a #"
                                                                   : sql[begin] == '$'
                                                                       ? "a $"
                                                                       : "a letter beyond ASCII"));
        depth += sql[begin] == '(' ? 1 : sql[begin] == ')' ? -1 : 0;
        if (depth < 0) return refused("closes a parenthesis that it has not opened");
        if (depth > kDeepest)
            return refused(fmt::format("has more than {} parentheses in each other", kDeepest));
        if (sql[begin] == ';' || sql[begin] == '{') return refused(fmt::format("has a {}", sql[begin]));
        out.push_back({begin, at, std::string(1, sql[begin]), false});
    }
    if (depth != 0) return refused("does not close its parentheses");
    return out;
}

bool among(const std::vector<std::string_view>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool reaches_out(const std::string& function) {
    static const std::vector<std::string_view> kBegins = {"dict",   "joinget",  "file",          "url",
                                                          "remote", "catboost", "modelevaluate", "s3",
                                                          "jdbc",   "odbc",     "mysql",         "sleep"};
    return std::any_of(kBegins.begin(), kBegins.end(),
                       [&](std::string_view begin) { return function.compare(0, begin.size(), begin) == 0; });
}

// IN and its forms as functions: notIn(), globalNotIn(), nullIn().
bool is_in(const std::string& word) {
    static const std::vector<std::string_view> kForms = {
        "in", "notin", "globalin", "nullin", "notnullin", "globalnullin", "globalnotin", "globalnotnullin"};
    return among(kForms, word);
}

// Where the parenthesis closes that opens at `open`; they are balanced.
size_t closing(const std::vector<Token>& tokens, size_t open) {
    int depth = 0;
    for (size_t at = open; at < tokens.size(); ++at) {
        depth += tokens[at].word == "(" ? 1 : tokens[at].word == ")" ? -1 : 0;
        if (depth == 0) return at;
    }
    return tokens.size();
}

// Whether tables follow each other with commas in the FROM at `at`. Columns of a USING may.
bool has_comma_join(const std::vector<Token>& tokens, size_t at) {
    static const std::vector<std::string_view> kEnd = {"where",  "prewhere", "group", "order",
                                                       "having", "limit",    "union", "with"};
    bool columns = false;
    for (++at; at < tokens.size(); ++at) {
        const std::string& word = tokens[at].word;
        if (word == "(") {
            at = closing(tokens, at);
            continue;
        }
        if (word == ")" || (tokens[at].is_word && among(kEnd, word))) return false;
        if (word == "using" || word == "join") columns = word == "using";
        if (word == "," && !columns) return true;
    }
    return false;
}

bool is_name(const Token& token) {
    static const std::vector<std::string_view> kValues = {"null", "true", "false"};
    if (token.is_word)
        return std::isdigit(static_cast<unsigned char>(token.word[0])) == 0 && !among(kValues, token.word);
    return token.word == "`" || token.word == "\"";
}

// Whether an item of the list in the parentheses at `open` is a name alone ("system.one"), which IN would
// read as a table.
bool has_bare_name(const std::vector<Token>& tokens, size_t open) {
    const size_t end = closing(tokens, open);
    if (tokens[open + 1].word == "select" || tokens[open + 1].word == "with") return false;
    for (size_t at = open + 1; at < end; ++at) {
        size_t next = at;
        if (tokens[at].word == "(") {
            if (has_bare_name(tokens, at)) return true;  // ((system.one))
            next = closing(tokens, at) + 1;
        } else if (is_name(tokens[at])) {
            for (next = at + 1; next + 1 < end && tokens[next].word == "." && is_name(tokens[next + 1]);)
                next += 2;
            if (next == end || tokens[next].word == ",") return true;
        }
        while (next < end && tokens[next].word != ",")
            next = tokens[next].word == "(" ? closing(tokens, next) + 1 : next + 1;
        at = next;
    }
    return false;
}

// Whether a table's name may get an alias of itself: no other one follows.
bool stands_alone(const std::vector<Token>& tokens, size_t after) {
    static const std::vector<std::string_view> kNext = {
        "where", "prewhere", "group", "order", "having",   "limit", "union", "using",
        "on",    "global",   "any",   "all",   "inner",    "left",  "right", "full",
        "cross", "join",     "asof",  "array", "settings", "sample"};
    return after >= tokens.size() || !tokens[after].is_word || among(kNext, tokens[after].word);
}

}  // namespace

Result<FreeSql> made_safe(const std::string& sql, const Relations& relations) {
    const size_t last = sql.find_last_not_of("; \t\r\n");
    const std::string text = sql.substr(0, last == std::string::npos ? 0 : last + 1);
    OPSIGHT_ASSIGN(const std::vector<Token> tokens, tokens_of(text));
    if (tokens.empty() || (tokens[0].word != "select" && tokens[0].word != "with"))
        return refused("is not a SELECT");
    FreeSql out;
    size_t copied = 0;
    const auto next = [&](size_t at) { return at + 1 < tokens.size() ? tokens[at + 1] : Token{}; };
    for (size_t at = 0; at < tokens.size(); ++at) {
        if (!tokens[at].is_word) continue;
        const std::string& word = tokens[at].word;
        if (next(at).word == "(" && reaches_out(word))
            return refused(fmt::format("calls {}, which reads what is not of the store", word));
        if (word == "in" && next(at).word != "(") return refused("has an IN without parentheses after it");
        if (is_in(word) && next(at).word == "(" && has_bare_name(tokens, at + 1))
            return refused("has a name in the parentheses of an IN, where values or a SELECT may stand");
        if (word == "from" && has_comma_join(tokens, at))
            return refused("has a comma between tables: join them");
        if (word == "into" || word == "format" || word == "settings")
            return refused(fmt::format("has {}, which is not for it to say", word));
        if (word != "from" && word != "join") continue;
        const Token table = next(at);
        if (table.word == "(") continue;
        const Token after = next(at + 1);
        if (!table.is_word || !find_table(table.word) || after.word == "." || after.word == "(")
            return refused(fmt::format("reads {}, which is not a table of the store",
                                       text.substr(table.begin, table.end - table.begin)));
        out.tables.insert(table.word);
        out.text += text.substr(copied, table.begin - copied) + "(" + relations(table.word).whole + ")";
        if (stands_alone(tokens, at + 2)) out.text += " AS " + table.word;
        copied = table.end;
    }
    out.text += text.substr(copied);
    return out;
}

}  // namespace opsight::fleet::clickhouse
