#include "report/dlprof_csv.h"

#include <gtest/gtest.h>

#include "query/ask/headed.h"

namespace opsight::report {
namespace {

namespace headed = query::headed;

TEST(DlprofCsv, TitleHeadsAndRows) {
    query::Report report;
    report.sections.push_back({headed::table(
        "A Report",
        {headed::text("Id"), headed::text("Type", query::Role::kTypes), headed::time("Time"),
         headed::percent("Share (%)"), headed::text("Names")},
        {{std::string("MM_1"), std::string("mm"), int64_t{12}, 0.25, std::string("a, b")},
         {std::string(), std::string("odd, \"type\""), query::Cell(), 99.96, std::string("say \"x\"")}})});
    EXPECT_EQ(render_dlprof_csv(report),
              "A Report\n"
              "Id,Type,Time (ns),Share (%),Names\n"
              "\"MM_1\",mm,12,0.2,\"a, b\"\n"
              "\"\",\"odd, \"\"type\"\"\",,100.0,\"say \"\"x\"\"\"\n");
}

TEST(DlprofCsv, SectionsStandApart) {
    query::Report report;
    report.sections.push_back({headed::table("Facts", {{"fact", ""}, {"value", ""}},
                                             {{std::string("GPU"), std::string("T4, T4")}})});
    report.sections.push_back(
        {headed::table("Sums", {{"name", ""}, headed::time("Time")}, {{std::string("all"), int64_t{3}}})});
    EXPECT_EQ(render_dlprof_csv(report), "Facts\nGPU,T4, T4\n\nSums\n,Time (ns)\nall,3\n");
}

}  // namespace
}  // namespace opsight::report
