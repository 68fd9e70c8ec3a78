// Rows of facts that were put together in C++, as a temporary table of the session.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fleet/store/store.h"
#include "query/ask/result_table.h"
#include "query/session/session.h"

namespace opsight::fleet {

// Makes the temporary table fact_NAME of the table of schema.h. A row has its columns in their order.
Status keep_rows(query::Session& session, const Table& table,
                 const std::vector<std::vector<query::Cell>>& rows);

// The cell of a row under a column's key; empty where the table has no such column.
query::Cell cell_of(const query::ResultTable& table, const std::vector<query::Cell>& row,
                    std::string_view key);

// Rows of a session for Push::stage().
class SessionRows : public RowSource {
  public:
    explicit SessionRows(query::Session& session) : session_(session) {}
    Result<duck::Rows> query(const duck::Statement& statement) override { return session_.query(statement); }
    Result<duck::Cursor> open_cursor(const duck::Statement& statement) override {
        return session_.open_cursor(statement);
    }

  private:
    query::Session& session_;
};

}  // namespace opsight::fleet
