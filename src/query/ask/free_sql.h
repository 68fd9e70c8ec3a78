// A statement of the user's own over a profile.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/duckdb.h"
#include "db/reader.h"
#include "query/ask/first_rows.h"

namespace opsight::query {

// A profile that is opened once for many statements: for reading only, and none reaches another file.
class FreeSql {
  public:
    // `shown`: the path that messages name.
    static Result<FreeSql> open(const std::string& path, const std::string& shown);
    // `streamed`: the rows are in the answer's `stream`, which keeps the profile open, and are to be read
    // before the next statement.
    Result<ResultTable> ask(const std::string& sql, bool streamed = false);

  private:
    FreeSql(std::string path, db::OpenProfile profile);
    std::string path_;
    std::shared_ptr<db::OpenProfile> profile_;
};

// The first rows of its answer, on a profile that is open; `path` is for messages.
Result<FirstRows> first_rows(db::OpenProfile& profile, const std::string& path, const std::string& sql,
                             size_t most);

}  // namespace opsight::query
