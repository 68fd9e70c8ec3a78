#include "fleet/clickhouse/staging.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fleet/clickhouse/layout.h"

namespace opsight::fleet::clickhouse {
namespace {

constexpr int64_t kNoPart = -2;  // the row is about a block

void add_row(NativeBlock& out, const std::string& push, uint64_t attempt, const std::string& table,
             int64_t part, const Block& block) {
    enum : size_t { kPush = 1, kAttempt, kTable, kPart, kNumber, kShard, kRows, kRanks };
    out.add_text(kPush, push);
    out.add_number(kAttempt, attempt);
    out.add_text(kTable, table);
    out.add(kPart, part);
    out.add_number(kNumber, block.number);
    out.add(kShard, block.shard);
    out.add(kRows, block.rows);
    out.add(kRanks, block.ranks);
    out.end_row();
}

std::map<int64_t, Staged> read_tries(const duck::Rows& rows) {
    enum : size_t { kAttempt, kTable, kPart, kNumber, kShard, kRows, kRanks };
    std::map<int64_t, Staged> tries;
    for (const auto& row : rows.rows) {
        const auto number = [&row](size_t column) { return std::get<int64_t>(row.at(column)); };
        Staged& staged = tries[number(kAttempt)];
        const std::string& table = std::get<std::string>(row.at(kTable));
        if (number(kPart) == kNoPart)
            staged.blocks.push_back({table, static_cast<uint64_t>(number(kNumber)), number(kShard),
                                     number(kRows), number(kRanks)});
        else
            staged.parts.emplace_back(table, number(kPart));
    }
    return tries;
}

// Tables of which a block is not whole: an operator removed it, or its node is gone and nobody has a copy.
std::set<std::string> broken_tables(const Writer& writer, const Staged& staged) {
    std::set<std::string> out;
    std::map<std::pair<std::string, int64_t>, std::vector<Block>> by_place;
    for (const Block& block : staged.blocks) {
        if (find_table(block.table))
            by_place[{block.table, block.shard}].push_back(block);
        else
            out.insert(block.table);
    }
    for (const auto& [place, blocks] : by_place)
        if (!writer.are_there(place.second, blocks)) out.insert(place.first);
    return out;
}

}  // namespace

PartName name_of(const Part& part) {
    return {std::string(part.table->name), part.rank.value_or(-1)};
}

Result<Staged> find_staged(const Cluster& cluster, const Writer& writer, const std::string& push) {
    Missing missing;
    const std::string sql = fmt::format(
        "SELECT DISTINCT attempt, fact_table, part, fact_block, fact_shard, fact_rows, fact_ranks FROM {} "
        "WHERE push = "
        "'{}'",
        all_name(cluster, kStaged), push);
    OPSIGHT_ASSIGN(const duck::Rows rows, query_all(cluster, sql, missing));
    std::map<int64_t, Staged> tries = read_tries(rows);
    const auto farthest = std::max_element(tries.begin(), tries.end(), [](const auto& a, const auto& b) {
        return a.second.parts.size() < b.second.parts.size();
    });
    if (farthest == tries.end()) return Staged{};
    Staged& found = farthest->second;
    const std::set<std::string> broken = broken_tables(writer, found);
    std::erase_if(found.parts, [&](const PartName& part) { return broken.count(part.first) > 0; });
    std::erase_if(found.blocks, [&](const Block& block) { return broken.count(block.table) > 0; });
    return found;
}

Status note_staged(Writer& writer, int64_t shard, const std::string& push, uint64_t attempt,
                   const Staged& staged) {
    NativeBlock rows(staged_columns());
    for (const PartName& part : staged.parts)
        add_row(rows, push, attempt, part.first, part.second, {});
    for (const Block& block : staged.blocks)
        add_row(rows, push, attempt, block.table, kNoPart, block);
    if (rows.rows() == 0) return {};
    std::vector<Insert> inserts = {
        {&rows, {std::string(kStaged), 0, shard, static_cast<int64_t>(rows.rows()), 0}}};
    return writer.put(inserts);
}

}  // namespace opsight::fleet::clickhouse
