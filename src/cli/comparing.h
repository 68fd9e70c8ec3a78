// The options and the work of a comparison, for the commands that make one.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/range_flags.h"
#include "query/compare/gates.h"
#include "query/compare/runs.h"
#include "report/write_rows.h"

namespace opsight::cli {

// As CSV: its tables one after another, each after a line with its name.
Status write_tables(const query::Report& report, const report::Sink& sink);

class Comparing {
  public:
    // All options but the runs themselves.
    void declare(CLI::App& sub);
    // The exit code: 0, or that of a limit that does not hold. No list may be empty.
    Result<int> compare(const std::vector<std::string>& base, const std::vector<std::string>& next);

  private:
    Result<std::vector<query::Gate>> parse_gates() const;
    struct Wanted {
        bool problems = false;  // those that advice finds
        query::WorkOptions work;
    };
    Result<query::Side> read(const std::string& path, const query::RunChoice& choice,
                             const Wanted& wanted) const;
    Status check_options() const;
    Status show(const query::Comparison& comparison, const std::vector<query::GateResult>& results) const;
    Status write(const query::Comparison& comparison, const std::vector<query::GateResult>& results,
                 const report::Sink& sink) const;

    enum class Form : uint8_t { kTable, kCsv, kJson, kMarkdown, kHtml, kSvg };
    static Result<Form> parse_form(const std::string& name);

    std::string format_ = "table", output_, junit_, report_ = "all";
    std::vector<int64_t> per_sample_;
    Form form_ = Form::kTable;
    std::vector<std::string> limits_;
    int64_t limit_ = -1;
    bool force_ = false, wide_ = false, strict_ = false;
    RangeFlags range_;
};

}  // namespace opsight::cli
