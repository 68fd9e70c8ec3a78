// One table of an export, read once from front to back. Columns are asked for by name; those that this
// export does not have read as absent. All names are the reader's own.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sqlite.h"

namespace opsight::importer::nsys {

using TableNames = std::set<std::string, std::less<>>;

// Rows whose column has the value.
struct RowsWith {
    std::string_view column;
    int64_t value = 0;
};

class Table {
  public:
    // The columns are numbered in the order of the list. No value: the export lacks the table, or the column
    // of `only`.
    static Result<std::optional<Table>> open(sqlite::Database& database, const TableNames& present,
                                             std::string_view name,
                                             const std::vector<std::string_view>& columns,
                                             const std::optional<RowsWith>& only = {});

    bool next() { return rows_.next(); }
    const std::string& problem() const { return rows_.problem(); }
    std::string_view name() const { return name_; }
    bool has_column(size_t column) const { return place_[column] >= 0; }

    bool has(size_t column) const { return place_[column] >= 0 && !rows_.is_null(place_[column]); }
    int64_t number(size_t column, int64_t absent = -1) const {
        return has(column) ? rows_.integer(place_[column]) : absent;
    }
    // Of 32 bits; absent, too, where it does not fit: the lower half would be another number.
    int32_t small_number(size_t column, int32_t absent = -1) const {
        const int64_t value = number(column, absent);
        return std::in_range<int32_t>(value) ? static_cast<int32_t>(value) : absent;
    }
    bool is_integer(size_t column) const { return place_[column] >= 0 && rows_.is_integer(place_[column]); }
    double real(size_t column) const { return has(column) ? rows_.real(place_[column]) : 0; }
    std::string_view text(size_t column) const {
        return place_[column] >= 0 ? rows_.text(place_[column]) : std::string_view();
    }

  private:
    Table(sqlite::Rows rows, std::string_view name, std::vector<int> place)
        : rows_(std::move(rows)), name_(name), place_(std::move(place)) {}
    sqlite::Rows rows_;
    std::string_view name_;
    std::vector<int> place_;  // of each column in the statement; -1: absent
};

}  // namespace opsight::importer::nsys
