// The words of fleet/store/dialect.h for ClickHouse, and where they differ between 18.16 and today's
// releases.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "fleet/store/dialect.h"

namespace opsight::fleet::clickhouse {

// What stands for a table of schema.h.
struct Relation {
    std::string name;   // of the table with the rows of all nodes
    std::string rows;   // a condition on its rows: the blocks in force
    std::string whole;  // a SELECT of the columns of schema.h from these rows
};
using Relations = std::function<Relation(std::string_view table)>;

class ClickHouseDialect : public Dialect {
  public:
    explicit ClickHouseDialect(Relations relations) : relations_(std::move(relations)) {}
    std::string literal(const duck::Cell& value) const override;
    std::string relation(std::string_view table) const override;
    std::string word(std::string_view name, const std::vector<std::string>& arguments) const override;

  private:
    Relations relations_;
};

// The tables that a question names in double braces.
std::set<std::string> tables_of(std::string_view question);

// A question whose tables are written out. A table that a SELECT reads FROM stands as itself, with a
// PREWHERE, so that each node works on its own rows and sends sums; one that is joined is a SELECT in
// parentheses.
std::string with_relations(std::string_view question, const Relations& relations);

}  // namespace opsight::fleet::clickhouse
