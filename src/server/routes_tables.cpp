// Every table, by pages or as a whole to download.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "query/reports/rank_reports.h"
#include "query/tables/tables.h"
#include "report/render_page.h"
#include "report/write_rows.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

constexpr int64_t kDefaultPage = 50, kLargestPage = 1000, kMostFilters = 16;
constexpr size_t kPartBytes = 256 * 1024;  // of a download

constexpr std::pair<std::string_view, query::RowFilter::Is> kOperators[] = {
    {"contains", query::RowFilter::Is::kContains}, {"eq", query::RowFilter::Is::kEqual},
    {"ne", query::RowFilter::Is::kNotEqual},       {"lt", query::RowFilter::Is::kLess},
    {"le", query::RowFilter::Is::kAtMost},         {"gt", query::RowFilter::Is::kMore},
    {"ge", query::RowFilter::Is::kAtLeast},        {"under", query::RowFilter::Is::kUnder},
};

// "key:op:value"
Expected<query::RowFilter> read_filter(const std::string& text) {
    const size_t first = text.find(':');
    const size_t second = first == text.npos ? first : text.find(':', first + 1);
    if (second != text.npos) {
        const std::string_view is = std::string_view(text).substr(first + 1, second - first - 1);
        for (const auto& [name, op] : kOperators)
            if (name == is) return query::RowFilter{text.substr(0, first), op, text.substr(second + 1)};
    }
    return fail(Problem(
        400, "wrong_filter", fmt::format("'{}' is not a filter", text),
        "a filter is COLUMN:OPERATOR:VALUE, the operators are contains, under, eq, ne, lt, le, gt, ge"));
}

Expected<query::TableShape> read_shape(const Call& call) {
    query::TableShape shape;
    shape.sort = call.text("sort");
    OPSIGHT_ASSIGN(shape.by_rank, call.flag("by_rank"));
    OPSIGHT_ASSIGN(shape.by_host, call.flag("by_host"));
    if (shape.by_rank && shape.by_host)
        return fail(Problem(400, "bad_request", "by_rank and by_host exclude each other", "leave one out"));
    OPSIGHT_ASSIGN(shape.by_device, call.flag("by_device"));
    OPSIGHT_ASSIGN(shape.merge_numbers, call.flag("merge_numbers"));
    OPSIGHT_ASSIGN(shape.critical_path, call.flag("critical_path"));
    query::Page page;
    page.search = call.text("search");
    OPSIGHT_ASSIGN(page.size, call.number("page_size", kDefaultPage, 1, kLargestPage));
    OPSIGHT_ASSIGN(const int64_t number, call.number("page", 0, 0, int64_t{1} << 40));
    page.first = number * page.size;
    const std::vector<std::string> filters = call.all("filter"), wanted = call.all("place_of");
    if (std::max(std::ssize(filters), std::ssize(wanted)) > kMostFilters)
        return fail(Problem(400, "wrong_filter", "there are too many filters",
                            fmt::format("give {} at most", kMostFilters)));
    for (const std::string& text : filters) {
        OPSIGHT_ASSIGN(query::RowFilter filter, read_filter(text));
        page.filters.push_back(std::move(filter));
    }
    for (const std::string& text : wanted) {
        OPSIGHT_ASSIGN(query::RowFilter filter, read_filter(text));
        page.place_of.push_back(std::move(filter));
    }
    shape.page = std::move(page);
    return shape;
}

Problem cannot_download(const std::string& table, const std::string& why) {
    return {500, "failed", fmt::format("the table '{}' cannot be downloaded: {}", table, why),
            "this is a mistake of Opsight: please report it"};
}

// The rows of a download, made while they are sent. Holds its session until then.
struct Download {
    Lease session;
    query::ResultTable table;
    report::TableText text;
    bool csv, ended = false;

    Download(Lease of, query::ResultTable wanted, bool as_csv)
        : session(std::move(of)),
          table(std::move(wanted)),
          text(table.columns, as_csv ? report::TableText::Form::kCsv : report::TableText::Form::kJson,
               report::put_page_cell),
          csv(as_csv) {}

    Result<std::string> next() {
        std::string part;
        std::vector<std::vector<query::Cell>> rows;
        while (!ended && part.size() < kPartBytes) {
            rows.clear();
            OPSIGHT_ASSIGN(const bool more, table.stream->read(rows));
            text.add(rows);
            ended = !more;
            if (ended) text.end();
            part += text.take();
            if (ended && !csv) part += '\n';
        }
        return part;
    }
};

// "resnet50 kernels.csv": the run, and what of it; without what a header or a file system could take wrongly.
std::string file_name(const std::string& run, const std::string& table, bool csv) {
    std::string name = run + " " + table + (csv ? ".csv" : ".json");
    for (char& c : name)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e ||
            std::string_view("\"\\/:*?<>|;").find(c) != std::string_view::npos)
            c = '-';
    return name;
}

// What fails before the first rows are there can still be said.
Expected<Response> download(Lease session, query::ResultTable table, bool csv, const std::string& run) {
    const std::string title = table.title, file = file_name(run, title, csv);
    auto rows = std::make_shared<Download>(std::move(session), std::move(table), csv);
    Result<std::string> first = rows->next();
    if (!first) return fail(cannot_download(title, first.error().what));
    Response response;
    response.type = csv ? "text/csv; charset=utf-8" : "application/json";
    response.headers.emplace_back("Content-Disposition", "attachment; filename=\"" + file + "\"");
    response.more = [rows, first = std::optional(std::move(*first))]() mutable -> Result<std::string> {
        return first ? *std::exchange(first, {}) : rows->next();
    };
    return response;
}

// What is about ranks beside each other needs them all: of a chosen rank it shows the rows.
Expected<void> take_rows_of_rank(const Call& call, size_t profile, query::RangeOptions& range,
                                 query::TableShape& shape) {
    const std::string& name = call.path("name");
    if (!range.rank || !query::is_about_ranks(name)) return {};
    if (query::is_of_whole_job(name))
        return fail(Problem(400, "of_all_ranks",
                            fmt::format("the table {} is about all ranks together", name),
                            "leave rank out, or ask for another table"));
    OPSIGHT_TRY(call.profiles().lease(profile, range, {}, call.request().cancellation));  // there is one
    shape.page->filters.push_back({"rank", query::RowFilter::Is::kEqual, std::to_string(*range.rank)});
    range.rank.reset();
    return {};
}

Expected<Response> table(Call& call) {
    const std::string& name = call.path("name");
    if (!query::table_family().has(name)) {
        const Error unknown = query::table_family().no_such(name);
        return fail(Problem(404, "not_found", unknown.what, unknown.remedy));
    }
    OPSIGHT_ASSIGN(query::TableShape shape, read_shape(call));
    const std::string format = call.text("format"), as_file = call.text("download");
    if (!(format.empty() || format == "json" || format == "csv"))
        return fail(
            Problem(400, "bad_request", fmt::format("unknown format '{}'", format), "use json or csv"));
    if (!(as_file.empty() || as_file == "json" || as_file == "csv"))
        return fail(
            Problem(400, "bad_request", fmt::format("unknown format '{}'", as_file), "use json or csv"));
    const bool csv = format == "csv" || as_file == "csv", whole = csv || as_file == "json";
    if (whole) {
        shape.page->first = shape.page->size = 0;
        shape.page->streamed = true;
    }
    query::TableSubject subject;
    if (query::needs_op(name)) {
        OPSIGHT_ASSIGN(subject.op, call.needed_number("op"));
    }
    OPSIGHT_ASSIGN(const size_t number, call.profiles().number_of(call.path("id")));
    OPSIGHT_ASSIGN(query::RangeOptions range, call.profiles().range_of(call, number));
    if (query::needs_iteration(name)) {
        OPSIGHT_ASSIGN(const int64_t iteration, call.needed_number("iteration"));
        range.all = range.whole = false;
        range.start = range.stop = iteration;
    }
    OPSIGHT_TRY(take_rows_of_rank(call, number, range, shape));
    OPSIGHT_ASSIGN(Lease session, call.profiles().lease(number, range, query::kept_name(name, subject, shape),
                                                        call.request().cancellation));
    OPSIGHT_ASSIGN(query::ResultTable made, query::make_table(*session, name, subject, shape));
    if (whole && !made.stream) return fail(cannot_download(name, "its rows are not streamed"));
    if (whole) return download(std::move(session), std::move(made), csv, call.profiles().name(number));
    return json_response(report::render_page_json(made, session->range()));
}

}  // namespace

std::vector<Route> table_routes() {
    return {
        {"GET", "/api/v1/profiles/{id}/tables/{name}", table,
         range_parameters() + std::vector<std::string>{"sort", "page", "page_size", "search", "filter",
                                                       "place_of", "by_rank", "by_host", "by_device",
                                                       "merge_numbers", "critical_path", "format", "download",
                                                       "op", "iteration"},
         Kept::kAnswer},
    };
}

}  // namespace opsight::server
