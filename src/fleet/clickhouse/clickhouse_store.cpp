#include "fleet/clickhouse/clickhouse_store.h"

#include <fmt/format.h>

#include "fleet/clickhouse/clickhouse_dialect.h"
#include "fleet/clickhouse/clickhouse_push.h"
#include "fleet/clickhouse/free_sql.h"
#include "fleet/clickhouse/layout.h"
#include "fleet/clickhouse/visible.h"

namespace opsight::fleet::clickhouse {
namespace {

// The blocks of a table in force, as a condition.
std::string condition(const InForce& in_force, std::string_view table) {
    std::string numbers;
    for (const RunInForce& run : in_force.runs)
        for (const Block& block : run.blocks)
            if (block.table == table)
                numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", block.number);
    return numbers.empty() ? "block = 0" : fmt::format("block IN ({})", numbers);
}

Relation relation_of(const Cluster& cluster, const InForce& in_force, std::string_view table) {
    Relation out{all_name(cluster, table), condition(in_force, table), "SELECT run"};
    for (const Column& column : find_table(table)->columns)
        out.whole += fmt::format(", `{}`", column.name);
    out.whole += fmt::format(" FROM {} PREWHERE {}", out.name, out.rows);
    return out;
}

class ClickHouseStore : public Store {
  public:
    explicit ClickHouseStore(Cluster cluster)
        : cluster_(std::move(cluster)), dialect_([](std::string_view table) {
              return Relation{std::string(table), "1", "SELECT * FROM " + std::string(table)};
          }) {}

    std::string name() const override { return cluster_.address().text(); }
    std::string write_folder() const override { return {}; }
    const Dialect& dialect() const override { return dialect_; }

    Result<bool> holds(const PushId& id) override {
        auto found = read_in_force(cluster_, {}, id.run);
        if (!found && found.error().code == ErrorCode::kNotFound)
            return false;  // no push has made the tables yet
        if (!found) return fail(std::move(found).error());
        if (found->runs.empty() || found->runs.front().push != id.push) return false;
        // One of which a shard does not know was cut off at its end: another commit tells that shard too.
        const auto answering = cluster_.shards() - std::ssize(found->missing);
        return found->runs.front().shards_that_know >= answering;
    }

    Result<std::unique_ptr<Push>> begin(const PushId& id) override {
        return ClickHousePush::begin(cluster_, id);
    }

    Result<Answer> ask(const duck::Statement& question, const std::optional<std::string>& run) override {
        if (asker_is_gone()) return fail(nobody_waits());
        if (run && !is_id(*run)) return fail("the id of a run is not of 32 hexadecimal digits");
        const std::set<std::string> tables = tables_of(question.text);
        OPSIGHT_ASSIGN(InForce in_force, read_in_force(cluster_, {tables.begin(), tables.end()}, run));
        const Relations relations = [&](std::string_view table) {
            return relation_of(cluster_, in_force, table);
        };
        duck::Statement placed = question;
        placed.text = with_relations(question.text, relations);
        OPSIGHT_ASSIGN(const std::string sql, written(placed, ClickHouseDialect(relations)));
        return answered(sql, in_force);
    }

    Result<Answer> free_sql(const std::string& sql, int64_t most) override {
        const Relations none = [](std::string_view) { return Relation{}; };
        OPSIGHT_ASSIGN(const FreeSql asked, made_safe(sql, none));
        OPSIGHT_ASSIGN(InForce in_force,
                       read_in_force(cluster_, {asked.tables.begin(), asked.tables.end()}, {}));
        OPSIGHT_ASSIGN(const FreeSql safe, made_safe(sql, [&](std::string_view table) {
                           return relation_of(cluster_, in_force, table);
                       }));
        const std::string limit = most < INT64_MAX ? fmt::format(" LIMIT {}", most + 1) : "";
        OPSIGHT_ASSIGN(Answer answer,
                       answered(fmt::format("SELECT * FROM ({}\n){}", safe.text, limit), in_force));
        answer.more = std::ssize(answer.rows.rows) > most;
        if (answer.more) answer.rows.rows.resize(static_cast<size_t>(most));
        return answer;
    }

  private:
    Result<Answer> answered(const std::string& sql, InForce& in_force) {
        Answer answer;
        OPSIGHT_ASSIGN(answer.rows, query_all(cluster_, sql, in_force.missing));
        answer.notes = notes_on_missing(cluster_, in_force);
        return answer;
    }

    Cluster cluster_;
    ClickHouseDialect dialect_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_cluster(const std::string& address, bool to_push) {
    OPSIGHT_ASSIGN(const Address parsed, parse_address(address));
    OPSIGHT_ASSIGN(const Credentials credentials, find_credentials());
    OPSIGHT_ASSIGN(Cluster cluster, Cluster::open(parsed, credentials));
    if (!to_push) {
        const auto there = cluster.query_anywhere(
            fmt::format("SELECT count() FROM system.tables WHERE database = '{}' AND name = '{}_rows'",
                        parsed.database, kCommits));
        if (!there) return fail(there.error());
        if (std::get<int64_t>(there->rows.at(0).at(0)) == 0)
            return fail(Error{"is not a store yet: its database lacks the tables",
                              parsed.text(),
                              {},
                              "'opsight fleet push RUN --to " + parsed.text() + "' makes them",
                              1,
                              ErrorCode::kNotFound});
    }
    return std::unique_ptr<Store>(std::make_unique<ClickHouseStore>(std::move(cluster)));
}

}  // namespace opsight::fleet::clickhouse
