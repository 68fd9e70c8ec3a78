#include "import/text/csv_rows.h"

#include <fmt/format.h>

#include "import/text/clean_text.h"
#include "import/text/csv_fields.h"

namespace opsight::importer {

Result<bool> CsvRows::next(std::vector<std::string>& fields) {
    std::string text;
    OPSIGHT_ASSIGN(const bool any, lines_.next(text));
    if (!any) return false;
    row_line_ = lines_.number();
    // Lines of logs have quotes too, in no order.
    const bool may_go_on = text.starts_with('"') || (!text.empty() && text[0] >= '0' && text[0] <= '9');
    for (bool inside = may_go_on && has_odd_quotes(text); inside;) {
        std::string more;
        OPSIGHT_ASSIGN(const bool got, lines_.next(more));
        ends_inside_ = !got;
        inside = got && !has_odd_quotes(more);
        text.append("\n").append(more);
        if (text.size() > LineReader::kLongest)
            return fail("a text in quotes has no end", {}, fmt::format("line {}", row_line_),
                        "give the table as its program printed it");
    }
    split_csv(text, fields);
    for (std::string& field : fields)
        if (!is_clean(field)) clean_text(field);
    return true;
}

}  // namespace opsight::importer
