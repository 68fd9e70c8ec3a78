#include "db/sql_names.h"

#include <gtest/gtest.h>

#include "analyze/results.h"
#include "base/duckdb.h"
#include "model/entities.h"
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

TEST(SqlNames, WhatIsNotKnownHasNoName) {
    for (const char* macro : {"direction_name", "tc_use_name", "kernel_class_name", "memory_place"}) {
        const auto rows = ask(std::string(macro) + "(NULL)");
        ASSERT_TRUE(rows) << rows.error().what;
        EXPECT_TRUE(std::holds_alternative<std::monostate>(rows->rows.at(0)[0])) << macro;
    }
}

TEST(SqlNames, LittleIsNotNothing) {
    for (const auto& [percent, text] :
         {std::pair("12.34", "12.3%"), std::pair("0.019", "0.019%"), std::pair("0", "0.0%"),
          std::pair("99.99", ">99.9%"), std::pair("100", "100.0%")})
        EXPECT_EQ(std::get<std::string>(ask(std::string("percent_text(") + percent + ")")->rows.at(0)[0]),
                  text);
}

TEST(SqlNames, RefuseWhatThereIsNot) {
    const auto rows = ask("device_kind('kernels')");
    ASSERT_FALSE(rows);
    EXPECT_NE(rows.error().what.find("no device_kind kernels"), std::string::npos) << rows.error().what;
}

}  // namespace
}  // namespace opsight::db
