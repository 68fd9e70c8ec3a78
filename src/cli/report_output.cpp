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
Status write_new(const fs::path& path, bool overwrite, const std::function<Status(const Sink&)>& write) {
    OPSIGHT_TRY(write_new_file(path.string(), overwrite, write));
    return print_text(path.string() + "\n");
}

std::string range_notes(const Range& range, int width) {
    std::string out;
    for (const std::string& note : range.notes)
        out += wrapped("note: " + note, width);
    return out;
}

Status write_json(const Report& report, const Range& range, const Sink& sink) {
    OPSIGHT_TRY(sink(fmt::format("{{\"range\": {},\n\"{}\": ", range_json(range), report.name)));
    OPSIGHT_TRY(write_report_json(report, sink));
    return sink("}\n");
}

// The name of each table: that of the report, or "report_table".
std::string name_of(const Report& report, const Section& section) {
    const bool plain = section.unnamed || report.sections.size() == 1;
    return plain ? report.name : report.name + "_" + section.table.name;
}

}  // namespace

Status write_named_file(const std::string& path, bool overwrite, std::string_view text) {
    return write_new(path, overwrite, [&](const Sink& sink) { return sink(text); });
}

Status ReportOutput::add(const Report& report, const Range& range) {
    if (done_ == 0) notes_shown_ = report.name == "summary";
    OPSIGHT_TRY(folder_.empty() ? print(report, range) : write_files(report, range));
    ++done_;
    return {};
}

Status ReportOutput::print(const Report& report, const Range& range) {
    if (format_ == Format::kCsv) return print_csv(report);
    if (format_ == Format::kTable)
        return print_text((done_ ? "\n" : "") + render_report_table(report, width_));
    if (done_ == 0) OPSIGHT_TRY(print_text("{\"range\": " + range_json(range)));
    OPSIGHT_TRY(print_text(fmt::format(",\n\"{}\": ", report.name)));
    return write_report_json(report, print_text);
}

Status ReportOutput::print_csv(const Report& report) {
    const bool several = reports_ > 1 || report.sections.size() > 1;
    for (size_t i = 0; i < report.sections.size(); ++i) {
        const Section& section = report.sections[i];
        if (several)  // a title line where more than one table follows
            OPSIGHT_TRY(print_text((done_ + i ? "\n" : "") + name_of(report, section) + "\n"));
        OPSIGHT_TRY(write_csv(section.table, print_text));
    }
    return {};
}

Status ReportOutput::finish(const Range& range) {
    if (!folder_.empty()) return {};
    if (format_ == Format::kJson) return print_text("}\n");
    if (format_ == Format::kTable && !notes_shown_) return print_text(range_notes(range, width_));
    return {};
}

Status ReportOutput::write_files(const Report& report, const Range& range) const {
    std::error_code problem;
    fs::create_directories(folder_, problem);
    if (problem) return fail("cannot make the folder: " + problem.message(), folder_);
    const fs::path folder(folder_);
    if (format_ == Format::kJson)
        return write_new(folder / (report.name + ".json"), overwrite_,
                         [&](const Sink& sink) { return write_json(report, range, sink); });
    if (format_ == Format::kTable)
        return write_new(folder / (report.name + ".txt"), overwrite_, [&](const Sink& sink) {
            return sink(render_report_table(report, 0) +
                        (report.name == "summary" ? "" : range_notes(range, 0)));
        });
    for (const Section& section : report.sections)
        OPSIGHT_TRY(write_new(folder / (name_of(report, section) + ".csv"), overwrite_,
                              [&](const Sink& sink) { return write_csv(section.table, sink); }));
    return {};
}

}  // namespace opsight::cli
