#include "db/sql_names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analyze/results.h"
#include "base/duckdb.h"
#include "base/percent.h"
#include "model/entities.h"
#include "model/marks/nvtx_text.h"
#include "model/marks/serving_step.h"
#include "model/spans.h"

namespace opsight::db {
namespace {

Result<duck::Rows> ask(const std::string& expression) {
    OPSIGHT_ASSIGN(const duck::Database database, duck::Database::open(":memory:", {}));
    OPSIGHT_ASSIGN(duck::Connection connection, database.connect());
    OPSIGHT_TRY(define_names(connection));
    return connection.query("SELECT " + expression);
}

int64_t number(const std::string& expression) {
    const auto rows = ask(expression + "::BIGINT");
    return rows ? std::get<int64_t>(rows->rows.at(0)[0]) : -100;
}

TEST(SqlNames, StandForTheNumbersOfTables) {
    EXPECT_EQ(number("device_kind('graph')"), static_cast<int64_t>(DeviceKind::kGraph));
    EXPECT_EQ(number("host_kind('library')"), static_cast<int64_t>(HostKind::kLibrary));
    EXPECT_EQ(number("copy_kind('HtoD')"), static_cast<int64_t>(CopyKind::kHostToDevice));
    EXPECT_EQ(number("tc_use('unknown')"), static_cast<int64_t>(analyze::TensorCoreUse::kUnknown));
    EXPECT_EQ(number("has_flag(65, 'first_of_launch')"), 1);
    EXPECT_EQ(number("has_flag(1, 'first_of_launch')"), 0);
    EXPECT_EQ(number("is_work(device_kind('graph'))"), 0);
    EXPECT_EQ(number("is_busy(device_kind('graph'))"), 1);
    EXPECT_EQ(std::get<std::string>(ask("direction_name(direction('bprop'))")->rows.at(0)[0]), "bprop");
}

TEST(SqlNames, KnowCallsThatWaitInEachApi) {
    for (const char* call : {"cudaStreamSynchronize", "cuCtxSynchronize_v2", "hipDeviceSynchronize",
                             "urQueueFinish", "urEventWait", "piEventsWait"})
        EXPECT_EQ(number(fmt::format("is_wait_call('{}')", call)), 1) << call;
    // The last two put waits into a queue; what SYCL's runtime calls in turn would count twice.
    for (const char* call : {"zeEventHostSynchronize", "cudaStreamWaitEvent", "urEnqueueEventsWait"})
        EXPECT_EQ(number(fmt::format("is_wait_call('{}')", call)), 0) << call;
}

// As read_nvtx_text (model/marks) names them.
TEST(SqlNames, RangesOfHooksAreNamedByTheirModule) {
    const auto label = [](const std::string& text) {
        std::string quoted;
        for (const char c : text)
            quoted.append(c == '\'' ? "''" : std::string(1, c));
        return std::get<std::string>(ask("range_label('" + quoted + "')")->rows.at(0)[0]);
    };
    for (const char* text :
         {"{'Module': 'top.model.layers.0.mlp', 'TrainableParams': {'weight': [2, 4]}, 'Inputs': [[8, 4]]}",
          "{'Module': 'top'}", "{'Module': 'Torch Compiled Module (input):Net', 'x': [[8]]}",
          "{'Module': 'top.act', 'Outputs': [[8, 4]]}", "{'Module': ''}", "{'Module': 'cut",
          "{'Module': 'Outputs', 'Inputs': [[1]]}", "layer 3"})
        EXPECT_EQ(label(text), marks::read_nvtx_text(text, marks::NvtxDomain::kOther).name) << text;
}

TEST(SqlNames, FindTheStepsThatServersName) {
    for (const char* text : {"execute_9_context_1(sq5)_generation_8(sq8)", "execute_new_1_cached_8",
                             "step[DECODE bs=8]", "[Executor] _forward_step 1: 0 ctx reqs, 8 gen reqs"}) {
        EXPECT_TRUE(marks::serving_step(text)) << text;
        EXPECT_EQ(number(fmt::format("names_serving_step('{}')", text)), 1) << text;
    }
    for (const char* text : {"[Executor] _sample_async 1", "ProfilerStep#3", "my execute_model"})
        EXPECT_EQ(number(fmt::format("names_serving_step('{}')", text)), 0) << text;
}

TEST(SqlNames, KnowWorkOfNoOp) {
    for (const char* type : {"unassociated", "unattributed", "annotation"})
        EXPECT_EQ(number(fmt::format("is_pseudo_op('{}')", type)), 1) << type;
    EXPECT_EQ(number("is_pseudo_op('mm')"), 0);
}

TEST(SqlNames, SayWhatTimesAreBelieved) {
    EXPECT_EQ(number("is_believed(10, 10)"), 1);
    EXPECT_EQ(number("is_believed(-1, -1)"), 1) << "no bound is known";
    EXPECT_EQ(number("is_believed(NULL, NULL)"), 1) << "no work is known";
    EXPECT_EQ(number("is_believed(10, -1)"), 0);
}

TEST(SqlNames, WhatIsNotKnownHasNoName) {
    for (const char* macro : {"direction_name", "tc_use_name", "kernel_class_name", "memory_place"}) {
        const auto rows = ask(std::string(macro) + "(NULL)");
        ASSERT_TRUE(rows) << rows.error().what;
        EXPECT_TRUE(std::holds_alternative<std::monostate>(rows->rows.at(0)[0])) << macro;
    }
}

// One rule for percentages, whoever writes them.
TEST(SqlNames, PercentagesAreWrittenAsElsewhere) {
    for (const double percent : {12.34, 12.25, 0.15, 0.25, 0.019, 0.0499, 0.05, 0.0, -0.03, -12.25, 99.94,
                                 99.95, 99.99, 100.0, 123.45}) {
        const auto rows = ask(fmt::format("percent_text({}::DOUBLE)", percent));
        ASSERT_TRUE(rows) << rows.error().what;
        EXPECT_EQ(std::get<std::string>(rows->rows.at(0)[0]), percent_digits(percent) + "%");
    }
    EXPECT_EQ(percent_digits(0.019), "<0.1");
    EXPECT_TRUE(std::holds_alternative<std::monostate>(ask("percent_text(NULL)")->rows.at(0)[0]));
}

TEST(SqlNames, RefuseWhatThereIsNot) {
    const auto rows = ask("device_kind('kernels')");
    ASSERT_FALSE(rows);
    EXPECT_NE(rows.error().what.find("no device_kind kernels"), std::string::npos) << rows.error().what;
}

}  // namespace
}  // namespace opsight::db
