// Reports for people name the matrix units as their maker does.
#include <gmock/gmock.h>

#include "query/reports/matrix_units.h"
#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// The headers of the summary's first table, and the notes, as people get them.
std::vector<std::string> words_on(std::initializer_list<std::string_view> devices) {
    analyze::TestProfile t;
    int64_t number = 0;
    for (const std::string_view device : devices) {
        t.gpu(number, device, 9, 0);
        t.kernel("some_kernel", 100 * number, 50, t.stream(7, number), number + 1);
        ++number;
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    auto report = make_report(session, "summary", {.for_people = true});
    if (!report) {
        ADD_FAILURE() << report.error().message();
        return {};
    }
    const auto amd = has_matrix_cores(session);
    EXPECT_TRUE(amd);
    if (amd && *amd) speak_of_matrix_cores(*report);
    std::vector<std::string> words = report->notes;
    for (const Column& column : report->sections.at(0).table.columns)
        words.push_back(column.header);
    return words;
}

TEST(MatrixUnits, HaveTheNameThatTheirMakerGives) {
    const auto amd = words_on({"AMD Instinct MI300X"});
    EXPECT_THAT(amd, Contains("Matrix Core Kernel Utilization %"));
    EXPECT_THAT(amd, Contains("TC: Matrix Cores, AMD's counterpart of Tensor Cores"));
    const auto nvidia = words_on({"NVIDIA H100 80GB HBM3"});
    EXPECT_THAT(nvidia, Contains("Tensor Core Kernel Utilization %"));
    EXPECT_THAT(nvidia, Not(Contains(HasSubstr("Matrix Core"))));
    EXPECT_THAT(words_on({"AMD Instinct MI300X", "NVIDIA H100 80GB HBM3"}),
                Not(Contains(HasSubstr("Matrix Core"))));
}

}  // namespace
}  // namespace opsight::query
