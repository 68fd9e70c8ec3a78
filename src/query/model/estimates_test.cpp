#include "query/model/estimates.h"

#include <gmock/gmock.h>

#include "cost/test_network.h"

namespace opsight::query {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// What is taken in place of a format's own peak is said of each row.
TEST(Estimates, NotesOfEachConfiguration) {
    cost::Maker maker;
    const TensorId x = maker.input({1, 64});
    const ModelGraph& graph = maker.done(maker.node("MatMul", {x, maker.weight({64, 64})}, {1, 64}));
    const cost::Network network(graph);
    EstimateQuestion question;
    question.devices = {cost::device("v100-sxm2")};
    question.precisions = {hardware::Precision::kTf32, hardware::Precision::kFp8, hardware::Precision::kInt8};
    const std::vector<EstimateAnswer> answers = answer_estimates(network, question);
    ASSERT_EQ(answers.size(), 3u);
    EXPECT_THAT(answers[0].estimate.notes, Contains(HasSubstr("peak for products in tf32")));
    const ResultTable table = configuration_table(answers);
    EXPECT_THAT(table.notes, Contains(HasSubstr("peak for products in fp8")));
    EXPECT_THAT(table.notes, Contains(HasSubstr("peak for products in int8")));
    EXPECT_THAT(table.notes, ::testing::Not(Contains(HasSubstr("in tf32")))) << "stands below the totals";
}

}  // namespace
}  // namespace opsight::query
