// The list of reports.
#include "query/reports/reports.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "query/session/test_session.h"

namespace opsight::query {
namespace {

TEST(ListOfReports, SaysOfEachWhatItIs) {
    std::ifstream in(OPSIGHT_SOURCE_DIR "/docs/metrics.md");
    const std::string metrics((std::istreambuf_iterator<char>(in)), {});
    ASSERT_FALSE(metrics.empty());
    std::set<std::string_view> names;
    for (const ReportInfo& report : report_family().members) {
        EXPECT_TRUE(names.insert(report.name).second) << report.name << " is there twice";
        EXPECT_GT(report.description.size(), 10u) << report.name;
        EXPECT_LT(report.description.size(), 97u) << report.name << ": longer than a line of help";
        EXPECT_NE(metrics.find("`" + std::string(report.name) + "`"), std::string::npos)
            << "docs/metrics.md does not define the report " << report.name;
    }
}

// Of each the answer has its name, whatever the profile holds.
TEST(ListOfReports, MakesEachOfThem) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 10);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    for (const ReportInfo& info : report_family().members) {
        const auto report = make_report(session, info.name, {});
        ASSERT_TRUE(report.has_value()) << info.name << ": " << report.error().message();
        EXPECT_EQ(report->name, info.name);
        EXPECT_FALSE(report->title.empty()) << info.name;
    }
    const auto none = make_report(session, "nothing", {});
    ASSERT_FALSE(none.has_value());
    EXPECT_NE(none.error().remedy.find("scheduling"), std::string::npos) << none.error().remedy;
}

}  // namespace
}  // namespace opsight::query
