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

void add_values(const Columns& columns, const std::vector<std::string>& row, LocaleVotes& votes) {
    if (columns.sums()) {
        for (const Column column : {Column::kLeast, Column::kMost, Column::kAverage})
            votes.add(columns.of(row, column));
    } else if (!columns.wide()) {
        votes.add(columns.of(row, Column::kValue));
    } else {
        for (const Columns::Own& own : columns.own())
            if (own.place < row.size()) votes.add(row[own.place]);
    }
}

}  // namespace

Locale locale_of(std::string_view start) {
    const std::unique_ptr<ByteSource> source = memory_source(start);
    CsvRows rows(*source);
    std::optional<Columns> columns;
    LocaleVotes votes;
    std::vector<std::string> row;
    for (;;) {
        const Result<bool> any = rows.next(row);
        // What does not end in the first part counts when the file is read.
        if (!any || !*any || rows.ends_inside()) break;
        if (starts_table(row))
            columns.emplace(row);
        else if (columns)
            add_values(*columns, row, votes);
    }
    return votes.most();
}

}  // namespace opsight::importer::ncu
