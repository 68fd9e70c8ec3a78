// Answers as ClickHouse's format TabSeparatedWithNamesAndTypes has them: exact, and of any type.
#pragma once

#include <string_view>

#include "base/duckdb.h"

namespace opsight::fleet::clickhouse {

inline constexpr std::string_view kAnswerFormat = "TabSeparatedWithNamesAndTypes";

// Integers and reals are read as such, all else is text. Fails on what is not whole.
Result<duck::Rows> read_tsv(std::string_view text);

}  // namespace opsight::fleet::clickhouse
