#include "query/session/iteration_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/session/sql.h"

namespace opsight::query {
namespace {

// A pattern that this name alone matches; '#' stands for any number where `numbers`.
std::string pattern_of(const std::string& name, bool numbers) {
    std::string out = "^";
    for (const char c : name) {
        if (numbers && c == '#') {
            out += "[0-9]+";
            continue;
        }
        if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out + "$";
}

// In single quotes, as a shell takes it.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

}  // namespace

Result<std::optional<IterationChoice>> iteration_choice(Session& session) {
    const bool guessed = session.range().source == "inferred" && !session.contents().ops;
    const bool known = session.range().total > 0 && session.range().source != "inferred";
    if (known || (!session.range().whole && !guessed)) return std::optional<IterationChoice>();
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(session::sql::repeated_range));
    if (rows.rows.empty()) return std::optional<IterationChoice>();
    const auto& row = rows.rows[0];
    const auto& name = std::get<std::string>(row[0]);
    // Numbers within a path are those of layers, which a pass goes through; so are several, where the name
    // does not say that they count steps ("Step # to #").
    const bool several = std::count(name.begin(), name.end(), '#') > 1 && !std::get<bool>(row[3]);
    if (std::get<bool>(row[1]) && (several || name.find(".#") != name.npos || name.find("/#") != name.npos))
        return std::optional<IterationChoice>();
    return std::optional<IterationChoice>(
        {name, pattern_of(name, std::get<bool>(row[1])), std::get<int64_t>(row[2])});
}

Result<std::string> iteration_hint(Session& session) {
    OPSIGHT_ASSIGN(const std::optional<IterationChoice> choice, iteration_choice(session));
    if (!choice) return std::string();
    return fmt::format("the range {} comes {} times: --iteration-range {} makes an iteration of each",
                       quoted(choice->name), choice->count, quoted(choice->pattern));
}

}  // namespace opsight::query
