// What chains of elementwise ops move from op to op.
#include <gmock/gmock.h>

#include "advise/test_rules.h"

namespace opsight::advise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Advice chains(const std::string& types, const std::vector<std::string>& ops) {
    Recorded r;
    r.begin();
    for (int64_t i = 0; i < r.steps; ++i)
        for (size_t k = 0; k < ops.size(); ++k) {
            const int64_t at = static_cast<int64_t>(k), begin = Recorded::at(i) + (300 + 10 * at) * kUs;
            r.t.op(ops[k], begin, 8 * kUs, r.t.thread(), r.detail("[[1000, 1000], [1000]]", types));
            r.launched("elementwise_kernel", begin + kUs, Recorded::at(i) + 9 * kMs + at * 100 * kUs,
                       100 * kUs);
        }
    return r.ask("elementwise_chains", {});
}

TEST(ElementwiseChains, TellWhatGoesFromOpToOp) {
    const std::vector<std::string> ops(7, "aten::mul");
    const Advice found = chains("[\"float\", \"float\"]", ops);
    ASSERT_EQ(found.findings.size(), 1u);
    // Six results of 4 MB, written and read.
    EXPECT_THAT(found.findings[0].evidence, HasSubstr("Up to 0.048 GB of an iteration go from op to op"));
    EXPECT_THAT(found.findings[0].evidence, HasSubstr("estimate"));
    const Advice untold = chains("", ops);
    ASSERT_EQ(untold.findings.size(), 1u);
    EXPECT_THAT(untold.findings[0].evidence, Not(HasSubstr("GB")));
    // What a reduction gives to the next op is small.
    const Advice reduced =
        chains("[\"float\", \"float\"]",
               {"aten::mul", "aten::sum", "aten::mul", "aten::sum", "aten::mul", "aten::sum", "aten::mul"});
    ASSERT_EQ(reduced.findings.size(), 1u);
    EXPECT_THAT(reduced.findings[0].evidence, HasSubstr("Up to 0.024 GB"));
}

}  // namespace
}  // namespace opsight::advise
