#include "report/render.h"
#include "report/write_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/render_comparison.h"
#include "report/render_html.h"
#include "report/render_page.h"
#include "report/render_report.h"

namespace opsight::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

query::ResultTable sample() {
    query::ResultTable table;
    table.name = "kernel";
    table.title = "Kernel Report";
    table.columns = {{"kernel_name", "Kernel Name"},
                     {"uses_tc", "Uses TC"},
                     {"total_gpu_time_ns", "Total GPU Time (ns)", query::Unit::kNs},
                     {"calls", "Calls", query::Unit::kCount, 1},
                     {"bytes", "Bytes", query::Unit::kBytes, 2}};
    table.rows = {{std::string("void gemm<float, 128>(a, \"b\")"), true, int64_t{2500000}, int64_t{3},
                   std::monostate{}},
                  {std::string("copy"), false, int64_t{1000}, int64_t{12}, int64_t{2048}}};
    return table;
}

TEST(RenderTable, EachCellInItsUnitAndAlignedNumbers) {
    EXPECT_EQ(render_table(sample(), 0),
              "Kernel Report\n"
              "Kernel Name                    Uses TC  Total GPU Time  Calls     Bytes\n"
              "-----------------------------------------------------------------------\n"
              "void gemm<float, 128>(a, \"b\")      yes        2.500 ms      3         -\n"
              "copy                                no        1.000 µs     12  2.00 KiB\n");
}

TEST(RenderTable, FitsANarrowTerminalAndSaysWhatIsMissing) {
    query::ResultTable table = sample();
    table.rows[0][0] = std::string(200, 'k');
    table.rows[1][2] = int64_t{1000000};  // a byte for each column that it takes
    const std::string text = render_table(table, 60);
    for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\n', at);
        EXPECT_LE(end - at, 60u) << text.substr(at, end - at);
        at = end + 1;
    }
    EXPECT_THAT(text, HasSubstr("columns do not fit"));
    EXPECT_THAT(text, Not(HasSubstr("Bytes")));
    EXPECT_THAT(text, HasSubstr("Total GPU Time"));
    EXPECT_THAT(text, HasSubstr("kk..kk"));
}

TEST(RenderTable, NamesAreShortenedFurtherWhereNoColumnMayGo) {
    query::ResultTable table;
    table.columns = {{"op_name", "Op Name"}, {"kernel_name", "Kernel Name"}};
    table.rows = {{std::string(30, 'n'), std::string(40, 'k')}};
    const std::string text = render_table(table, 40);
    for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        EXPECT_LE(text.find('\n', at) - at, 40u);
}

// Names of templates differ in the middle.
TEST(RenderTable, NamesThatDifferLookDifferent) {
    query::ResultTable table;
    table.columns = {{"kernel_name", "Kernel Name"}};
    const std::string begin = "void at::native::elementwise_kernel<128, 4, at::native::",
                      end = std::string(60, 'x') + ">(int)";
    table.rows = {{begin + "AddFunctor<float>" + end},
                  {begin + "MulFunctor<float>" + end},
                  {begin + "AddFunctor<float>" + end}};
    for (const int width : {40, 60, 100}) {
        const std::string text = render_table(table, width);
        EXPECT_THAT(text, HasSubstr("AddFunc")) << width;
        EXPECT_THAT(text, HasSubstr("MulFunc")) << width;
        for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
            EXPECT_LE(text.find('\n', at) - at, static_cast<size_t>(width));
    }
}

TEST(RenderTable, NumbersAreNeverShortened) {
    query::ResultTable table;
    table.columns = {{"name", "A Long Head"},
                     {"a", "Another Long Head", query::Unit::kCount},
                     {"b", "And One More", query::Unit::kCount}};
    table.rows = {{std::string(40, 'n'), int64_t{1234567890123}, int64_t{9876543210}}};
    const std::string text = render_table(table, 40);
    EXPECT_THAT(text, HasSubstr("1234567890123"));
    EXPECT_THAT(text, HasSubstr("9876543210"));
    for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        EXPECT_LE(text.find('\n', at) - at, 40u);
}

TEST(RenderTable, NotesAreWrapped) {
    EXPECT_EQ(wrapped("note: one two three", 0), "note: one two three\n");
    EXPECT_EQ(wrapped("note: one two three", 12), "note: one\n    two\n    three\n");
    for (const int width : {1, 2, 3, 4, 5})
        EXPECT_EQ(wrapped("note: one two three", width), "note:\n    one\n    two\n    thre\n    e\n")
            << width;
    EXPECT_EQ(wrapped("aaaaaaaaaaaaaaaaaaaa", 8), "aaaaaaaa\n    aaaa\n    aaaa\n    aaaa\n");
}

TEST(RenderTable, TextsOfMegabytesAreWrappedInOnePass) {
    // 4 minutes where each line looks at all that follows it.
    const std::string text = wrapped(std::string(8'000'000, 'a') + " end", 80);
    EXPECT_EQ(std::ranges::count(text, '\n'), 105'264);
    EXPECT_TRUE(text.ends_with("\n    aaaaaaaa end\n"));
}

TEST(RenderReport, NothingInItSteersATerminal) {
    query::ResultTable table;
    table.name = "diagnostics";
    table.columns = {{"count", "Count"}, {"severity", "Severity"}, {"key", "Key"}, {"help", "Help"}};
    table.rows = {{int64_t{1}, "note", "key", "\x1b[2J\xe2\x80\xae"}};
    query::Report report;
    report.sections = {{table, false}};
    report.notes = {"\x1b]0;title\x07"};
    for (const std::string& text : {render_report_table(report, 0), render_comparison(report, 0)}) {
        EXPECT_THAT(text, HasSubstr("\\x1b]0;title\\x07"));
        EXPECT_EQ(text.find('\x1b'), text.npos);
        EXPECT_EQ(text.find("\xe2\x80\xae"), text.npos);
    }
}

TEST(RenderTable, NamesKeepMoreRoomThanOtherTexts) {
    query::ResultTable table;
    table.columns = {{"op_name", "Op Name"}, {"shapes", "Input Shapes"}};
    table.rows = {{std::string(38, 'n'), std::string(60, 's')}};
    EXPECT_THAT(render_table(table, 60), HasSubstr(std::string(38, 'n') + "  "));
    EXPECT_THAT(render_table(table, 50), HasSubstr(std::string(17, 'n') + ".." + std::string(17, 'n') + "  " +
                                                   std::string(5, 's') + ".." + std::string(5, 's') + '\n'));
}

TEST(RenderTable, ControlCharactersDoNotReachTheTerminal) {
    query::ResultTable table = sample();
    table.rows[0][0] = std::string("evil\x1b[2J\nname");
    EXPECT_THAT(render_table(table, 0), HasSubstr("evil\\x1b[2J name"));
}

TEST(RenderTable, SaysWhenRowsWereLeftOut) {
    query::ResultTable table = sample();
    table.rows_in_all = 40;
    EXPECT_THAT(render_table(table, 0), HasSubstr("2 of 40 rows"));
    table.rows.clear();
    EXPECT_THAT(render_table(table, 0), HasSubstr("(no rows)"));
}

TEST(RenderCsv, QuotesAndExactValues) {
    EXPECT_EQ(render_csv(sample()),
              "Kernel Name,Uses TC,Total GPU Time (ns),Calls,Bytes\n"
              "\"void gemm<float, 128>(a, \"\"b\"\")\",yes,2500000,3,\n"
              "copy,no,1000,12,2048\n");
}

TEST(RenderJson, TypedValuesAndBrokenUtf8) {
    query::ResultTable table = sample();
    table.rows[1][0] = std::string("bad\xff");
    const auto rows = nlohmann::json::parse(render_json_rows(table));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0]["total_gpu_time_ns"], 2500000);
    EXPECT_EQ(rows[0]["uses_tc"], true);
    EXPECT_TRUE(rows[0]["bytes"].is_null());
    EXPECT_EQ(rows[1]["kernel_name"], "bad\xEF\xBF\xBD");
    EXPECT_EQ(render_json_rows(query::ResultTable{}), "[]");
}

TEST(Format, UnknownNameIsAUsageError) {
    EXPECT_EQ(*parse_format("csv"), Format::kCsv);
    EXPECT_EQ(parse_format("xml").error().exit_code, 2);
}

TEST(RenderHtml, IdsAreExactAndMomentsAreMoments) {
    query::Report report{"kernels", "Kernels", {}, {}};
    query::ResultTable& table = report.sections.emplace_back().table;
    table.columns = {{"stream", "Stream", query::Unit::kCount, 0, query::Role::kId},
                     {"calls", "Calls", query::Unit::kCount},
                     {"begin_ns", "Begin (ns)", query::Unit::kNs, 0, query::Role::kMoment},
                     {"duration_ns", "Duration (ns)", query::Unit::kNs}};
    table.rows = {{int64_t{12345}, int64_t{12345}, int64_t{1234567890}, int64_t{1234567890}}};
    const std::string html = render_html("run", "opsight", {report});
    EXPECT_THAT(html, HasSubstr(">12345</td><td class=\"n\" data-v=\"12345\">12,345</td>"));
    EXPECT_THAT(html, HasSubstr(">1,234.567890 ms</td><td class=\"n\" data-v=\"1234567890\">1.23 s</td>"));
}

TEST(RenderPage, AColumnOfFewWordsTellsThem) {
    query::ResultTable table;
    table.columns = {{"direction", "Direction", query::Unit::kNone, 0, query::Role::kDirection},
                     {"op_name", "Op Name"}};
    table.shown = {"op_name", "direction"};
    const auto page = nlohmann::json::parse(render_page_json(table, {}));
    EXPECT_EQ(page["columns"][0]["role"], "direction");
    EXPECT_EQ(page["columns"][0]["choices"][1], nlohmann::json({{"value", "bprop"}, {"word", "backward"}}));
    EXPECT_FALSE(page["columns"][1].contains("choices"));
    EXPECT_EQ(page["shown"], nlohmann::json({"op_name", "direction"}));
}

}  // namespace
}  // namespace opsight::report
