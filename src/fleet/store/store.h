// Store: where facts of runs are kept, and asked. docs/decisions/0029 has the reasons; fleet/parquet is the
// kind that needs no server.
//
// What every kind promises: a push is seen as a whole or not at all, whatever is killed at whatever moment; a
// push that is there already is not written again; one that was cut off goes on where it was, or begins anew,
// and leaves nothing behind that is ever seen; of pushes of one run the one committed last is in force. Any
// number of processes push and ask at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cancellation_token.h"
#include "base/duckdb.h"
#include "fleet/store/dialect.h"
#include "fleet/store/schema.h"

namespace opsight::fleet {

// Names of a run and of what is pushed of it: 32 small hexadecimal digits each.
struct PushId {
    std::string run;   // of the recording: the same for the same recording, whoever imports it and wherever
    std::string push;  // of the content: recording, range, rules, version of the facts and labels
};
bool is_id(std::string_view text);

// A table of a run, or of a table by_rank the rows of one rank.
struct Part {
    const Table* table = nullptr;
    std::optional<int64_t> rank;  // given exactly where table->by_rank
};

// Where the rows of a part come from: an open profile, or a database of a test.
class RowSource {
  public:
    virtual ~RowSource() = default;
    // For a store that lets DuckDB write the rows (COPY ... TO a file below write_folder()).
    virtual Result<duck::Rows> query(const duck::Statement& statement) = 0;
    // For a store that takes them one by one; NULL is an empty Cell.
    virtual Result<duck::Cursor> open_cursor(const duck::Statement& statement) = 0;
};

// A push that nobody sees yet. It ends with commit(); without it nothing of it is ever seen.
class Push {
  public:
    virtual ~Push() = default;
    // Whether the part is there whole, of an earlier try of the same push.
    virtual bool has(const Part& part) const = 0;
    // Takes the rows of a part, once. `rows` is a SELECT whose columns are those of part.table, all of them,
    // in their order and types (INTEGER types as BIGINT, kReal as DOUBLE), without `run`.
    virtual Status stage(const Part& part, RowSource& source, const duck::Statement& rows) = 0;
    // Makes all of it seen at once, in place of an earlier push of the run. `parts` are all of the push,
    // staged now or there before; one that is missing is an
    // error of the code kNotFound. After it all is on the disk.
    virtual Status commit(const std::vector<Part>& parts) = 0;
};

struct Answer {
    duck::Rows rows;    // of texts, integers, reals and empty cells
    bool more = false;  // there are more than were wanted
    // What a reader must know, a sentence each: what of a cluster does not answer, and what is missing for
    // that.
    std::vector<std::string> notes;
};

class Store {
  public:
    virtual ~Store() = default;
    // As it may be shown: without a password.
    virtual std::string name() const = 0;
    // What RowSource::query must be able to write below: a folder with a slash at its end; empty: nothing.
    virtual std::string write_folder() const = 0;
    // Whether that push is there and in force.
    virtual Result<bool> holds(const PushId& id) = 0;
    virtual Result<std::unique_ptr<Push>> begin(const PushId& id) = 0;

    virtual const Dialect& dialect() const = 0;
    // A question in the words of dialect.h. `run`: of that run alone, which the statement must say too (WHERE
    // run = $run); it only spares looking at others. Fails where a table's files or rows are not what they
    // must be.
    virtual Result<Answer> ask(const duck::Statement& question, const std::optional<std::string>& run) = 0;
    // A SELECT of the user's own, in the store's own SQL, over the tables by their names. It can change
    // nothing and reach nothing else. At most `most` rows.
    virtual Result<Answer> free_sql(const std::string& sql, int64_t most) = 0;

    // Questions from now on are for this asker: once he has gone away they fail, the one that runs soon.
    void serve(std::shared_ptr<CancellationToken> asker) { asker_ = std::move(asker); }

  protected:
    CancellationToken* asker() const { return asker_.get(); }  // null: nobody in particular
    bool asker_is_gone() const { return asker_ && asker_->cancelled(); }

  private:
    std::shared_ptr<CancellationToken> asker_;
};

// What a question fails with whose asker has gone away.
Error nobody_waits();

}  // namespace opsight::fleet
