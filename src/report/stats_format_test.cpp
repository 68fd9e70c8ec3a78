#include "report/stats_format.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace opsight::report::nsys {
namespace {

query::ResultTable sample() {
    return query::headed::table(
        {},
        {query::headed::percent("Time (%)"), query::headed::time("Total Time"),
         query::headed::count("Instances"), query::headed::time("Avg"), query::headed::bytes("Size"),
         query::headed::text("Name")},
        {{53.4, int64_t{1154050}, int64_t{2}, 577025.0, int64_t{8388608}, std::string("a<b, \"c\">")},
         {46.6, int64_t{1008390}, int64_t{1}, 1008390.0, std::monostate{}, std::string("copy\tit")}});
}

std::string made(const char* format, TimeUnit unit = TimeUnit::kNs) {
    return render(sample(), *parse_format(format), unit);
}

TEST(StatsFormat, Columns) {
    EXPECT_EQ(made("column"),
              " Time (%)  Total Time (ns)  Instances   Avg (ns)    Size (MB)    Name   \n"
              " --------  ---------------  ---------  -----------  ---------  ---------\n"
              "     53.4        1,154,050          2    577,025.0      8.389  a<b, \"c\">\n"
              "     46.6        1,008,390          1  1,008,390.0             copy it  \n");
    EXPECT_EQ(made("column:nohdr:nofmt:0:0:0:.:0:4"),
              "  577025.0  a<b\u2026\n"
              " 1008390.0  cop\u2026\n");
}

TEST(StatsFormat, ColumnsAreCutAtAHundredCharacters) {
    const query::ResultTable table =
        query::headed::table({}, {query::headed::text("Name")}, {{std::string(150, 'x')}});
    const std::string cut = render(table, *parse_format("column:nohdr"), TimeUnit::kNs);
    EXPECT_EQ(cut, " " + std::string(99, 'x') + "\u2026\n");
    EXPECT_EQ(render(table, *parse_format("column:nohdr:nolimit"), TimeUnit::kNs),
              " " + std::string(150, 'x') + "\n");
}

TEST(StatsFormat, Table) {
    EXPECT_EQ(made("table:0:.:0:0:0:."),
              "+-----------------+-----------+\n"
              "| Total Time (ns) |   Name    |\n"
              "+-----------------+-----------+\n"
              "|       1,154,050 | a<b, \"c\"> |\n"
              "|       1,008,390 | copy it   |\n"
              "+-----------------+-----------+\n");
}

TEST(StatsFormat, SeparatedValues) {
    EXPECT_EQ(made("csv"),
              "Time (%),Total Time (ns),Instances,Avg (ns),Size (MB),Name\n"
              "53.4,1154050,2,577025.0,8.389,\"a<b, \"\"c\"\">\"\n"
              "46.6,1008390,1,1008390.0,,copy\tit\n");
    EXPECT_EQ(made("csv:nohdr", TimeUnit::kMs),
              "53.4,1.154050,2,0.577025,8.389,\"a<b, \"\"c\"\">\"\n"
              "46.6,1.008390,1,1.008390,,copy\tit\n");
    EXPECT_EQ(made("tsv:nohdr"),
              "53.4\t1154050\t2\t577025.0\t8.389\ta<b, \"c\">\n"
              "46.6\t1008390\t1\t1008390.0\t\tcopy it\n");
    EXPECT_NE(made("tsv:esc").find("copy\\tit"), std::string::npos);
}

TEST(StatsFormat, Json) {
    EXPECT_EQ(
        made("json", TimeUnit::kUs),
        "[\n"
        "  {\"Time (%)\":53.4,\"Total Time (us)\":1154.050,\"Instances\":2,\"Avg (us)\":577.025,\"Size "
        "(MB)\":8.389,\"Name\":\"a<b, \\\"c\\\">\"},\n"
        "  {\"Time (%)\":46.6,\"Total Time (us)\":1008.390,\"Instances\":1,\"Avg (us)\":1008.390,\"Size "
        "(MB)\":null,\"Name\":\"copy\\tit\"}\n"
        "]\n");
    EXPECT_EQ(nlohmann::json::parse(made("json")).size(), 2U);
    EXPECT_EQ(render(query::headed::table({}, {query::headed::text("Name")}, {}), *parse_format("json"),
                     TimeUnit::kNs),
              "[]\n");
}

TEST(StatsFormat, Html) {
    EXPECT_NE(made("htable").find("<td>a&lt;b, &quot;c&quot;&gt;</td></tr>"), std::string::npos);
    const std::string page = made("hdoc:title=My run:css=my.css");
    EXPECT_NE(page.find("<title>My run</title>\n<link rel=\"stylesheet\" href=\"my.css\">"),
              std::string::npos);
    EXPECT_TRUE(made("hdoc").starts_with("<!DOCTYPE html>"));
}

TEST(StatsFormat, RefusesWhatAFormatDoesNotTake) {
    for (const char* text : {"xml", "json:nohdr", "csv:esc", "column:wide", "htable:title=x", "column:-1"})
        EXPECT_FALSE(parse_format(text)) << text;
}

TEST(StatsFormat, UnitsOfTimeAreSpelledAsNsysTakesThem) {
    const std::pair<const char*, TimeUnit> words[] = {{"nsec", TimeUnit::kNs},
                                                      {"nanoseconds", TimeUnit::kNs},
                                                      {"usec", TimeUnit::kUs},
                                                      {"microseconds", TimeUnit::kUs},
                                                      {"msec", TimeUnit::kMs},
                                                      {"milliseconds", TimeUnit::kMs},
                                                      {"seconds", TimeUnit::kSeconds},
                                                      {"sec", TimeUnit::kSeconds},
                                                      {"ms", TimeUnit::kMs},
                                                      {"mic", TimeUnit::kUs},
                                                      {"n", TimeUnit::kNs}};
    for (const auto& [word, unit] : words) {
        const auto read = parse_time_unit(word);
        ASSERT_TRUE(read) << word;
        EXPECT_EQ(*read, unit) << word;
    }
    for (const char* wrong : {"", "m", "mi", "h", "secs", "NSEC"})
        EXPECT_FALSE(parse_time_unit(wrong)) << wrong;
}

}  // namespace
}  // namespace opsight::report::nsys
