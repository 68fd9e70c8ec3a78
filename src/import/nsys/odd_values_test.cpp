// What an export tells wrongly, or not at all.
#include <gtest/gtest.h>

#include <algorithm>

#include "import/nsys/test_export.h"

namespace opsight::importer {
namespace {

using namespace testing;

TEST(Nsys, WhatHasNoEndIsLeftOutAndCounted) {
    const TempFolder folder;
    const Profile p =
        import_sql(folder, kTables + call(100, 120, 7, 3) + kernel(130, 190, 3) + call(200, 220, 7, 4) +
                               kernel(230, 290, 4) +
                               "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET end = NULL WHERE correlationId = 4;"
                               "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = NULL WHERE correlationId = 4;" +
                               call(5000, 5010, 7, 5));
    EXPECT_EQ(p.host.size(), 2u);
    EXPECT_EQ(p.device.size(), 1u);
    EXPECT_EQ(p.diagnostics.count(Diag::kMissingEnd), 2);
}

TEST(Nsys, NoValueIsReplacedSilently) {
    const TempFolder folder;
    const auto replaced = [&](const std::string& change) {
        const Profile p = import_sql(folder, kTables + call(100, 120, 7, 3) + kernel(130, 190, 3) +
                                                 call(200, 220, 7, 4) + kernel(230, 290, 4) + change);
        EXPECT_EQ(p.device.size(), 2u);
        EXPECT_EQ(p.ranks.size(), 1u);
        return p.diagnostics.count(Diag::kReplacedValue);
    };
    EXPECT_EQ(replaced(""), 0);
    EXPECT_EQ(replaced("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = NULL WHERE correlationId = 4;"), 1);
    EXPECT_EQ(replaced("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET streamId = NULL;"), 2);
    EXPECT_EQ(replaced("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = NULL WHERE correlationId = 4;"),
              1);
    const Profile p = import_sql(
        folder,
        kTables + call(100, 120, 7, 3) + kernel(130, 190, 3) +
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT, "
            "streamId INT, correlationId INT, globalPid INT, bytes INT, copyKind INT);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10, 20, 0, 1, 7, 9, " +
            number(kProcess) + ", -64, 1);");
    EXPECT_EQ(p.diagnostics.count(Diag::kReplacedValue), 1);
    EXPECT_EQ(*std::max_element(p.device.bytes.begin(), p.device.bytes.end()), -1);
}

// 2^32: its lower half would be a success.
TEST(Nsys, ResultsOfCallsThatDoNotFitAreNotKnown) {
    const TempFolder folder;
    const auto result = [&](const std::string& value) {
        return import_sql(folder, kTables + call(100, 120, 7, 3) +
                                      "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = " + value + ";")
            .api_result.at(0);
    };
    EXPECT_EQ(result("700"), 700);
    EXPECT_EQ(result("4294967296"), -1);
}

TEST(Nsys, ViewsAndUnknownSchemasAreTold) {
    const TempFolder folder;
    const Profile p =
        import_sql(folder, kTables + call(100, 120, 7, 3) +
                               "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO kernels;"
                               "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM kernels;"
                               "CREATE VIEW other AS SELECT 1;"
                               "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
                               "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '4.0.1');");
    EXPECT_EQ(p.diagnostics.count(Diag::kTableIsView), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kNewerSchema), 1);
    const Profile known =
        import_sql(folder, kTables + call(100, 120, 7, 3) +
                               "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
                               "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0');");
    EXPECT_EQ(known.diagnostics.count(Diag::kNewerSchema), 0);
}

TEST(Nsys, TablesThatAreNotUsedAreListedWithTheirRows) {
    const TempFolder folder;
    const Profile p =
        import_sql(folder, kTables + call(100, 120, 7, 3) +
                               "CREATE TABLE FECS_EVENTS (a INT); INSERT INTO FECS_EVENTS VALUES "
                               "(1), (2);"
                               "CREATE TABLE \"odd \"\"name\" (a INT); INSERT INTO \"odd "
                               "\"\"name\" VALUES (1);");
    EXPECT_EQ(p.info.unread_tables,
              (std::vector<std::pair<std::string, int64_t>>{{"FECS_EVENTS", 2}, {"odd \"name", -1}}));
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadTable), 2);
}

TEST(Nsys, WaitsAreNamedByTheirCalls) {
    const TempFolder folder;
    std::string sql = kTables +
                      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, deviceId INT, "
                      "contextId INT, streamId INT, correlationId INT, globalPid INT, syncType INT);";
    int correlation = 0;
    for (const char* name : {"cudaStreamSynchronize_v3020", "cudaEventSynchronize_v3020",
                             "cudaStreamWaitEvent_v10000", "cuCtxSynchronize"}) {
        const std::string id = number(100 + ++correlation), at = number(correlation * 1000);
        sql += "INSERT INTO StringIds VALUES (" + id + ", '" + name + "');" +
               call(correlation * 1000, correlation * 1000 + 9, 7, correlation) +
               "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = " + id +
               " WHERE correlationId = " + number(correlation) +
               ";INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (" + at + ", " + at +
               " + 5, 0, 1, 7, " + number(correlation) + ", " + number(kProcess) + ", 2);";
    }
    const Profile p = import_sql(folder, sql);
    std::vector<std::string> names;
    for (const StringId name : p.device.name)
        names.emplace_back(p.strings.view(name));
    EXPECT_EQ(names,
              (std::vector<std::string>{"Stream Sync", "Event Sync", "Stream Wait Event", "Context Sync"}));
}

}  // namespace
}  // namespace opsight::importer
