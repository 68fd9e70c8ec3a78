#include "exports/spreadsheet/xlsx.h"

#include <fmt/format.h>
#include <xlsxwriter.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/output_file.h"
#include "base/temporary_folder.h"
#include "db/reader.h"
#include "exports/wire/valid_utf8.h"
#include "query/ask/table_parts.h"
#include "query/reports/reports.h"
#include "query/reports/source_reports.h"
#include "query/whatif/path.h"

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

    Status add(const std::string& name, const query::ResultTable& table) {
        lxw_worksheet* sheet = workbook_add_worksheet(book_, sheet_name(name).c_str());
        const auto columns = static_cast<lxw_col_t>(std::min<size_t>(table.columns.size(), LXW_COL_MAX));
        for (lxw_col_t c = 0; c < columns; ++c)
            put_text(sheet, 0, c, table.columns[c].header, bold_);
        int64_t rows = 0;
        const auto put_part = [&](const query::TableRows& part) -> Status {
            if (rows == 0) set_widths(sheet, table.columns, part);
            rows = put_rows(sheet, columns, part, rows);
            return {};
        };
        OPSIGHT_TRY(query::each_part(table, put_part));
        worksheet_freeze_panes(sheet, 1, 0);
        if (columns > 0 && rows > 0)
            worksheet_autofilter(sheet, 0, 0, static_cast<lxw_row_t>(std::min(rows, kMostRows)),
                                 static_cast<lxw_col_t>(columns - 1));
        left_out_ += std::max<int64_t>(rows - kMostRows, 0);
        ++sheets_;
        return {};
    }

    Status close(const std::string& path) {
        const lxw_error problem = workbook_close(std::exchange(book_, nullptr));
        return problem == LXW_NO_ERROR
                   ? Status()
                   : fail(fmt::format("cannot be written: {}", lxw_strerror(problem)), path, {},
                          "is the disk full? Nothing was changed under this name");
    }
    void leave_out(std::string report) { reports_left_out_.push_back(std::move(report)); }
    int64_t sheets() const { return sheets_; }
    const std::vector<std::string>& reports_left_out() const { return reports_left_out_; }
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

    // By the headers and the first rows.
    static void set_widths(lxw_worksheet* sheet, const std::vector<query::Column>& columns,
                           const query::TableRows& rows) {
        for (size_t c = 0; c < std::min<size_t>(columns.size(), LXW_COL_MAX); ++c) {
            size_t width = columns[c].header.size();
            for (size_t r = 0; r < std::min<size_t>(rows.size(), 50); ++r)
                if (const auto* text = std::get_if<std::string>(&rows[r][c]))
                    width = std::max(width, text->size());
            const auto column = static_cast<lxw_col_t>(c);
            worksheet_set_column(sheet, column, column,
                                 static_cast<double>(std::clamp<size_t>(width + 2, 8, 60)), nullptr);
        }
    }

    // How many rows the sheet has been given now, which had `before`: those that fit are in it.
    int64_t put_rows(lxw_worksheet* sheet, lxw_col_t columns, const query::TableRows& rows, int64_t before) {
        const int64_t fit = std::clamp<int64_t>(kMostRows - before, 0, std::ssize(rows));
        for (int64_t r = 0; r < fit; ++r)
            for (lxw_col_t c = 0; c < columns; ++c)
                put(sheet, static_cast<lxw_row_t>(before + r + 1), c, rows[static_cast<size_t>(r)][c]);
        return before + std::ssize(rows);
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
    std::vector<std::string> reports_left_out_;
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
        if (info.name == "critical_path") {
            OPSIGHT_ASSIGN(const int64_t spans, query::too_many_to_replay(session));
            if (spans > 0) {
                book.leave_out(fmt::format("{}, of which {} spans are too many: choose fewer iterations",
                                           info.name, spans));
                continue;
            }
        }
        query::TableShape shape;
        shape.limit = kMostRows + 1;  // one more tells that some are left out
        shape.stream_last = true;
        OPSIGHT_ASSIGN(const query::Report report, query::make_report(session, info.name, shape));
        for (const query::Section& section : report.sections) {
            const bool plain = section.unnamed || report.sections.size() == 1;
            const std::string name = plain ? report.name : report.name + " " + section.table.name;
            OPSIGHT_TRY(book.add(name, section.single ? upright(section.table) : section.table));
        }
    }
    return {};
}

Result<std::string> write(const Job& job) {
    if (job.scope.rank)
        return fail(
            Error{"a workbook is of all ranks", {}, {}, "leave --rank out; tables have a column Rank", 2});
    OPSIGHT_ASSIGN(query::Session session, query::Session::open(job.profile, range_of(job.scope),
                                                                db::with_little_memory(job.profile)));
    OPSIGHT_ASSIGN(OutputFile file, OutputFile::reserve(job.output, job.replace));
    OPSIGHT_ASSIGN(const TemporaryFolder temporary, TemporaryFolder::create());
    Workbook book(file.temporary(), temporary.path());
    OPSIGHT_TRY(add_reports(session, book));
    OPSIGHT_TRY(book.close(job.output));
    OPSIGHT_TRY(file.commit());
    std::string done = fmt::format("{} sheets", book.sheets());
    if (book.left_out() > 0) done += ", without at least one row of those that are too long for the format";
    for (const std::string& report : book.reports_left_out())
        done += ", without " + report;
    if (book.cut() > 0) done += fmt::format(", {} texts cut at {} bytes", book.cut(), kLongestText);
    return done;
}

}  // namespace

Format xlsx_format() {
    return {"xlsx", ".xlsx", "a workbook of Excel with a sheet for each report", false, false, write};
}

}  // namespace opsight::exports
