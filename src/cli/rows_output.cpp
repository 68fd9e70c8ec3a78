#include "cli/rows_output.h"

#include "cli/standard_output.h"
#include "report/csv_writer.h"
#include "report/write_rows.h"

namespace opsight::cli {

Status print_rows(const query::ResultTable& table, report::Format format) {
    if (format == report::Format::kCsv) return report::write_csv(table, print_text);
    if (format == report::Format::kJson) {
        OPSIGHT_TRY(report::write_json_rows(table, print_text));
        return print_text("\n");
    }
    std::string text = report::render_table(table, report::terminal_width());
    text.erase(0, text.find('\n') + 1);
    return print_text(text);
}

}  // namespace opsight::cli
