#include "cli/report_output.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/new_file.h"
#include "cli/standard_output.h"
#include "report/render_info.h"
#include "report/render_report.h"

namespace opsight::cli {
namespace {

namespace fs = std::filesystem;

// A new file, whose path goes to standard output.
Status write_new(const fs::path& path, bool overwrite,
                 const std::function<Status(const report::Sink&)>& write) {
    OPSIGHT_TRY(write_new_file(path.string(), overwrite, write));
    return print_text(path.string() + "\n");
}

std::string range_notes(const query::Range& range, int width) {
    std::string out;
    for (const std::string& note : range.notes)
        out += report::wrapped("note: " + note, width);
    return out;
}

Status write_json(const query::Report& report, const query::Range& range, const report::Sink& sink) {
    report::ReportsText text(range, sink);
    OPSIGHT_TRY(text.add(report));
    return text.end();
}

// The name of each table: that of the report, or "report_table".
std::string name_of(const query::Report& report, const query::Section& section) {
    const bool plain = section.unnamed || report.sections.size() == 1;
    return plain ? report.name : report.name + "_" + section.table.name;
}

}  // namespace

Status write_named_file(const std::string& path, bool overwrite, std::string_view text) {
    return write_new(path, overwrite, [&](const report::Sink& sink) { return sink(text); });
}

Status ReportOutput::add(const query::Report& report, const query::Range& range) {
    if (done_ == 0) notes_shown_ = report.name == "summary";
    OPSIGHT_TRY(folder_.empty() ? print(report, range) : write_files(report, range));
    ++done_;
    return {};
}

Status ReportOutput::print(const query::Report& report, const query::Range& range) {
    if (format_ == report::Format::kCsv) return print_csv(report);
    if (format_ == report::Format::kTable)
        return print_text((done_ ? "\n" : "") + report::render_report_table(report, width_));
    if (!json_) json_.emplace(range, print_text);
    return json_->add(report);
}

Status ReportOutput::print_csv(const query::Report& report) {
    const bool several = reports_ > 1 || report.sections.size() > 1;
    for (size_t i = 0; i < report.sections.size(); ++i) {
        const query::Section& section = report.sections[i];
        if (several)  // a title line where more than one table follows
            OPSIGHT_TRY(print_text((done_ + i ? "\n" : "") + name_of(report, section) + "\n"));
        OPSIGHT_TRY(report::write_csv(section.table, print_text));
    }
    return {};
}

Status ReportOutput::finish(const query::Range& range) {
    if (!folder_.empty()) return {};
    if (json_) return json_->end();
    if (format_ == report::Format::kTable && !notes_shown_) return print_text(range_notes(range, width_));
    return {};
}

Status ReportOutput::write_files(const query::Report& report, const query::Range& range) const {
    std::error_code problem;
    fs::create_directories(folder_, problem);
    if (problem) return fail("cannot make the folder: " + problem.message(), folder_);
    const fs::path folder(folder_);
    if (format_ == report::Format::kJson)
        return write_new(folder / (report.name + ".json"), overwrite_,
                         [&](const report::Sink& sink) { return write_json(report, range, sink); });
    if (format_ == report::Format::kTable)
        return write_new(folder / (report.name + ".txt"), overwrite_, [&](const report::Sink& sink) {
            return sink(report::render_report_table(report, 0) +
                        (report.name == "summary" ? "" : range_notes(range, 0)));
        });
    for (const query::Section& section : report.sections)
        OPSIGHT_TRY(
            write_new(folder / (name_of(report, section) + ".csv"), overwrite_,
                      [&](const report::Sink& sink) { return report::write_csv(section.table, sink); }));
    return {};
}

}  // namespace opsight::cli
