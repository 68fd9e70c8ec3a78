#include "fleet/store/dialect.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/sql_literals.h"
#include "base/text.h"
#include "fleet/store/schema.h"

namespace opsight::fleet {
namespace {

struct Word {
    std::string_view name;
    size_t arguments = 0;
};
constexpr std::array<Word, 6> kWords = {
    {{"join", 0}, {"left_join", 0}, {"median", 1}, {"quantile", 2}, {"ratio", 2}, {"text", 1}}};

std::string_view trimmed(std::string_view text) {
    return text::trimmed(text, " \t\r\n");
}

// What stands between commas that no parentheses enclose.
std::vector<std::string> arguments_of(std::string_view text) {
    std::vector<std::string> out(1);
    int depth = 0;
    for (const char c : text) {
        if (c == ',' && depth == 0) {
            out.emplace_back();
            continue;
        }
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        out.back() += c;
    }
    for (std::string& each : out)
        each = std::string(trimmed(each));
    return out;
}

// What stands for the text between braces; nothing where that is no word.
std::optional<std::string> expanded(std::string_view inside, const Dialect& dialect) {
    inside = trimmed(inside);
    const size_t open = inside.find('(');
    const std::string_view name = inside.substr(0, open);
    std::vector<std::string> arguments;
    if (open != std::string_view::npos) {
        if (inside.back() != ')') return std::nullopt;
        arguments = arguments_of(inside.substr(open + 1, inside.size() - open - 2));
    } else if (find_table(name)) {
        return dialect.relation(name);
    }
    for (const Word& word : kWords)
        if (word.name == name && word.arguments == arguments.size()) return dialect.word(name, arguments);
    return std::nullopt;
}

}  // namespace

Result<std::string> written(const duck::Statement& statement, const Dialect& dialect) {
    duck::Statement out = statement;
    // From the end: a word may stand in another's arguments.
    for (size_t open = out.text.rfind("{{"); open != std::string::npos; open = out.text.rfind("{{", open)) {
        const size_t close = out.text.find("}}", open);
        if (close == std::string::npos) return fail("a word is not closed", std::string(statement.name));
        const auto word = expanded(std::string_view(out.text).substr(open + 2, close - open - 2), dialect);
        if (!word)
            return fail(fmt::format("there is no word {}", out.text.substr(open, close - open + 2)),
                        std::string(statement.name));
        out.text.replace(open, close - open + 2, *word);
        if (open == 0) break;
    }
    return duck::written_with(out, [&dialect](const duck::Cell& value) { return dialect.literal(value); });
}

}  // namespace opsight::fleet
