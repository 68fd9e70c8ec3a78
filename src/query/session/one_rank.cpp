#include "query/session/one_rank.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "db/one_rank.h"
#include "query/session/cells.h"
#include "query/session/sql.h"

namespace opsight::query {
namespace {

// "0 to 7", or one by one.
std::string listed(const std::set<int64_t>& numbers) {
    if (numbers.empty()) return "none";
    const int64_t first = *numbers.begin(), last = *numbers.rbegin();
    if (numbers.size() > 2 && last - first + 1 == std::ssize(numbers))
        return fmt::format("{} to {}", first, last);
    constexpr size_t kShown = 12;
    std::vector<int64_t> shown(numbers.begin(), std::next(numbers.begin(), std::min(numbers.size(), kShown)));
    return fmt::format("{}{}", fmt::join(shown, ", "), numbers.size() > kShown ? ", ..." : "");
}

}  // namespace

Result<int64_t> see_one_rank(Session& session, int64_t number) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(session::sql::rank_numbers));
    std::vector<int64_t> found;
    std::set<int64_t> numbers;
    for (const auto& row : rows.rows) {
        numbers.insert(integer(row[1]));
        if (integer(row[1]) == number) found.push_back(integer(row[0]));
    }
    if (found.empty())
        return fail(Error{fmt::format("the profile has no rank {}", number),
                          session.path(),
                          {},
                          fmt::format("its ranks: {}", listed(numbers)),
                          2});
    if (found.size() > 1)
        return fail(Error{fmt::format("{} recordings of the profile are of a rank {}", found.size(), number),
                          session.path(),
                          {},
                          "import each run by itself",
                          2});
    // Sessions of one file share the views: of two that make one at the same time one would fail.
    static std::mutex making;
    const std::lock_guard lock(making);
    OPSIGHT_TRY(session.execute(db::one_rank_sql(found[0])));
    return std::ssize(rows.rows) - 1;
}

}  // namespace opsight::query
