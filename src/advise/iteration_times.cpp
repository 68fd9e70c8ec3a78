#include "advise/iteration_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "advise/rule.h"
#include "advise/sql.h"
#include "query/session/cells.h"

namespace opsight::advise {

Result<IterationTimes> IterationTimes::read(query::Session& session) {
    IterationTimes out;
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::iterations_of_ranks));
    for (const auto& row : rows.rows) {
        out.all.push_back(
            {query::integer(row[0]), query::integer(row[1]), query::integer(row[2]), query::integer(row[3])});
        out.collective = query::flag(row[4]);
    }
    return out;
}

std::vector<int64_t> IterationTimes::in_each(const query::TimeSpans& times) const {
    std::vector<int64_t> out;
    out.reserve(all.size());
    size_t at = 0;
    for (const One& each : all) {
        const auto before = [&each](const query::TimeSpan& span) {
            return span.rank < each.rank || (span.rank == each.rank && span.end <= each.begin);
        };
        while (at < times.size() && before(times[at]))
            ++at;
        int64_t ns = 0;
        for (size_t i = at; i < times.size() && times[i].rank == each.rank && times[i].begin < each.end; ++i)
            ns += std::min(times[i].end, each.end) - std::max(times[i].begin, each.begin);
        out.push_back(ns);
    }
    return out;
}

int64_t all_as_slowest(const IterationTimes& iterations, const query::TimeSpans& times) {
    if (!iterations.collective) return 0;
    const std::vector<int64_t> ns = iterations.in_each(times);
    std::map<int64_t, int64_t> most;  // by number
    int64_t ranks = 0;
    for (size_t i = 0; i < ns.size(); ++i) {
        ranks += i == 0 || iterations.all[i].rank != iterations.all[i - 1].rank;
        int64_t& of_number = most[iterations.all[i].number];
        of_number = std::max(of_number, ns[i]);
    }
    if (ranks < 2) return 0;
    int64_t sum = 0;
    for (const auto& [number, of_number] : most)
        sum += of_number;
    return sum * ranks;
}

std::string InFew::where() const {
    return few == 1 ? fmt::format("mostly in iteration {}", most_in)
                    : fmt::format("mostly in {} of {} iterations", few, iterations);
}

std::string InFew::sentence() const {
    constexpr int64_t kNothing = 5'000;  // 0.00 ms
    const std::string others = others_ns < kNothing ? "hardly anything" : "about " + milliseconds(others_ns);
    return fmt::format(
        "{} of what this may gain lies in {} of {} iterations ({}{}); each of the others would gain {}.",
        percent(pct), few, iterations, few > 1 ? "most in " : "", most_in, others);
}

std::optional<InFew> mostly_in_few(const IterationTimes& iterations, const query::TimeSpans& times) {
    constexpr size_t kFewestIterations = 5, kTenth = 10;
    const std::vector<int64_t> ns = iterations.in_each(times);
    std::map<int64_t, int64_t> by_number;
    int64_t all_ns = 0;
    for (size_t i = 0; i < ns.size(); ++i) {
        by_number[iterations.all[i].number] += ns[i];
        all_ns += ns[i];
    }
    if (by_number.size() < kFewestIterations || all_ns <= 0) return std::nullopt;
    std::vector<std::pair<int64_t, int64_t>> most;  // ns, and the number
    for (const auto& [number, of_number] : by_number)
        most.emplace_back(of_number, number);
    std::sort(most.begin(), most.end(), std::greater<>());
    const size_t tenth = std::max<size_t>(1, most.size() / kTenth);
    InFew found;
    int64_t few_ns = 0;
    while (found.few < tenth && 2 * few_ns <= all_ns)
        few_ns += most[found.few++].first;
    if (2 * few_ns <= all_ns) return std::nullopt;
    found.iterations = most.size();
    found.most_in = most[0].second;
    found.pct = 100 * static_cast<double>(few_ns) / static_cast<double>(all_ns);
    // Each number has as many rows as there are ranks, but where some recorded fewer iterations.
    const double others =
        static_cast<double>(ns.size() * (most.size() - found.few)) / static_cast<double>(most.size());
    found.others_ns = static_cast<int64_t>(static_cast<double>(all_ns - few_ns) / others);
    return found;
}

}  // namespace opsight::advise
