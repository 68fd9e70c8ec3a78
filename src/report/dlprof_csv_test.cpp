#include "report/dlprof_csv.h"

#include <gtest/gtest.h>

namespace opsight::report {
namespace {

using query::dlprof::Kind;

TEST(DlprofCsv, TitleHeadsAndRows) {
    const query::dlprof::Report report{
        "x",
        {{"A Report",
          {{"Id", Kind::kText},
           {"Type", Kind::kWord},
           {"Time (ns)"},
           {"Share (%)", Kind::kDecimal},
           {"Names", Kind::kText}},
          {{std::string("MM_1"), std::string("mm"), int64_t{12}, 0.25, std::string("a, b")},
           {std::string(), std::string("odd, \"type\""), query::Cell(), 99.96, std::string("say \"x\"")}}}}};
    EXPECT_EQ(render_dlprof_csv(report),
              "A Report\n"
              "Id,Type,Time (ns),Share (%),Names\n"
              "\"MM_1\",mm,12,0.2,\"a, b\"\n"
              "\"\",\"odd, \"\"type\"\"\",,100.0,\"say \"\"x\"\"\"\n");
}

TEST(DlprofCsv, SectionsStandApart) {
    const query::dlprof::Table facts{
        "Facts", {{"", Kind::kBare}, {"", Kind::kBare}}, {{std::string("GPU"), std::string("T4, T4")}}};
    const query::dlprof::Table sums{
        "Sums", {{"", Kind::kWord}, {"Time"}}, {{std::string("all"), int64_t{3}}}};
    EXPECT_EQ(render_dlprof_csv({"summary", {facts, sums}}), "Facts\nGPU,T4, T4\n\nSums\n,Time\nall,3\n");
}

}  // namespace
}  // namespace opsight::report
