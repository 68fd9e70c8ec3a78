// A SELECT of a user, made to read what is in force and nothing else.
#pragma once

#include <string>

#include "fleet/clickhouse/clickhouse_dialect.h"

namespace opsight::fleet::clickhouse {

struct FreeSql {
    std::string text;              // with the tables written out
    std::set<std::string> tables;  // that it reads
};

// After FROM and JOIN a table of schema.h or a SELECT in parentheses may stand, after IN parentheses with
// values or a SELECT. Functions that read files, other servers or dictionaries are refused, and so are commas
// between tables and what other releases read in another way: # and $ outside of quotes.
Result<FreeSql> made_safe(const std::string& sql, const Relations& relations);

}  // namespace opsight::fleet::clickhouse
