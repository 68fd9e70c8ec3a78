// The yardstick of importing an export of Nsight Systems: every row of its three big tables, read once with
// plain SQLite, the columns that matter as numbers. Prints rows and seconds.
//
//   bare_sqlite FILE
#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr const char* kQueries[] = {
    "SELECT start, end, eventClass, globalTid, correlationId, nameId, returnValue FROM "
    "CUPTI_ACTIVITY_KIND_RUNTIME",
    "SELECT start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, "
    "gridX, "
    "gridY, gridZ, blockX, blockY, blockZ, registersPerThread, staticSharedMemory, dynamicSharedMemory FROM "
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "SELECT start, end, eventType, rangeId, category, color, globalTid, endGlobalTid, textId, domainId, "
    "uint64Value, "
    "int64Value, text FROM NVTX_EVENTS",
};

}  // namespace

int main(int argc, char** argv) {
    sqlite3* db = nullptr;
    if (argc != 2 || sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) {
        std::fprintf(stderr, "bare_sqlite: give an export\n");
        return 1;
    }
    const auto begin = std::chrono::steady_clock::now();
    uint64_t rows = 0, sum = 0;
    for (const char* query : kQueries) {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(db, query, -1, &statement, nullptr) != SQLITE_OK) {
            std::fprintf(stderr, "bare_sqlite: %s\n", sqlite3_errmsg(db));
            return 1;
        }
        const int columns = sqlite3_column_count(statement);
        for (; sqlite3_step(statement) == SQLITE_ROW; ++rows) {
            for (int i = 0; i < columns; ++i)
                if (sqlite3_column_type(statement, i) == SQLITE_TEXT)
                    sum += sqlite3_column_text(statement, i)[0];
                else
                    sum += static_cast<uint64_t>(sqlite3_column_int64(statement, i));
        }
        sqlite3_finalize(statement);
    }
    sqlite3_close(db);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("rows %llu seconds %.3f check %llu\n", static_cast<unsigned long long>(rows), seconds,
                static_cast<unsigned long long>(sum));
}
