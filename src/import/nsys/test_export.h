// Small exports for tests, made with SQL.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/test_files.h"
#include "base/test_sqlite.h"
#include "import/import.h"

namespace opsight::testing {

// Tables of a current export, as far as the tests use them; process 5 of machine 1 has the threads 7 and 8.
inline constexpr long long kProcess = (1LL << 48) | (5LL << 24);
inline const std::string kTables =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'void f<int>(int)'), (3, 'f'), (4, "
    "'_Z1fi'), "
    "(5, 'registered range'), (6, 'worker'), (7, 'read');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, "
    "correlationId "
    "INT, nameId INT, returnValue INT);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT, "
    "correlationId INT, globalPid INT, demangledName INT, shortName INT, mangledName INT, gridX INT, gridY "
    "INT, "
    "gridZ INT, blockX INT, blockY INT, blockZ INT, graphNodeId INT);"
    "CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, category INT, color INT, text TEXT, "
    "globalTid "
    "INT, endGlobalTid INT, textId INT, domainId INT, int64Value INT, doubleValue REAL, jsonText TEXT);";

inline std::string number(long long value) {
    return std::to_string(value);
}
inline std::string call(long long start, long long end, long long thread, int correlation) {
    return "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + number(start) + "," + number(end) + ",0," +
           number(kProcess + thread) + "," + number(correlation) + ",1,0);";
}
inline std::string kernel(long long start, long long end, int correlation, long long process = kProcess) {
    return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + number(start) + "," + number(end) + ",0,1,7," +
           number(correlation) + "," + number(process) + ",2,3,4, 8,1,1, 128,1,1, NULL);";
}
inline std::string range(long long start, const std::string& end, int type, const std::string& text,
                         long long thread = 7, const std::string& more = "NULL, NULL") {
    return "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, endGlobalTid, domainId) VALUES "
           "(" +
           number(start) + "," + end + "," + number(type) + ",'" + text + "'," + number(kProcess + thread) +
           "," + more + ");";
}

// What becomes of an export that is made so.
inline Profile import_sql(const TempFolder& folder, const std::string& sql) {
    const std::string path = folder.path() + "/report.sqlite";
    unlink(path.c_str());
    make_database(path, sql);
    Result<Profile> profile = importer::import_files({path});
    EXPECT_TRUE(profile.has_value()) << profile.error().message();
    return profile ? std::move(*profile) : Profile();
}

// Row of the first host span of that name.
inline size_t row_of(const Profile& p, std::string_view name) {
    for (size_t row = 0; row < p.host.size(); ++row)
        if (p.strings.view(p.host.name[row]) == name) return row;
    ADD_FAILURE() << "no span " << name;
    return 0;
}

}  // namespace opsight::testing
