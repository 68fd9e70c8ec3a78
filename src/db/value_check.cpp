// Whether the values of a profile file belong together.
#include <fmt/format.h>

#include <map>

#include "db/file_check.h"
#include "db/value_rules.h"

namespace opsight::db {
namespace {

constexpr const char* kRemedy = "import the trace again";

struct Checked {
    const Column* column;
    ValueRule rule;
    // Place in the answer: missing values, then least, greatest and broken ones, as the rule has.
    size_t found = 0;
};

bool has_bounds(Rule rule) {
    return rule != Rule::kAny && rule != Rule::kNumber;
}

// SQL that counts the rows that break a rule which bounds alone do not tell.
std::string broken_sql(const Column& column, Rule rule) {
    switch (rule) {
        case Rule::kNumber:
            return fmt::format("count(*) FILTER ({} <> rowid) + max(rowid) + 1 - count(*)", column.name);
        case Rule::kUnique:
            return fmt::format("count(*) - count(DISTINCT {})", column.name);
        case Rule::kParent:
        case Rule::kEarlier:
            return fmt::format("count(*) FILTER ({} >= id)", column.name);
        default:
            return {};
    }
}

std::string_view broken_text(Rule rule) {
    switch (rule) {
        case Rule::kNumber:
            return "is not the number of its row";
        case Rule::kUnique:
        case Rule::kRising:
            return "is there more than once";
        default:
            return "is not one of an earlier row";
    }
}

int64_t number(const duck::Cell& cell) {
    const auto* value = std::get_if<int64_t>(&cell);
    return value ? *value : 0;
}

class ValueCheck {
  public:
    explicit ValueCheck(duck::Connection& connection) : connection_(connection) {}
    Status run() {
        OPSIGHT_TRY(count_rows());
        for (const Table& table : tables())
            if (rows_[table.name] > 0) OPSIGHT_TRY(check(table));
        return check_layers();
    }

  private:
    static std::string in_file(std::string_view table) {
        return fmt::format("{}.raw.{}", duck::Database::kAttached, table);
    }
    Status broken(const Table& table, const Column& column, std::string what) const {
        return fail(fmt::format("is damaged or was changed: raw.{}.{} {}", table.name, column.name, what), {},
                    {}, kRemedy);
    }

    Status count_rows() {
        std::string sql;
        for (const Table& table : tables())
            sql += fmt::format("{}SELECT '{}', count(*) FROM {}", sql.empty() ? "" : " UNION ALL ",
                               table.name, in_file(table.name));
        OPSIGHT_ASSIGN(const duck::Rows rows, connection_.query(sql));
        for (const auto& row : rows.rows)
            if (const auto* name = std::get_if<std::string>(&row[0]))
                rows_[table(*name).name] = number(row[1]);
        return {};
    }

    Status check(const Table& table) {
        std::vector<Checked> checked;
        std::string sql = "SELECT count(*)";
        size_t place = 1;
        for (const Column& column : table.columns) {
            Checked& one = checked.emplace_back(Checked{&column, value_rule(table, column), place});
            sql += fmt::format(", count({})", column.name);
            ++place;
            if (has_bounds(one.rule.rule)) {
                sql += fmt::format(", min({0})::BIGINT, max({0})::BIGINT", column.name);
                place += 2;
            }
            if (const std::string count = broken_sql(column, one.rule.rule); !count.empty()) {
                sql += ", " + count;
                ++place;
            }
        }
        OPSIGHT_ASSIGN(const duck::Rows rows, connection_.query(sql + " FROM " + in_file(table.name)));
        for (const Checked& one : checked)
            OPSIGHT_TRY(judge(table, one, rows.rows.at(0)));
        return {};
    }

    Status judge(const Table& table, const Checked& one, const std::vector<duck::Cell>& row) {
        const Column& column = *one.column;
        size_t place = one.found;
        if (number(row[place++]) != number(row[0])) return broken(table, column, "has rows without a value");
        if (has_bounds(one.rule.rule)) {
            const int64_t least = number(row[place++]), greatest = number(row[place++]);
            const int64_t most = most_of(table, one.rule);
            const auto from = one.rule.least;
            if (least < from || greatest > most)
                return broken(
                    table, column,
                    fmt::format("is {}, and must be {} to {}", least < from ? least : greatest, from, most));
        }
        if (!broken_sql(column, one.rule.rule).empty() && number(row[place]) != 0)
            return broken(table, column,
                          fmt::format("{} in {} rows", broken_text(one.rule.rule), number(row[place])));
        return one.rule.rule == Rule::kRising ? check_rising(table, column) : Status();
    }

    int64_t most_of(const Table& table, const ValueRule& rule) const {
        switch (rule.rule) {
            case Rule::kRefersTo:
                return rows_.at(rule.to) - 1;
            case Rule::kParent:
                return rows_.at(table.name) - 1;
            case Rule::kIteration:
                return rows_.at("iterations") - 1;
            case Rule::kRising:
            case Rule::kEarlier:
                return INT32_MAX;
            default:
                return rule.most;
        }
    }

    // No two are alike. Where they rise, as they are written, that is seen without keeping them all.
    Status check_rising(const Table& table, const Column& column) {
        int64_t last = -1;
        bool rises = true;
        OPSIGHT_TRY(
            connection_.scan(fmt::format("SELECT {}::INTEGER FROM {}", column.name, in_file(table.name)),
                             [&](const duck::Batch& batch) {
                                 const auto* ids = batch.column<int32_t>(0);
                                 for (size_t i = 0; i < batch.size(); ++i) {
                                     rises = rises && ids[i] > last;
                                     last = ids[i];
                                 }
                             }));
        if (rises) return {};
        OPSIGHT_ASSIGN(const duck::Rows rows,
                       connection_.query(fmt::format("SELECT count(*) - count(DISTINCT {}) FROM {}",
                                                     column.name, in_file(table.name))));
        if (const int64_t twice = number(rows.rows.at(0)[0]); twice != 0)
            return broken(table, column, fmt::format("is there more than once in {} rows", twice));
        return {};
    }

    // Each lies one deeper than its parent.
    Status check_layers() {
        OPSIGHT_ASSIGN(
            const duck::Rows rows,
            connection_.query(fmt::format("SELECT count(*) FROM {0} l LEFT JOIN {0} p ON p.id = l.parent "
                                          "WHERE l.depth <> coalesce(p.depth + 1, 0)",
                                          in_file("layers"))));
        if (number(rows.rows.at(0)[0]) == 0) return {};
        const Table& layers = table("layers");
        return broken(layers, layers.columns.back(), "is not one more than that of the parent");
    }

    duck::Connection& connection_;
    std::map<std::string_view, int64_t> rows_;
};

}  // namespace

Status check_values(duck::Connection& connection) {
    return ValueCheck(connection).run();
}

}  // namespace opsight::db
