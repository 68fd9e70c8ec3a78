// Tables and reports as CSV and JSON, piece by piece: rows of a table's `stream` go out as they are read, so
// that millions of them need no memory.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "query/reports/reports.h"
#include "report/csv_writer.h"
#include "report/json_parts.h"

namespace opsight::report {

// Takes a piece of text; an error ends the writing.
using Sink = std::function<Status(std::string_view)>;

// A table that is written while its rows come. CSV is as of RFC 4180 with a header line, JSON an array of
// objects, a line for each.
class TableText {
  public:
    enum class Form { kCsv, kJson };
    // `put` writes each value of JSON.
    TableText(const std::vector<query::Column>& columns, Form form, PutCell put = put_cell);

    void add(const std::vector<std::vector<query::Cell>>& rows);
    void end();
    // What was written since the last time.
    std::string take();

  private:
    const std::vector<query::Column>& columns_;
    Form form_;
    PutCell put_;
    bool any_ = false;
    CsvWriter csv_;
    JsonWriter json_;
};

Status write_csv(const query::ResultTable& table, const Sink& sink);
Status write_json_rows(const query::ResultTable& table, const Sink& sink);
// Of tables without a stream.
std::string render_csv(const query::ResultTable& table);
std::string render_json_rows(const query::ResultTable& table);

// {"range": ..., NAME: ..., ...}: reports as they come, each an array of rows, or an object with a key for
// each part.
class ReportsText {
  public:
    ReportsText(const query::Range& range, Sink sink);
    Status add(const query::Report& report);
    Status end();

  private:
    Sink sink_;
    JsonWriter json_;
};

// An array of rows, or an object with a key for each part.
Status write_report_json(const query::Report& report, const Sink& sink);
// As ReportsText writes one, which has no stream.
std::string render_report_json(const query::Report& report, const query::Range& range);

}  // namespace opsight::report
