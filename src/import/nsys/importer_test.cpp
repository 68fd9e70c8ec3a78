#include "import/nsys/importer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/test_files.h"
#include "import/import.h"
#include "import/nsys/test_export.h"

namespace opsight::importer {
namespace {

using namespace testing;

std::string error_of(const std::string& path) {
    const Result<Profile> profile = import_files({path});
    EXPECT_FALSE(profile.has_value());
    return profile ? "" : profile.error().message();
}

TEST(Nsys, CallsAndKernels) {
    const TempFolder folder;
    const Profile p = import_sql(folder, kTables + call(100, 120, 7, 3) + kernel(130, 190, 3));
    ASSERT_EQ(p.host.size(), 1u);
    EXPECT_EQ(p.strings.view(p.host.name[0]), "cudaLaunchKernel");
    EXPECT_EQ(p.host.kind[0], HostKind::kRuntimeApi);
    EXPECT_EQ(p.api_correlation[0], 3);
    EXPECT_EQ(p.api_result[0], 0);
    const Track& thread = p.tracks[p.host.track[0].index()];
    EXPECT_EQ(thread.pid, 5);
    EXPECT_EQ(thread.tid, 7);
    ASSERT_EQ(p.device.size(), 1u);
    EXPECT_EQ(p.strings.view(p.device.name[0]), "void f<int>(int)");
    EXPECT_EQ(p.device.begin[0], 30);
    EXPECT_EQ(p.device.dur[0], 60);
    ASSERT_EQ(p.kernel_names.size(), 1u);
    EXPECT_EQ(p.strings.view(p.kernel_names[0].base), "f");
    EXPECT_EQ(p.strings.view(p.kernel_names[0].mangled), "_Z1fi");
    EXPECT_EQ(p.launch_configs[0].grid[0], 8);
    EXPECT_EQ(p.launch_configs[0].registers_per_thread, -1);  // a column that this export lacks
    EXPECT_EQ(p.ranks.size(), 1u);
}

TEST(Nsys, ProcessesAreRanks) {
    const TempFolder folder;
    const long long other = kProcess + (1LL << 24);
    const Profile p =
        import_sql(folder, kTables + call(100, 120, 7, 3) + call(100, 121, (1LL << 24) + 9, 3) +
                               kernel(130, 190, 3) + kernel(130, 191, 3, other) +
                               "CREATE TABLE OSRT_API (start INT, end INT, globalTid INT, nameId INT);"
                               "INSERT INTO OSRT_API VALUES (90, 95, " +
                               number(kProcess + (9LL << 24) + 1) + ", 7);");
    ASSERT_EQ(p.ranks.size(), 2u);
    for (size_t row = 0; row < 2; ++row) {
        const Track& track = p.tracks[p.device.track[row].index()];
        EXPECT_EQ(track.pid, p.device.dur[row] == 60 ? 5 : 6);
        EXPECT_EQ(track.rank.index(), p.device.dur[row] == 60 ? 0u : 1u);
    }
    const size_t call_of_system = row_of(p, "read");
    EXPECT_EQ(p.host.kind[call_of_system], HostKind::kOsRuntime);
    EXPECT_EQ(p.tracks[p.host.track[call_of_system].index()].pid, 14);
}

TEST(Nsys, RangesOfAllKinds) {
    const TempFolder folder;
    const Profile p = import_sql(
        folder, kTables + range(100, "200", 59, "aten::mm, seq = 4") + range(110, "150", 60, "request") +
                    range(120, "NULL", 34, "here") +
                    range(105, "160", 60, "crossing", 7, number(kProcess + 8) + ", NULL") +
                    range(300, "NULL", 59, "never popped") + range(400, "390", 59, "backwards") +
                    range(10, "NULL", 75, "TensorRT", 7, "NULL, 3") +
                    range(500, "510", 59, "/a/b/Conv", 7, "NULL, 3") +
                    "INSERT INTO NVTX_EVENTS (start, end, eventType, textId, globalTid, category, color, "
                    "int64Value) VALUES "
                    "(600, 610, 59, 5, " +
                    number(kProcess + 7) + ", 2, 255, 42);" +
                    "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, category) VALUES (601, 33, "
                    "'loading', " +
                    number(kProcess + 7) + ", 2);" +
                    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, jsonText) VALUES (700, "
                    "710, 59, 'json', " +
                    number(kProcess + 7) + ", '{\"bytes\": 4}');" + range(1, "NULL", 39, "main thread"));
    EXPECT_EQ(p.nvtx.size(), 9u);
    const size_t op = row_of(p, "aten::mm");
    EXPECT_EQ(p.host.kind[op], HostKind::kOp);
    EXPECT_EQ(p.op_details.sequence[p.host.detail[op]], 4);
    EXPECT_EQ(p.host.flags[row_of(p, "here")], kInstant);
    EXPECT_EQ(p.tracks[p.host.track[row_of(p, "crossing")].index()].kind, TrackKind::kOther);
    EXPECT_EQ(p.host.flags[row_of(p, "never popped")], kUnfinished);
    EXPECT_EQ(p.host.dur[row_of(p, "backwards")], 0);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnfinishedSpan), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kNegativeDuration), 1);
    EXPECT_EQ(p.host.kind[row_of(p, "/a/b/Conv")], HostKind::kOp);

    const auto entry = [&](std::string_view text) {
        for (size_t i = 0; i < p.nvtx.size(); ++i)
            if (p.strings.view(p.nvtx.text[i]) == text) return i;
        ADD_FAILURE() << text;
        return size_t{0};
    };
    const auto attributes = [&](std::string_view text) {
        return p.nvtx_attributes[p.nvtx.attributes[entry(text)].index()];
    };
    EXPECT_EQ(attributes("request").type, NvtxType::kStartEnd);
    EXPECT_EQ(attributes("here").type, NvtxType::kMark);
    EXPECT_EQ(p.strings.view(attributes("/a/b/Conv").domain_name), "TensorRT");
    EXPECT_EQ(p.strings.view(attributes("registered range").category_name), "loading");
    EXPECT_EQ(attributes("registered range").color, 255);
    const Track& from = p.tracks[p.nvtx.track[entry("crossing")].index()];
    const Track& to = p.tracks[p.nvtx.end_track[entry("crossing")].index()];
    EXPECT_EQ(from.tid, 7);
    EXPECT_EQ(to.tid, 8);
    EXPECT_EQ(p.strings.view(from.name), "main thread");
    ASSERT_EQ(p.nvtx_payloads.size(), 2u);
    EXPECT_EQ(p.nvtx_payloads[0].integer, 42);
    EXPECT_EQ(p.strings.view(p.nvtx_payloads[1].text), "{\"bytes\": 4}");
}

TEST(Nsys, NumbersWithoutSignAreShownAsTheyAre) {
    const TempFolder folder;
    const Profile p = import_sql(
        folder, kTables +
                    "ALTER TABLE NVTX_EVENTS ADD COLUMN uint64Value INT;"
                    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, uint64Value) VALUES "
                    "(10, 20, 59, 'small', " +
                    number(kProcess + 7) +
                    ", 7), "
                    "(30, 40, 59, 'large', " +
                    number(kProcess + 7) + ", -2);");
    ASSERT_EQ(p.nvtx_payloads.size(), 2u);
    EXPECT_EQ(p.nvtx_payloads[0].integer, 7);
    EXPECT_EQ(p.strings.view(p.nvtx_payloads[1].text), "18446744073709551614");
}

TEST(Nsys, PayloadsThatASchemaDescribes) {
    const TempFolder folder;
    const std::string header =
        "0100000000000000"
        "0200000100000000"
        "1800000000000000"
        "3800000000000000";
    const std::string payload =
        "0900000000000000"
        "0010000000000000"
        "0300000000000000";
    const auto binary = [](const std::string& text, const std::string& value) {
        return "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, binaryData) "
               "VALUES (10, 20, "
               "59, '" +
               text + "', " + number(kProcess + 7) + ", 1, " + value + ");";
    };
    const Profile p = import_sql(
        folder,
        kTables +
            "ALTER TABLE NVTX_EVENTS ADD COLUMN binaryData TEXT;"
            "CREATE TABLE NVTX_PAYLOAD_SCHEMAS (domainId INT, schemaId INT, name TEXT, type INT, payloadSize "
            "INT);"
            "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INT, schemaId INT, idx INT, flags INT, type "
            "INT, name "
            "TEXT, arrayOrUnionDetail INT, offset INT);"
            "INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1, 16777218, NULL, 1, 24), (1, 16777218, NULL, 1, 24);"
            "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, 16777218, 0, NULL, 18, 'comm', NULL, NULL), "
            "(1, 16777218, "
            "1, NULL, 22, 'bytes', NULL, 8), (1, 16777218, 2, NULL, 5, 'peer', NULL, 16), (1, 16777218, 2, "
            "NULL, 5, "
            "'peer', NULL, 16);" +
            binary("ncclSend", "X'" + header + payload + "'") +
            binary("in hex", "'" + header + payload + "'") + binary("cut", "X'" + header + "'"));
    ASSERT_EQ(p.nvtx.size(), 3u);
    ASSERT_EQ(p.nvtx_payloads.size(), 2u);
    for (const NvtxPayload& decoded : p.nvtx_payloads)
        EXPECT_EQ(p.strings.view(decoded.text), R"({"comm":9,"bytes":4096,"peer":3})");
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 1);
}

TEST(Nsys, StacksOfPyProfGoToTheOpsInside) {
    const TempFolder folder;
    const Profile p = import_sql(
        folder,
        kTables +
            range(100, "200", 59, "{''traceMarker'': [''a.py:1''], ''funcStack'': ''/Net::forward/relu''}") +
            range(110, "150", 59, "{''mod'': ''torch'', ''op'': ''relu'', ''args'': []}") +
            range(250, "260", 59, "aten::add, seq = 1"));
    EXPECT_EQ(p.host.kind[row_of(p, "Net")], HostKind::kModule);
    const auto stack = [&](std::string_view op) {
        return p.strings.view(p.op_details.stack[p.host.detail[row_of(p, op)]]);
    };
    EXPECT_EQ(stack("torch.relu"), "a.py:1");
    EXPECT_EQ(stack("aten::add"), "");
}

TEST(Nsys, CopiesGraphsAndWaits) {
    const TempFolder folder;
    const std::string place =
        "start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT";
    const std::string at = "10, 20, 0, 1, 7, 5, " + number(kProcess);
    const Profile p = import_sql(
        folder,
        kTables + "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (" + place +
            ", bytes INT, copyKind INT, srcKind INT, dstKind INT, virtualAddress INT, migrationCause INT);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (" +
            at + ", 64, 1, 0, 2, NULL, NULL), (" + at + ", 65536, 11, 4, 4, 8192, 2), (" + at +
            ", 1, 99, 77, -3, NULL, NULL);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (" +
            place +
            ", value INT, bytes INT, memKind INT);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (" +
            at +
            ", 9, 32, 2);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (" +
            place +
            ", graphId INT, graphExecId INT);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (" +
            at +
            ", 12, 13);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (" +
            place +
            ", syncType INT, eventId INT);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (10, 20, 0, 1, 4294967295, 5, " +
            number(kProcess) + ", 4, 4294967295);");
    const auto find = [&](std::string_view name) {
        for (size_t row = 0; row < p.device.size(); ++row)
            if (p.strings.view(p.device.name[row]) == name) return row;
        ADD_FAILURE() << name;
        return size_t{0};
    };
    EXPECT_EQ(p.device.bytes[find("Memcpy HtoD (Pageable -> Device)")], 64);
    const size_t migration = find("Memcpy UVM HtoD (Managed -> Managed)");
    EXPECT_EQ(p.transfers[p.device.transfer[migration].index()].migration_cause, 2);
    EXPECT_EQ(p.transfers[p.device.transfer[find("Memcpy Unknown")].index()].from, MemoryKind::kUnknown);
    EXPECT_EQ(p.transfers[p.device.transfer[find("Memset (Device)")].index()].value, 9);
    EXPECT_EQ(p.device.kind[find("CUDA Graph 12")], DeviceKind::kGraph);
    const size_t wait = find("Sync of Type 4");  // no call tells what it waits for
    EXPECT_EQ(p.device.kind[wait], DeviceKind::kSync);
    EXPECT_EQ(p.tracks[p.device.track[wait].index()].stream, -1);
    const auto extra = std::find(p.device_extras.row.begin(), p.device_extras.row.end(), migration);
    ASSERT_NE(extra, p.device_extras.row.end());
    EXPECT_EQ(p.device_extras.address[static_cast<size_t>(extra - p.device_extras.row.begin())], 8192);
}

TEST(Nsys, WaitsAreOnTheDeviceOfTheirContext) {
    const TempFolder folder;
    const Profile p = import_sql(
        folder, kTables + call(100, 120, 7, 3) + kernel(130, 190, 3) +
                    "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1, contextId = 2;"
                    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, deviceId INT, "
                    "contextId INT, streamId INT, correlationId INT, globalPid INT, syncType INT);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (200, 210, 0, 2, 7, 4, " +
                    number(kProcess) + ", 3);");
    ASSERT_EQ(p.devices.size(), 1u);
    EXPECT_EQ(p.devices[0].number, 1);
    EXPECT_EQ(p.device.size(), 2u);
}

TEST(Nsys, NodesOfGraphs) {
    const TempFolder folder;
    const std::string thread = number(kProcess + 7);
    const Profile p = import_sql(
        folder, kTables + call(100, 120, 7, 3) +
                    "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INT, globalTid INT, graphNodeId INT, "
                    "originalGraphNodeId INT);"
                    "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (110, " +
                    thread + ", 21, NULL), (300, " + thread + ", 22, 21);");
    ASSERT_EQ(p.graph_nodes.size(), 2u);
    EXPECT_EQ(p.graph_nodes[0].time, 10);
    EXPECT_EQ(p.graph_nodes[0].original, -1);
    EXPECT_EQ(p.graph_nodes[1].original, 21);
    EXPECT_EQ(p.graph_nodes[1].thread, p.host.track[0]);
}

TEST(Nsys, MemoryMetricsMessagesAndScheduling) {
    const TempFolder folder;
    const std::string pid = number(kProcess), thread = number(kProcess + 7);
    const Profile p = import_sql(
        folder, kTables + call(1, 2, 7, 1) +
                    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INT, globalPid INT, deviceId INT, "
                    "address INT, bytes INT, memKind INT, memoryOperationType INT);"
                    "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (30, " +
                    pid + ", 0, 4096, 100, 2, 1), (10, " + pid + ", 0, 4096, 100, 2, 0), (11, " + pid +
                    ", 0, 1, -5, 2, 0);"
                    "CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT);"
                    "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INT, metricId INT, metricName TEXT);"
                    "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (256, 3, 'SM Active');"
                    "INSERT INTO GPU_METRICS VALUES (15, 256, 3, 80), (16, 256, 4, 1);"
                    "CREATE TABLE MPI_P2P_EVENTS (start INT, end INT, globalTid INT, textId INT, tag INT, "
                    "remoteRank INT, size INT);"
                    "CREATE TABLE MPI_RANKS (globalTid INT, rank INT);"
                    "INSERT INTO MPI_RANKS VALUES (" +
                    thread +
                    ", 6);"
                    "INSERT INTO MPI_P2P_EVENTS VALUES (20, 25, " +
                    thread +
                    ", 7, 11, 1, 640);"
                    "CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start INT, end INT, globalPid INT, deviceId "
                    "INT, address INT, numberOfPageFaults INT, faultAccessType INT);"
                    "INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES (40, 42, " +
                    pid +
                    ", 0, 77, 3, 2);"
                    "CREATE TABLE SCHED_EVENTS (start INT, cpu INT, isSchedIn INT, globalTid INT);"
                    "INSERT INTO SCHED_EVENTS VALUES (5, 2, 0, " +
                    thread + "), (50, 2, 1, " + thread + "), (60, 2, 0, " + thread + "), (70, 3, 1, " +
                    thread + ");");
    ASSERT_EQ(p.memory.size(), 2u);
    EXPECT_EQ(p.memory.bytes[0], 100);
    EXPECT_EQ(p.memory.total_allocated[0], 100);
    EXPECT_EQ(p.memory.bytes[1], -100);
    EXPECT_EQ(p.memory.total_allocated[1], 0);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 1);
    ASSERT_EQ(p.counters.size(), 2u);
    EXPECT_EQ(p.strings.view(p.counters.name[0]), "SM Active");
    EXPECT_EQ(p.counters.value[0], 80);
    EXPECT_EQ(p.diagnostics.count(Diag::kDanglingId), 1);
    ASSERT_EQ(p.messages.size(), 1u);
    EXPECT_EQ(p.messages[0].tag, 11);
    EXPECT_EQ(p.messages[0].rank, 6);
    EXPECT_EQ(p.messages[0].bytes, 640);
    ASSERT_EQ(p.page_faults.size(), 1u);
    EXPECT_EQ(p.page_faults[0].count, 3);
    EXPECT_EQ(p.strings.view(p.page_faults[0].access), "Write");
    EXPECT_EQ(p.diagnostics.count(Diag::kEndWithoutBegin), 1);
    EXPECT_EQ(p.host.dur[row_of(p, "CPU 2")], 10);
    EXPECT_EQ(p.host.flags[row_of(p, "CPU 3")], kUnfinished);
}

TEST(Nsys, MachineNamesAndClock) {
    const TempFolder folder;
    const int64_t epoch = 1'700'000'000'000'000'000;
    const Profile p = import_sql(
        folder,
        kTables + call(100, 120, 7, 3) + kernel(130, 190, 3) +
            "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, smCount INT, computeMajor INT, computeMinor "
            "INT, memoryBandwidth INT, threadsPerWarp INT, maxWarpsPerSm INT);"
            "INSERT INTO TARGET_INFO_GPU VALUES (4, 'NVIDIA H100', 132, 9, 0, 3352320000000, 32, 64), (5, "
            "'Intel', 0, 0, 0, 0, 0, 0);"
            "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT);"
            "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (4, 0, 5);"
            "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INT);"
            "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (" +
            number(epoch) +
            ");"
            "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
            "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'node7'), ('SecretOfUser', 'x');"
            "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
            "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.3.1');"
            "CREATE TABLE ThreadNames (nameId INT, priority INT, globalTid INT);"
            "INSERT INTO ThreadNames VALUES (6, 20, " +
            number(kProcess + 7) +
            ");"
            "CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId INT, processId INT, contextId INT, priority INT);"
            "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES (7, 5, 1, 4294967291);"
            "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (processId INT, deviceId INT, contextId INT, "
            "parentContextId INT, isGreenContext INT);"
            "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (5, 0, 1, 0, 0);");
    EXPECT_EQ(p.info.producer, "Nsight Systems 2025.3.1");
    EXPECT_EQ(p.info.origin_ns, epoch + 100);
    EXPECT_TRUE(p.info.origin_is_unix);
    ASSERT_EQ(p.devices.size(), 1u);
    EXPECT_EQ(p.devices[0].number, 0);
    EXPECT_EQ(p.devices[0].name, "NVIDIA H100");
    EXPECT_EQ(p.devices[0].max_threads_per_sm, 2048);
    EXPECT_EQ(p.devices[0].memory_bandwidth, 3352320000000);
    EXPECT_EQ(p.ranks[0].host, "node7");
    const Track& thread = p.tracks[p.host.track[0].index()];
    EXPECT_EQ(p.strings.view(thread.name), "worker");
    EXPECT_EQ(thread.priority, 20);
    EXPECT_EQ(p.tracks[p.device.track[0].index()].priority, -5);
    ASSERT_EQ(p.contexts.size(), 1u);
    for (const auto& [key, value] : p.info.properties)
        EXPECT_NE(value, "x");
}

TEST(Nsys, DriverVersionsOfOldReportsAreNumbers) {
    for (const auto& [said, read] :
         std::vector<std::pair<std::string, std::string>>{{"5206105", "520.61.05"},
                                                          {"52510517", "525.105.17"},
                                                          {"42600", "426.00"},
                                                          {"565.57.01", "565.57.01"},
                                                          {"123", "123"}}) {
        const TempFolder folder;
        const Profile p =
            import_sql(folder, kTables +
                                   "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
                                   "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('NvDriverVersion', '" +
                                   said + "');");
        const std::pair<std::string, std::string> wanted("driver_version", read);
        EXPECT_EQ(std::count(p.info.properties.begin(), p.info.properties.end(), wanted), 1) << said;
    }
}

TEST(Nsys, OddRows) {
    const TempFolder folder;
    const Profile p = import_sql(
        folder,
        kTables +
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ('soon', 5, 0, 1, 1, 1, 0), "
            "(9223372036854775807, 1, 0, 1, 1, 1, 0), (1, 2, 0, 1, 1, 999, 0);"
            "CREATE TABLE Something (x INT); INSERT INTO Something VALUES (1); CREATE TABLE Empty (x INT);"
            "CREATE TABLE FECS_EVENTS (x INT); INSERT INTO FECS_EVENTS VALUES (1), (2);");
    EXPECT_EQ(p.host.size(), 1u);
    EXPECT_EQ(p.strings.view(p.host.name[0]), "(name lost)");
    EXPECT_EQ(p.diagnostics.count(Diag::kBadTime), 2);
    EXPECT_EQ(p.diagnostics.count(Diag::kDanglingId), 1);
    ASSERT_EQ(p.diagnostics.count(Diag::kUnreadTable), 2);
    EXPECT_EQ(p.diagnostics.first(Diag::kUnreadTable)[0].text, "Something: 1 rows");
    EXPECT_EQ(p.diagnostics.first(Diag::kUnreadTable)[1].text, "FECS_EVENTS: 2 rows");
}

TEST(Nsys, NothingOfTheFileRuns) {
    const TempFolder folder;
    const Profile p = import_sql(folder,
                                 "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                                 "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(x) AS (SELECT 1 "
                                 "UNION ALL SELECT x + 1 FROM n) "
                                 "SELECT x AS start, x AS end FROM n;"
                                 "CREATE TABLE \"a\"\"; DROP TABLE StringIds; --\" (x INT); INSERT INTO "
                                 "\"a\"\"; DROP TABLE StringIds; --\" VALUES (1);");
    EXPECT_EQ(p.device.size(), 0u);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadTable), 1);
}

TEST(Nsys, OtherDatabasesAreRefused) {
    const TempFolder folder;
    const std::string path = folder.path() + "/x.sqlite";
    const auto refused = [&](const std::string& sql) {
        unlink(path.c_str());
        make_database(path, sql);
        return error_of(path);
    };
    for (const char* table : {"CREATE TABLE t (a INT)", "CREATE TABLE db_version (a INT)"}) {
        const std::string message = refused(table);
        EXPECT_NE(message.find("a SQLite database, but without the tables of"), std::string::npos) << message;
        EXPECT_NE(message.find("nsys export --type sqlite"), std::string::npos) << message;
    }
    EXPECT_NE(refused("CREATE TABLE StringTable (a INT)").find("nvprof"), std::string::npos);
    EXPECT_NE(refused("CREATE TABLE read_only_ops (a INT)").find("DLProf"), std::string::npos);
    // In a folder they are passed over.
    const std::string good = folder.path() + "/good.sqlite";
    make_database(good, kTables);
    Result<Profile> profile = import_files({folder.path()});
    ASSERT_TRUE(profile.has_value()) << profile.error().message();
    EXPECT_EQ(profile->diagnostics.count(Diag::kSkippedFile), 1);
}

TEST(Nsys, DamagedAndUnsettledFiles) {
    const TempFolder folder;
    const std::string path = folder.path() + "/x.sqlite";
    std::string sql = kTables + "BEGIN;";
    for (int i = 0; i < 2000; ++i)
        sql += call(i * 10, i * 10 + 5, 7, i);
    make_database(path, sql + "COMMIT");
    std::ifstream file(path, std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::string cut = folder.write("cut.sqlite", whole.substr(0, whole.size() - 3 * 4096));
    Result<Profile> profile = import_files({cut});
    ASSERT_TRUE(profile.has_value()) << profile.error().message();
    EXPECT_EQ(profile->diagnostics.count(Diag::kTruncatedInput), 2);  // the file, and the table
    EXPECT_GT(profile->host.size(), 100u);
    EXPECT_LT(profile->host.size(), 2000u);
    EXPECT_NE(error_of(folder.write("head.sqlite", whole.substr(0, 100))).find("SQLite database"),
              std::string::npos);

    folder.write("x.sqlite-journal", "pages");
    EXPECT_NE(error_of(path).find("-journal holds changes"), std::string::npos);
    unlink((path + "-journal").c_str());

    int ready[2], done[2];
    ASSERT_EQ(pipe(ready), 0);
    ASSERT_EQ(pipe(done), 0);
    const pid_t child = fork();
    if (child == 0) {
        const WriteLock lock(path);
        char byte = lock.held() ? 'y' : 'n';
        (void)!write(ready[1], &byte, 1);
        (void)!read(done[0], &byte, 1);
        _exit(0);
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    EXPECT_NE(error_of(path).find("being written by another process"), std::string::npos);
    ASSERT_EQ(write(done[1], &byte, 1), 1);
    waitpid(child, nullptr, 0);
}

// An 'nsys' that copies its input, or fails, depending on its name.
}  // namespace
}  // namespace opsight::importer
