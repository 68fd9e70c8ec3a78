// Where `report` puts its tables: standard output, or a file for each of them. Reports come one by one, and
// their rows go out as they are read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/render.h"
#include "report/write_rows.h"

namespace opsight::cli {

// A file of `text`; its path goes to standard output.
Status write_named_file(const std::string& path, bool overwrite, std::string_view text);

class ReportOutput {
  public:
    // An empty `folder`: standard output, where lines of tables have up to `width` (0: any). `reports`: how
    // many will come.
    ReportOutput(report::Format format, std::string folder, bool overwrite, size_t reports, int width)
        : format_(format),
          folder_(std::move(folder)),
          overwrite_(overwrite),
          reports_(reports),
          width_(width) {}

    Status add(const query::Report& report, const query::Range& range);
    Status finish(const query::Range& range);

  private:
    Status print(const query::Report& report, const query::Range& range);
    Status print_csv(const query::Report& report);
    Status write_files(const query::Report& report, const query::Range& range) const;

    report::Format format_;
    std::string folder_;
    bool overwrite_;
    size_t reports_, done_ = 0;
    int width_;
    std::optional<report::ReportsText> json_;  // of standard output
    bool notes_shown_ = false;                 // the summary has the notes of the range itself
};

}  // namespace opsight::cli
