// Whether the values of a profile file belong together.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <map>
#include <thread>
#include <vector>

#include "base/task_group.h"
#include "db/file_check.h"
#include "db/value_rules.h"

namespace opsight::db {
namespace {

constexpr const char* kRemedy = "import the trace again";

std::string in_file(const Table& table) {
    return fmt::format("{}.raw.{}", duck::Database::kAttached, table.name);
}

bool has_bounds(Rule rule) {
    return rule != Rule::kAny && rule != Rule::kNumber;
}
bool wants_no_two_alike(Rule rule) {
    return rule == Rule::kUnique || rule == Rule::kRising;
}

std::string_view broken_text(Rule rule) {
    return rule == Rule::kNumber ? "is not the number of its row" : "is not one of an earlier row";
}

// What one pass over a column finds.
struct Found {
    const Column* column;
    ValueRule rule;
    int64_t missing = 0, broken = 0;
    int64_t least = std::numeric_limits<int64_t>::max(), greatest = std::numeric_limits<int64_t>::min();
    bool rises = true;  // each value is greater than the one before
};

// Values of one column are looked at as they come; where no rule is told, only whether they are there.
class TableScan {
  public:
    explicit TableScan(const Table& table) : table_(table) {
        for (const Column& column : table.columns) {
            found_.push_back({&column, value_rule(table, column)});
            if (column.name == "id") id_ = found_.size() - 1;
        }
    }

    Status run(duck::Connection& connection) {
        std::string sql;
        for (const Found& each : found_)
            sql += fmt::format("{}{}{}", sql.empty() ? "SELECT " : ", ", each.column->name,
                               each.rule.rule == Rule::kAny ? " IS NULL" : "::BIGINT");
        return connection.scan(sql + " FROM " + in_file(table_), [this](const duck::Batch& batch) {
            for (size_t i = 0; i < found_.size(); ++i)
                take(batch, i);
            rows_ += static_cast<int64_t>(batch.size());
        });
    }

    const Table& table() const { return table_; }
    const std::vector<Found>& found() const { return found_; }
    int64_t rows() const { return rows_; }

  private:
    void take(const duck::Batch& batch, size_t index) {
        Found& found = found_[index];
        if (found.rule.rule == Rule::kAny) {
            const bool* missing = batch.column<bool>(index);
            found.missing += std::count(missing, missing + batch.size(), true);
            return;
        }
        if (const uint64_t* valid = batch.valid(index)) found.missing += missing_of(valid, batch.size());
        if (found.missing > 0) return;  // is said first
        const auto* values = batch.column<int64_t>(index);
        switch (found.rule.rule) {
            case Rule::kNumber:
                for (size_t i = 0; i < batch.size(); ++i)
                    found.broken += values[i] != rows_ + static_cast<int64_t>(i);
                break;
            case Rule::kParent:
            case Rule::kEarlier:
                for (size_t i = 0; i < batch.size(); ++i)
                    found.broken += values[i] >= batch.column<int64_t>(id_)[i];
                break;
            case Rule::kUnique:
            case Rule::kRising:
                found.rises = found.rises && rise(values, batch.size(), found.greatest);
                break;
            default:
                break;
        }
        int64_t least = found.least, greatest = found.greatest;
        for (size_t i = 0; i < batch.size(); ++i) {  // without a branch on the values, unlike minmax_element
            least = std::min(least, values[i]);
            greatest = std::max(greatest, values[i]);
        }
        found.least = least;
        found.greatest = greatest;
    }

    static int64_t missing_of(const uint64_t* valid, size_t rows) {
        int64_t there = 0;
        for (size_t row = 0; row < rows; row += 64) {
            const size_t bits = std::min<size_t>(rows - row, 64);
            const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
            there += std::popcount(valid[row / 64] & mask);
        }
        return static_cast<int64_t>(rows) - there;
    }

    static bool rise(const int64_t* values, size_t rows, int64_t last) {
        for (size_t i = 0; i < rows; ++i) {
            if (values[i] <= last) return false;
            last = values[i];
        }
        return true;
    }

    const Table& table_;
    std::vector<Found> found_;
    size_t id_ = 0;
    int64_t rows_ = 0;
};

// A scan keeps one core busy, and most of the time is in a few large tables: they are read beside each other.
class TableScans {
  public:
    TableScans() : all_(tables().begin(), tables().end()), ended_(all_.size()) {}

    Status run(const duck::Database& database, duck::Connection& connection, int threads) {
        TaskGroup beside;
        for (int i = 1; i < threads; ++i)
            if (!beside.start_beside([this, &database] { take(database.connect()); })) break;
        take(connection);
        beside.join();
        for (Status& each : ended_)
            OPSIGHT_TRY(std::move(each));
        return {};
    }
    const std::vector<TableScan>& all() const { return all_; }

  private:
    // Without a connection of its own a thread leaves its tables to the others.
    void take(Result<duck::Connection> connection) {
        if (connection) take(*connection);
    }
    void take(duck::Connection& connection) {
        for (size_t i = next_++; i < all_.size(); i = next_++)
            ended_[i] = all_[i].run(connection);
    }

    std::vector<TableScan> all_;
    std::vector<Status> ended_;
    std::atomic<size_t> next_ = 0;
};

class ValueCheck {
  public:
    explicit ValueCheck(duck::Connection& connection) : connection_(connection) {}
    Status run(const duck::Database& database, int threads) {
        TableScans scans;
        OPSIGHT_TRY(scans.run(database, connection_, threads));
        for (const TableScan& scan : scans.all())
            rows_[scan.table().name] = scan.rows();
        for (const TableScan& scan : scans.all())
            for (const Found& found : scan.found())
                if (scan.rows() > 0) OPSIGHT_TRY(judge(scan.table(), found));
        OPSIGHT_TRY(check_iterations());
        return check_layers();
    }

  private:
    Status broken(const Table& table, const Column& column, std::string what) const {
        return fail(fmt::format("is damaged or was changed: raw.{}.{} {}", table.name, column.name, what), {},
                    {}, kRemedy);
    }

    Status judge(const Table& table, const Found& found) {
        const Column& column = *found.column;
        if (found.missing != 0) return broken(table, column, "has rows without a value");
        if (has_bounds(found.rule.rule)) {
            const int64_t from = found.rule.least, most = most_of(table, found.rule);
            if (found.least < from || found.greatest > most)
                return broken(table, column,
                              fmt::format("is {}, and must be {} to {}",
                                          found.least < from ? found.least : found.greatest, from, most));
        }
        if (found.broken != 0)
            return broken(table, column,
                          fmt::format("{} in {} rows", broken_text(found.rule.rule), found.broken));
        // Where they rise, as they are written, no two are alike.
        return wants_no_two_alike(found.rule.rule) && !found.rises ? count_alike(table, column) : Status();
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

    Result<int64_t> count(const std::string& sql) {
        OPSIGHT_ASSIGN(const duck::Rows rows, connection_.query(sql));
        const auto* value = std::get_if<int64_t>(&rows.rows.at(0).at(0));
        return value ? *value : 0;
    }

    Status count_alike(const Table& table, const Column& column) {
        OPSIGHT_ASSIGN(const int64_t twice, count(fmt::format("SELECT count(*) - count(DISTINCT {}) FROM {}",
                                                              column.name, in_file(table))));
        if (twice == 0) return {};
        return broken(table, column, fmt::format("is there more than once in {} rows", twice));
    }

    // A number is given once in a rank.
    Status check_iterations() {
        const Table& iterations = table("iterations");
        if (rows_.at(iterations.name) == 0) return {};
        OPSIGHT_ASSIGN(const int64_t twice,
                       count(fmt::format("SELECT count(*) - count(DISTINCT (rank, number)) FROM {}",
                                         in_file(iterations))));
        if (twice != 0)
            return broken(iterations, iterations.columns[1],
                          fmt::format("is there more than once in {} rows", twice));
        return {};
    }

    // Each lies one deeper than its parent.
    Status check_layers() {
        const Table& layers = table("layers");
        if (rows_.at(layers.name) == 0) return {};
        OPSIGHT_ASSIGN(const int64_t odd,
                       count(fmt::format("SELECT count(*) FROM {0} l LEFT JOIN {0} p ON p.id = l.parent "
                                         "WHERE l.depth <> coalesce(p.depth + 1, 0)",
                                         in_file(layers))));
        if (odd == 0) return {};
        return broken(layers, layers.columns.back(), "is not one more than that of the parent");
    }

    duck::Connection& connection_;
    std::map<std::string_view, int64_t> rows_;
};

}  // namespace

Status check_values(const duck::Database& database, duck::Connection& connection, int threads) {
    constexpr int kMost = 4;  // the largest table takes as long as it takes
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    return ValueCheck(connection).run(database, std::min(threads > 0 ? threads : cores, kMost));
}

}  // namespace opsight::db
