// The tables read_only_* of a database: ops, their calls, and what those did.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <functional>
#include <map>
#include <string>

#include "base/sqlite_writer.h"
#include "query/dlprof/model.h"

namespace opsight::exports {

// Numbers of texts.
class Dictionary {
  public:
    static Result<Dictionary> create(sqlite::Writer& file);
    Result<int64_t> number(std::string_view text);

  private:
    Dictionary(sqlite::Writer& file, size_t statement) : file_(file), statement_(statement) {}
    sqlite::Writer& file_;
    size_t statement_;
    absl::flat_hash_map<std::string, int64_t> numbers_;
};

struct RecordedCounts {
    int64_t ops = 0, calls = 0, work = 0;
    int64_t left_out = 0;  // calls of the API and work of devices outside of all iterations
};

// `shown`: ns of the profile to ns of the session. Rows are written as they are made.
Result<RecordedCounts> write_recorded(query::Source& source, const query::dlprof::Model& model,
                                      const std::function<int64_t(int64_t)>& shown, sqlite::Writer& file,
                                      Dictionary& dictionary);

}  // namespace opsight::exports
