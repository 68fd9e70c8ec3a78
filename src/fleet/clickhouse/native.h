// Rows as ClickHouse's format Native has them: one block, which tells how many rows it has and holds column
// after column. A body that was cut off is therefore refused as a whole, unlike in formats of one row after
// another, of which a server takes what came. 18.16 and today's servers read the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql.h"

namespace opsight::fleet::clickhouse {

enum class Kind : uint8_t { kUint64, kInt64, kFloat64, kString };

struct NativeColumn {
    std::string name;
    Kind kind = Kind::kInt64;
    bool nullable = false;
    std::string type() const;  // "Nullable(Int64)"
};

class NativeBlock {
  public:
    explicit NativeBlock(std::vector<NativeColumn> columns);
    const std::vector<NativeColumn>& columns() const { return columns_; }
    size_t rows() const { return rows_; }
    size_t bytes() const;
    // A value of a column of the row that is being written; columns in any order, all of them, then
    // end_row(). False where the cell is not of the column's kind, or NULL where none may be.
    bool add(size_t column, const duck::Cell& cell);
    void add_number(size_t column, uint64_t value);
    void add_text(size_t column, std::string_view text);
    void end_row() { ++rows_; }
    // The first `rows` rows as a body, in which the column 0, a kUint64 that is not written to, has this
    // value.
    std::string body(size_t rows, uint64_t first_column) const;
    void drop_front(size_t rows);

  private:
    struct Data {
        std::string values, nulls;
        std::vector<size_t> ends;  // of texts: where the value of each row ends in `values`
    };
    std::vector<NativeColumn> columns_;
    std::vector<Data> data_;
    size_t rows_ = 0;
};

}  // namespace opsight::fleet::clickhouse
