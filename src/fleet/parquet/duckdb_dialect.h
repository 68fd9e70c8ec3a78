// The words of fleet/store/dialect.h for DuckDB, and the tables that a statement used.
#pragma once

#include <set>
#include <string>

#include "fleet/store/dialect.h"

namespace opsight::fleet::parquet {

class DuckDbDialect : public Dialect {
  public:
    std::string literal(const duck::Cell& value) const override { return duck::literal(value); }
    std::string relation(std::string_view table) const override { return duck::quote_name(table); }
    std::string word(std::string_view name, const std::vector<std::string>& arguments) const override;
};

// Names of tables of schema.h that stand in a statement as words: of these a store makes views.
std::set<std::string> tables_in(std::string_view sql);

}  // namespace opsight::fleet::parquet
