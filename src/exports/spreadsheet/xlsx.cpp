#include "exports/spreadsheet/xlsx.h"

#include <fmt/format.h>
#include <xlsxwriter.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/output_file.h"
#include "base/temporary_folder.h"
#include "exports/wire/valid_utf8.h"
#include "query/reports/reports.h"
#include "query/reports/source_reports.h"

namespace opsight::exports {
namespace {

// Limits of the format.
constexpr int64_t kMostRows = LXW_ROW_MAX - 1;  // the first one has the headers
constexpr size_t kLongestText = 32767, kLongestName = LXW_SHEETNAME_MAX;

class Workbook {
  public:
    Workbook(const std::string& path, std::string temporary) {
        // Rows go to the disk as they come; equal texts are not gathered in memory.
        lxw_workbook_options options{};
        options.constant_memory = LXW_TRUE;
        options.tmpdir = temporary.data();
        book_ = workbook_new_opt(path.c_str(), &options);
        bold_ = workbook_add_format(book_);
        format_set_bold(bold_);
        format_set_bottom(bold_, LXW_BORDER_THIN);
    }
    Workbook(const Workbook&) = delete;
    Workbook& operator=(const Workbook&) = delete;
    ~Workbook() {
        if (book_) workbook_close(book_);
    }

    void add(const std::string& name, const query::ResultTable& table) {
        lxw_worksheet* sheet = workbook_add_worksheet(book_, sheet_name(name).c_str());
        const auto columns = static_cast<lxw_col_t>(std::min<size_t>(table.columns.size(), LXW_COL_MAX));
        for (lxw_col_t c = 0; c < columns; ++c) {
            const std::string& header = table.columns[c].header;
            worksheet_set_column(sheet, c, c, width_of(table, c), nullptr);
            put_text(sheet, 0, c, header, bold_);
        }
        const int64_t rows = std::min(std::ssize(table.rows), kMostRows);
        for (int64_t r = 0; r < rows; ++r)
            for (lxw_col_t c = 0; c < columns; ++c)
                put(sheet, static_cast<lxw_row_t>(r + 1), c, table.rows[static_cast<size_t>(r)][c]);
        worksheet_freeze_panes(sheet, 1, 0);
        if (columns > 0 && rows > 0)
            worksheet_autofilter(sheet, 0, 0, static_cast<lxw_row_t>(rows),
                                 static_cast<lxw_col_t>(columns - 1));
        left_out_ += std::ssize(table.rows) - rows;
        ++sheets_;
    }

    Status close(const std::string& path) {
        const lxw_error problem = workbook_close(std::exchange(book_, nullptr));
        return problem == LXW_NO_ERROR
                   ? Status()
                   : fail(fmt::format("cannot be written: {}", lxw_strerror(problem)), path, {},
                          "is the disk full? Nothing was changed under this name");
    }
    int64_t sheets() const { return sheets_; }
    int64_t left_out() const { return left_out_; }
    int64_t cut() const { return cut_; }

  private:
    // Names have up to 31 characters, no []:*?/\ and are told apart without case.
    std::string sheet_name(const std::string& wanted) {
        std::string name = wanted.substr(0, kLongestName);
        for (int number = 2; !names_.insert(name).second; ++number) {
            const std::string end = fmt::format(" {}", number);
            name = wanted.substr(0, kLongestName - end.size()) + end;
        }
        return name;
    }

    static double width_of(const query::ResultTable& table, size_t column) {
        size_t width = table.columns[column].header.size();
        for (size_t r = 0; r < std::min<size_t>(table.rows.size(), 50); ++r)
            if (const auto* text = std::get_if<std::string>(&table.rows[r][column]))
                width = std::max(width, text->size());
        return static_cast<double>(std::clamp<size_t>(width + 2, 8, 60));
    }

    void put(lxw_worksheet* sheet, lxw_row_t row, lxw_col_t column, const query::Cell& cell) {
        if (const auto* text = std::get_if<std::string>(&cell)) put_text(sheet, row, column, *text, nullptr);
        if (const auto* flag = std::get_if<bool>(&cell))
            worksheet_write_boolean(sheet, row, column, *flag, nullptr);
        if (const auto* whole = std::get_if<int64_t>(&cell)) put_whole(sheet, row, column, *whole);
        if (const auto* real = std::get_if<double>(&cell))
            worksheet_write_number(sheet, row, column, *real, nullptr);
    }

    // A number of the format is a double: what it cannot hold exactly stays a text.
    void put_whole(lxw_worksheet* sheet, lxw_row_t row, lxw_col_t column, int64_t value) {
        constexpr int64_t kExact = int64_t{1} << 53;
        if (value >= -kExact && value <= kExact)
            worksheet_write_number(sheet, row, column, static_cast<double>(value), nullptr);
        else
            put_text(sheet, row, column, fmt::to_string(value), nullptr);
    }

    // Always as a text: one that begins with '=' is not a formula.
    void put_text(lxw_worksheet* sheet, lxw_row_t row, lxw_col_t column, std::string_view text,
                  lxw_format* format) {
        std::string whole = valid_utf8(text);
        if (whole.size() > kLongestText) {
            whole.resize(kLongestText - 4);
            whole = valid_utf8(whole);
            ++cut_;
        }
        if (!whole.empty()) worksheet_write_string(sheet, row, column, whole.c_str(), format);
    }

    lxw_workbook* book_ = nullptr;
    lxw_format* bold_ = nullptr;
    std::set<std::string> names_;
    int64_t sheets_ = 0, left_out_ = 0, cut_ = 0;
};

// A table of one row as a row for each of its columns.
query::ResultTable upright(const query::ResultTable& table) {
    query::ResultTable out;
    out.columns = {{"name", "Name"}, {"value", "Value"}};
    for (size_t c = 0; c < table.columns.size() && !table.rows.empty(); ++c)
        out.rows.push_back({table.columns[c].header, table.rows[0][c]});
    return out;
}

query::RangeOptions range_of(const Scope& scope) {
    query::RangeOptions range;
    if (scope.start) {
        range.start = *scope.start;
        range.stop = *scope.stop;
    }
    return range;
}

Status add_reports(query::Session& session, Workbook& book) {
    for (const query::ReportInfo& info : query::report_family().members) {
        OPSIGHT_ASSIGN(const bool there, query::is_recorded(session, info.name));
        if (!there) continue;
        query::TableShape shape;
        shape.limit = kMostRows + 1;  // one more tells that some are left out
        OPSIGHT_ASSIGN(const query::Report report, query::make_report(session, info.name, shape));
        for (const query::Section& section : report.sections) {
            const bool plain = section.unnamed || report.sections.size() == 1;
            const std::string name = plain ? report.name : report.name + " " + section.table.name;
            book.add(name, section.single ? upright(section.table) : section.table);
        }
    }
    return {};
}

Result<std::string> write(const Job& job) {
    if (job.scope.rank)
        return fail(
            Error{"a workbook is of all ranks", {}, {}, "leave --rank out; tables have a column Rank", 2});
    OPSIGHT_ASSIGN(query::Session session, query::Session::open(job.profile, range_of(job.scope)));
    OPSIGHT_ASSIGN(OutputFile file, OutputFile::reserve(job.output, job.replace));
    OPSIGHT_ASSIGN(const TemporaryFolder temporary, TemporaryFolder::create());
    Workbook book(file.temporary(), temporary.path());
    OPSIGHT_TRY(add_reports(session, book));
    OPSIGHT_TRY(book.close(job.output));
    OPSIGHT_TRY(file.commit());
    std::string done = fmt::format("{} sheets", book.sheets());
    if (book.left_out() > 0) done += ", without at least one row of those that are too long for the format";
    if (book.cut() > 0) done += fmt::format(", {} texts cut at {} bytes", book.cut(), kLongestText);
    return done;
}

}  // namespace

Format xlsx_format() {
    return {"xlsx", ".xlsx", "a workbook of Excel with a sheet for each report", false, false, write};
}

}  // namespace opsight::exports
