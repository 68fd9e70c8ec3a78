#include "import/ncu/locale.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "import/ncu/columns.h"
#include "import/ncu/table.h"
#include "import/text/csv_rows.h"

namespace opsight::importer::ncu {
namespace {

// A table and the units of its metrics, which a wide one has in its first row.
struct Table {
    Columns columns;
    std::vector<std::string> units;
};

void add_values(Table& table, const std::vector<std::string>& row, LocaleVotes& votes) {
    const Columns& columns = table.columns;
    const std::string_view unit = columns.of(row, Column::kUnit);
    if (columns.sums()) {
        for (const Column column : {Column::kLeast, Column::kMost})
            votes.add(columns.of(row, column), unit);
        votes.add(columns.of(row, Column::kAverage));
    } else if (!columns.wide()) {
        votes.add(columns.of(row, Column::kValue), unit);
    } else if (columns.of(row, Column::kKernel).empty()) {
        table.units = row;
    } else {
        for (const Columns::Own& own : columns.own())
            if (own.place < row.size())
                votes.add(row[own.place], own.place < table.units.size() ? table.units[own.place] : "");
    }
}

}  // namespace

Locale locale_of(std::string_view start) {
    const std::unique_ptr<ByteSource> source = memory_source(start);
    CsvRows rows(*source);
    std::optional<Table> table;
    LocaleVotes votes;
    std::vector<std::string> row;
    for (;;) {
        const Result<bool> any = rows.next(row);
        // What does not end in the first part counts when the file is read.
        if (!any || !*any || rows.ends_inside()) break;
        if (starts_table(row))
            table = Table{Columns(row), {}};
        else if (table)
            add_values(*table, row, votes);
    }
    return votes.most();
}

}  // namespace opsight::importer::ncu
