#include "query/session/iteration_choice.h"

#include <fmt/format.h>

namespace opsight::query {
namespace {

// Names alike but for their numbers count as one: "iter 17". Of each the thread that has most; names that say
// what they are come first, then what takes most time. Ranges of libraries are no steps of the program.
constexpr const char* kRepeated =
    "WITH c AS (SELECT a.name, a.track, count(*) AS count, sum(a.dur_ns) AS total FROM raw.annotations a "
    "LEFT JOIN "
    "raw.nvtx_ranges v ON v.id = a.id LEFT JOIN raw.nvtx_attributes k ON k.id = v.attributes "
    "WHERE (a.flags & 3) = 0 AND coalesce(k.domain_name, '') NOT IN ('MPI', 'UCX', 'NCCL', 'NVSHMEM', "
    "'TensorRT', "
    "'CUDNN', 'cuDNN', 'cuBLAS', 'cuBLASLt', 'cuFFT', 'cuSOLVER', 'cuSPARSE', 'cuRAND', 'CCCL') GROUP BY "
    "ALL), "
    "n AS (SELECT x.text, regexp_replace(x.text, '[0-9]+', '#', 'g') AS stem, c.track, c.count, c.total "
    "FROM c JOIN raw.strings x ON x.id = c.name), "
    "s AS (SELECT stem, track, sum(count)::BIGINT AS count, sum(total) AS total, min(text) AS text, "
    "count(DISTINCT text) AS names FROM n GROUP BY ALL HAVING sum(count) >= 3) "
    "SELECT CASE WHEN names = 1 THEN text ELSE stem END, names > 1, count FROM s ORDER BY "
    "regexp_matches(stem, "
    "'(?i)(^|[^a-z])(step|iter|iteration|frame|batch|minibatch|epoch|cycle|tick|timestep|"
    "request)s?([^a-z]|$)') DESC, total DESC, stem LIMIT 1";

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
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(kRepeated));
    if (rows.rows.empty()) return std::optional<IterationChoice>();
    const auto& row = rows.rows[0];
    const auto& name = std::get<std::string>(row[0]);
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
