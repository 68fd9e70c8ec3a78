#include "query/mapping/cloud_file.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/small_file.h"
#include "query/model/mapping_cloud.h"

namespace opsight::query {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kLargest = size_t{64} << 20;  // bytes
constexpr size_t kBegin = 512;                 // bytes that the mark stands in
constexpr size_t kMostPoints = 100'000;
constexpr size_t kMostTold = 10'000;
constexpr size_t kMostRows = 10'000;               // of any other table
constexpr size_t kLongestText = size_t{64} << 10;  // bytes

constexpr const char* kAgain =
    "write it again: opsight map ARCH PROBLEM --cloud 100000 --format json > cloud.json";

// Reads fields of objects; the first one that is not as it should be is the error.
class CloudReader {
  public:
    explicit CloudReader(const std::string& path) : path_(path) {}

    auto wrong(const std::string& where, std::string_view what) const {
        return fail(fmt::format("is not a cloud of mappings as Opsight writes it: {} {}", where, what), path_,
                    {}, kAgain);
    }

    Result<dom::element> element(const dom::object& in, std::string_view key,
                                 const std::string& where) const {
        dom::element out;
        if (in[key].get(out) != simdjson::SUCCESS) return wrong(where + std::string(key), "is missing");
        return out;
    }

    Result<std::string> text(const dom::object& in, std::string_view key,
                             const std::string& where = {}) const {
        OPSIGHT_ASSIGN(const dom::element value, element(in, key, where));
        std::string_view out;
        if (value.get(out) != simdjson::SUCCESS) return wrong(where + std::string(key), "is not a text");
        if (out.size() > kLongestText) return wrong(where + std::string(key), "is too long");
        return std::string(out);
    }

    // All amounts of a cloud are 0 or more.
    Result<int64_t> whole(const dom::object& in, std::string_view key, const std::string& where = {}) const {
        OPSIGHT_ASSIGN(const dom::element value, element(in, key, where));
        int64_t out = 0;
        if (value.get(out) != simdjson::SUCCESS || out < 0)
            return wrong(where + std::string(key), "is not a whole number of 0 or more");
        return out;
    }

    Result<double> number(const dom::object& in, std::string_view key, const std::string& where = {}) const {
        OPSIGHT_ASSIGN(const dom::element value, element(in, key, where));
        double out = 0;
        if (value.get(out) != simdjson::SUCCESS || !(out >= 0))
            return wrong(where + std::string(key), "is not a number of 0 or more");
        return out;
    }

    Result<dom::array> list(const dom::object& in, std::string_view key, size_t most,
                            const std::string& where = {}) const {
        OPSIGHT_ASSIGN(const dom::element value, element(in, key, where));
        dom::array out;
        if (value.get(out) != simdjson::SUCCESS) return wrong(where + std::string(key), "is not a list");
        if (out.size() > most)
            return fail(fmt::format("{}{} has {} entries, and the viewer shows {} at most", where, key,
                                    out.size(), most),
                        path_, {},
                        "write it with fewer: opsight map ... --cloud N --points 20000 --format json");
        return out;
    }

    Result<ResultTable> table(const dom::object& in, std::string_view key, ResultTable empty, size_t most,
                              const std::string& where = {}) const {
        OPSIGHT_ASSIGN(const dom::array rows, list(in, key, most, where));
        size_t number = 0;
        for (const dom::element each : rows) {
            const std::string place = fmt::format("{}{}, row {}, ", where, key, ++number);
            dom::object row;
            if (each.get(row) != simdjson::SUCCESS) return wrong(place, "is not an object");
            std::vector<Cell>& cells = empty.rows.emplace_back();
            for (const Column& column : empty.columns) {
                OPSIGHT_ASSIGN(Cell value, cell(row, column, place));
                cells.push_back(std::move(value));
            }
        }
        return empty;
    }

  private:
    Result<Cell> cell(const dom::object& row, const Column& column, const std::string& where) const {
        OPSIGHT_ASSIGN(const dom::element value, element(row, column.key, where));
        if (value.is_null()) return Cell();
        if (column.unit == Unit::kCount || column.role == Role::kId) {
            OPSIGHT_ASSIGN(const int64_t out, whole(row, column.key, where));
            return Cell(out);
        }
        if (column.role == Role::kYesNo) {
            bool yes = false;
            if (value.get(yes) == simdjson::SUCCESS) return Cell(yes);
            OPSIGHT_ASSIGN(const int64_t out, whole(row, column.key, where));
            if (out > 1) return wrong(where + column.key, "is neither 0 nor 1");
            return Cell(out == 1);
        }
        if (is_text(column)) {
            OPSIGHT_ASSIGN(std::string out, text(row, column.key, where));
            return Cell(std::move(out));
        }
        OPSIGHT_ASSIGN(const double out, number(row, column.key, where));
        return Cell(out);
    }

    const std::string& path_;
};

Result<ToldMapping> read_told(const CloudReader& read, const dom::element& in, const std::string& where) {
    dom::object object;
    if (in.get(object) != simdjson::SUCCESS) return read.wrong(where, "is not an object");
    ToldMapping told;
    OPSIGHT_ASSIGN(told.draw, read.whole(object, "draw", where));
    OPSIGHT_ASSIGN(told.energy_pj, read.number(object, "energy_pj", where));
    OPSIGHT_ASSIGN(told.cycles, read.whole(object, "cycles", where));
    OPSIGHT_ASSIGN(told.utilization, read.number(object, "utilization", where));
    OPSIGHT_ASSIGN(told.loop_nest, read.text(object, "loop_nest", where));
    OPSIGHT_ASSIGN(told.levels, read.table(object, "levels", no_mapping_levels(), kMostRows, where));
    return told;
}

size_t column_of(const ResultTable& table, std::string_view key) {
    const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                    [key](const Column& column) { return column.key == key; });
    return static_cast<size_t>(found - table.columns.begin());
}

// Whoever draws them needs their numbers, and cycles above 0: their axis is of powers.
Status check_numbers(const CloudReader& read, const ResultTable& table, const std::string& name) {
    if (table.rows.empty()) return read.wrong(name, "has no row");
    const size_t cycles = column_of(table, "cycles");
    for (size_t i = 0; i < table.rows.size(); ++i) {
        const std::string place = fmt::format("{}, row {},", name, i + 1);
        for (const Cell& cell : table.rows[i])
            if (std::holds_alternative<std::monostate>(cell))
                return read.wrong(place, "has a number that is null");
        if (cycles < table.columns.size() && std::get<int64_t>(table.rows[i][cycles]) < 1)
            return read.wrong(place, "has no cycles");
    }
    return {};
}

// Each row of a table can be opened.
Status check_told(const CloudReader& read, const ResultTable& table, const std::string& name,
                  const std::set<int64_t>& told) {
    const size_t draw = column_of(table, "draw");
    for (const std::vector<Cell>& row : table.rows) {
        const int64_t* number = std::get_if<int64_t>(&row[draw]);
        if (number == nullptr || !told.contains(*number))
            return read.wrong(name, fmt::format("names draw {}, which is not told", number ? *number : -1));
    }
    return {};
}

Result<CloudFile> read_fields(const CloudReader& read, const dom::object& in) {
    CloudFile cloud;
    OPSIGHT_ASSIGN(cloud.problem, read.text(in, "problem"));
    OPSIGHT_ASSIGN(cloud.mappings, read.whole(in, "mappings"));
    OPSIGHT_ASSIGN(const dom::element fewest, read.element(in, "fewest_outer_accesses", {}));
    dom::object least;
    if (fewest.get(least) != simdjson::SUCCESS)
        return read.wrong("fewest_outer_accesses", "is not an object");
    OPSIGHT_ASSIGN(cloud.outer_level, read.text(least, "level", "fewest_outer_accesses."));
    OPSIGHT_ASSIGN(const dom::array notes, read.list(in, "notes", kMostRows));
    for (const dom::element note : notes) {
        std::string_view text;
        if (note.get(text) != simdjson::SUCCESS) return read.wrong("notes", "has what is not a text");
        cloud.notes.emplace_back(text.substr(0, kLongestText));
    }
    OPSIGHT_ASSIGN(cloud.best, read.table(in, "best", no_cloud_best(), kMostRows));
    OPSIGHT_ASSIGN(cloud.front, read.table(in, "front", no_cloud_front(), kMostTold));
    OPSIGHT_ASSIGN(cloud.points, read.table(in, "points", no_cloud_points(), kMostPoints));
    OPSIGHT_ASSIGN(const dom::array all, read.list(in, "told", kMostTold));
    for (const dom::element each : all) {
        OPSIGHT_ASSIGN(ToldMapping told,
                       read_told(read, each, fmt::format("told, entry {}, ", cloud.told.size() + 1)));
        cloud.told.push_back(std::move(told));
    }
    return cloud;
}

}  // namespace

bool is_cloud(const std::string& path) {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem)) return false;
    std::string begin(kBegin, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return begin.starts_with('{') && begin.find(fmt::format("\"{}\"", kCloudMark)) != std::string::npos;
}

Result<CloudFile> read_cloud(const std::string& path) {
    OPSIGHT_ASSIGN(const std::string text, small_regular_file(path, kLargest));
    const CloudReader read(path);
    dom::parser parser;
    dom::object in;
    if (const auto problem = parser.parse(text).get(in); problem != simdjson::SUCCESS)
        return fail(fmt::format("is not whole, or not JSON: {}", simdjson::error_message(problem)), path, {},
                    kAgain);
    OPSIGHT_ASSIGN(const int64_t format, read.whole(in, kCloudMark));
    if (format != kCloudFormat)
        return fail(fmt::format("is of format {}, and this Opsight reads format {}", format, kCloudFormat),
                    path, {}, "view it with the Opsight that wrote it, or write it again with this one");
    OPSIGHT_ASSIGN(CloudFile cloud, read_fields(read, in));
    OPSIGHT_TRY(check_numbers(read, cloud.front, "front"));
    OPSIGHT_TRY(check_numbers(read, cloud.points, "points"));
    OPSIGHT_TRY(check_numbers(read, cloud.best, "best"));
    std::set<int64_t> told;
    for (const ToldMapping& each : cloud.told)
        told.insert(each.draw);
    OPSIGHT_TRY(check_told(read, cloud.front, "front", told));
    OPSIGHT_TRY(check_told(read, cloud.best, "best", told));
    return cloud;
}

}  // namespace opsight::query
