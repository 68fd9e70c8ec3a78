// Fills declared tables: in batches of columns where there are many rows, row by row where there are few.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/duckdb.h"
#include "db/schema.h"

namespace opsight::db {

class TableWriter {
  public:
    static Result<TableWriter> create(duck::Connection& connection, std::string_view table);

    // One batch: put() each declared column once, for the same rows [first, first + count).
    template <class T, class Get>
    void put(std::string_view column, Get get) {
        T* out = appender_.column<T>(take(column, sizeof(T)));
        for (size_t i = 0; i < count_; ++i)
            out[i] = static_cast<T>(get(first_ + i));
    }
    template <class Get>
    void put_text(std::string_view column, Get get) {
        const size_t index = take(column, 0);
        for (size_t i = 0; i < count_; ++i)
            appender_.set_text(index, i, get(first_ + i));
    }

    // Calls fill(writer) for each batch of the rows [from, to).
    template <class Fill>
    Status rows(size_t from, size_t to, Fill fill) {
        for (first_ = from; first_ < to; first_ += count_) {
            count_ = std::min(duck::Appender::kBatch, to - first_);
            filled_.assign(filled_.size(), false);
            fill(*this);
            check_complete();
            OPSIGHT_TRY(appender_.add(count_));
        }
        return appender_.close();
    }

  private:
    TableWriter(duck::Appender appender, const Table& declared)
        : appender_(std::move(appender)), declared_(&declared), filled_(declared.columns.size()) {}
    // The column's index. A name that is not declared, a width other than the declared one, a column that is
    // left out or filled twice is a bug of the caller and ends the program.
    size_t take(std::string_view column, size_t width);
    void check_complete() const;

    duck::Appender appender_;
    const Table* declared_;
    size_t first_ = 0, count_ = 0;
    std::vector<bool> filled_;  // by column
};

}  // namespace opsight::db
