// The words in which kinds of stores differ. A question (fleet/questions/sql) is one text for all of them, in
// the SQL that DuckDB and ClickHouse since 18.16 share; where they differ it has one of these in double
// braces:
//
//   {{TABLE}}              the rows of a table of schema.h that are in force: of each run the push that is
//   current
//   {{join}} {{left_join}} joins that keep every pair, and NULL where the right side has no row
//   {{median(x)}}          the value in the middle of a group; of two in the middle the larger. NULL is left
//   out
//   {{quantile(x, p)}}     the element at place floor(p * count), counted from 0, of the values in order
//   {{ratio(a, b)}}        a / b as a real number, NULL where b is 0 or one of them NULL
//   {{text(x)}}            a number as text
//
// and $name where a value stands. What a question may use besides: SELECT, FROM, one JOIN ... USING in each
// SELECT (nest SELECTs for more), WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, UNION ALL, IN (SELECT), CASE;
// sum, count, min, max, avg, argMax, coalesce, greatest, least, floor; columns by their names, and no name
// given to a column that an input column of the same SELECT has, unless it is that column. No WITH, no
// window, no FILTER, no DISTINCT ON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sql.h"

namespace opsight::fleet {

class Dialect {
  public:
    virtual ~Dialect() = default;
    // A value as the store's SQL has it, with its type.
    virtual std::string literal(const duck::Cell& value) const = 0;
    // What stands for {{TABLE}} after FROM or JOIN; `table` is one of schema.h.
    virtual std::string relation(std::string_view table) const = 0;
    // What stands for {{NAME}} and {{NAME(ARGUMENTS)}} of the list above; `name` is one of it.
    virtual std::string word(std::string_view name, const std::vector<std::string>& arguments) const = 0;
};

// The statement in the words of the dialect, with its values. Fails on a word that is not in the list.
Result<std::string> written(const duck::Statement& statement, const Dialect& dialect);

}  // namespace opsight::fleet
