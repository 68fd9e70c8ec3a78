// Tables that few exports have.
#include <gtest/gtest.h>

#include <algorithm>

#include "import/nsys/test_export.h"

namespace opsight::importer {
namespace {

using namespace testing;

TEST(Nsys, MpiNumbersTheRanks) {
    const TempFolder folder;
    const Profile p = import_sql(folder, kTables + call(100, 120, 7, 3) + call(100, 121, (1LL << 24) + 9, 3) +
                                             "CREATE TABLE MPI_RANKS (globalTid INT, rank INT);"
                                             "INSERT INTO MPI_RANKS VALUES (" +
                                             number(kProcess + 7) + ", 6), (" +
                                             number(kProcess + (1LL << 24) + 9) + ", 2);");
    ASSERT_EQ(p.ranks.size(), 2u);
    for (size_t row = 0; row < 2; ++row) {
        const Track& track = p.tracks[p.host.track[row].index()];
        const Rank& rank = p.ranks[track.rank.index()];
        EXPECT_EQ(rank.number, track.pid == 5 ? 6 : 2);
        EXPECT_TRUE(rank.number_known);
    }
}

TEST(Nsys, CountersBelongToTheirDevices) {
    const TempFolder folder;
    const Profile p = import_sql(
        folder,
        kTables + call(100, 120, 7, 3) + kernel(130, 190, 3) +
            "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT);"
            "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 5);"
            "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INT, metricId INT, metricName TEXT);"
            "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (259, 1, 'SM Active');"
            "CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT);"
            "INSERT INTO GPU_METRICS VALUES (140, 259, 1, 90);"
            "CREATE TABLE NET_NIC_METRIC (start INT, end INT, globalId INT, portId INT, metricsListId INT, "
            "metricsIdx INT, value INT);"
            "INSERT INTO NET_NIC_METRIC VALUES (150, 160, 77, 1, 4, 2, 1234);"
            "CREATE TABLE NIC_ID_MAP (nicId INT, globalId INT); INSERT INTO NIC_ID_MAP VALUES (8, 77);"
            "CREATE TABLE TARGET_INFO_NIC_INFO (nicId INT, name TEXT);"
            "INSERT INTO TARGET_INFO_NIC_INFO VALUES (8, 'mlx5_0');"
            "CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId INT, metricsIdx INT, name TEXT, unit "
            "TEXT);"
            "INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (4, 2, 'Bytes sent', 'bytes');");
    ASSERT_EQ(p.counters.size(), 2u);
    const auto track = [&](size_t row) { return p.tracks[p.counters.track[row].index()]; };
    const auto text = [&](StringId id) { return std::string(p.strings.view(id)); };
    const size_t gpu = text(p.counters.name[0]) == "SM Active" ? 0 : 1;
    ASSERT_TRUE(track(gpu).device.valid());
    EXPECT_EQ(p.devices[track(gpu).device.index()].number, 0) << "as the process numbers GPU 3";
    EXPECT_EQ(text(track(gpu).pid_text), "GPU 3");
    EXPECT_EQ(text(p.counters.name[1 - gpu]), "Bytes sent [bytes]");
    EXPECT_EQ(text(track(1 - gpu).pid_text), "NIC mlx5_0 port 1");
    EXPECT_EQ(p.counters.value[1 - gpu], 1234);
}

TEST(Nsys, MetricsOfAGpuThatNoProcessSeesAreOfNoDevice) {
    const std::string metrics =
        "CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT);"
        "INSERT INTO GPU_METRICS VALUES (140, 256, 1, 90), (150, 259, 1, 80);";
    const std::string told =
        "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INT, cudaId INT, pid INT);"
        "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 5);";
    for (const bool tells : {true, false}) {
        const TempFolder folder;
        const Profile p = import_sql(
            folder, kTables + call(100, 120, 7, 3) + kernel(130, 190, 3) + metrics + (tells ? told : ""));
        ASSERT_EQ(p.counters.size(), 2u);
        for (size_t row = 0; row < 2; ++row) {
            const Track& track = p.tracks[p.counters.track[row].index()];
            const bool of_gpu_0 = p.strings.view(track.pid_text) == "GPU 0";
            EXPECT_EQ(track.device.valid(), !tells || !of_gpu_0) << p.strings.view(track.pid_text);
            if (!track.device.valid()) continue;
            EXPECT_EQ(p.devices[track.device.index()].number, tells || of_gpu_0 ? 0 : 3);
        }
    }
}

TEST(Nsys, TheListOfTheMachinesGpusIsKept) {
    const TempFolder folder;
    const Profile p = import_sql(
        folder, kTables + call(100, 120, 7, 3) + kernel(130, 190, 3) +
                    "CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, computeMajor INT, computeMinor INT, "
                    "smCount INT, busLocation TEXT, uuid TEXT);"
                    "INSERT INTO TARGET_INFO_GPU VALUES (0, 'Tesla T4', 7, 5, 40, '0000:01:00.0', 'u'), (1, "
                    "'Tesla V100', 7, 0, 80, '', '');");
    std::string list;
    for (const auto& [key, value] : p.info.properties)
        if (key == "source.gpus") list = value;
    EXPECT_EQ(list,
              R"({"gpus":[{"bus":"0000:01:00.0","compute":[7,5],"name":"Tesla T4","number":0,"uuid":"u"},)"
              R"({"bus":"","compute":[7,0],"name":"Tesla V100","number":1,"uuid":""}],"host":""})");
}

TEST(Nsys, SamplesHaveTheirCallChains) {
    const TempFolder folder;
    const Profile p = import_sql(
        folder,
        kTables + call(100, 120, 7, 3) +
            "INSERT INTO StringIds VALUES (50, 'inner'), (51, 'main'), (52, '/usr/lib/libcuda.so.1'), (53, "
            "'0x1');"
            "CREATE TABLE COMPOSITE_EVENTS (id INT, start INT, cpu INT, threadState INT, globalTid INT);"
            "INSERT INTO COMPOSITE_EVENTS VALUES (1, 110, 4, 1, " +
            number(kProcess + 7) + "), (2, 115, 4, 1, " + number(kProcess + 7) +
            ");"
            "CREATE TABLE SAMPLING_CALLCHAINS (id INT, symbol INT, module INT, unresolved INT, stackDepth "
            "INT);"
            "INSERT INTO SAMPLING_CALLCHAINS VALUES (1, 51, 52, NULL, 2), (1, 53, 52, 1, 0), (1, 50, 52, 0, "
            "1);");
    ASSERT_EQ(p.samples.size(), 2u);
    EXPECT_EQ(p.strings.view(p.samples.stack[0]), "[libcuda.so.1]\ninner\nmain");
    EXPECT_EQ(p.strings.view(p.samples.stack[1]), "(no call chain)");
    EXPECT_EQ(p.samples.cpu[0], 4);
    EXPECT_EQ(p.samples.time[0], 10);
    EXPECT_EQ(p.tracks[p.samples.track[0].index()].tid, 7);
}

TEST(Nsys, CallsHaveTheirCallChains) {
    const TempFolder folder;
    const Profile p = import_sql(
        folder,
        kTables + call(100, 120, 7, 3) +
            "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN callchainId INT;"
            "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = 9;"
            "INSERT INTO StringIds VALUES (50, 'inner'), (51, 'main'), (52, 'poll');"
            "CREATE TABLE CUDA_CALLCHAINS (id INT, symbol INT, module INT, unresolved INT, stackDepth INT);"
            "INSERT INTO CUDA_CALLCHAINS VALUES (9, 51, 51, 0, 1), (9, 50, 51, 0, 0);"
            "CREATE TABLE OSRT_API (start INT, end INT, globalTid INT, nameId INT, callchainId INT);"
            "INSERT INTO OSRT_API VALUES (90, 95, " +
            number(kProcess + 7) + ", 52, 4), (96, 97, " + number(kProcess + 7) +
            ", 52, 0);"
            "CREATE TABLE OSRT_CALLCHAINS (id INT, symbol INT, module INT, unresolved INT, stackDepth INT);"
            "INSERT INTO OSRT_CALLCHAINS VALUES (4, 51, 51, NULL, 0);");
    ASSERT_EQ(p.call_chains.size(), 2u);
    const auto name = [&](size_t i) { return p.strings.view(p.host.name[p.call_chains[i].row]); };
    EXPECT_EQ(name(0), "poll");
    EXPECT_EQ(p.host.begin[p.call_chains[0].row], 0);
    EXPECT_EQ(p.strings.view(p.call_chains[0].stack), "main");
    EXPECT_EQ(p.host.kind[p.call_chains[1].row], HostKind::kRuntimeApi);
    EXPECT_EQ(p.strings.view(p.call_chains[1].stack), "inner\nmain");
    for (const auto& [table, rows] : p.info.unread_tables)
        EXPECT_EQ(table.find("CALLCHAINS"), std::string::npos) << table;
}

// The row of class 67 holds the call chain of the call that has the same number, whichever comes first.
TEST(Nsys, CallsWithCallChainsCountOnce) {
    const TempFolder folder;
    const auto backtrace = [](long long begin, long long end, int correlation, int chain) {
        return "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" + number(begin) + "," + number(end) +
               ",67," + number(kProcess + 7) + "," + number(correlation) + ",1,0," + number(chain) + ");";
    };
    const std::string add = "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN callchainId INT;";
    const Profile p = import_sql(
        folder,
        kTables + call(100, 120, 7, 3) + call(200, 220, 7, 4) + call(300, 320, 7, 5) + add +
            backtrace(98, 122, 3, 9) + backtrace(400, 420, 6, 9) +
            "INSERT INTO StringIds VALUES (50, 'inner'), (51, 'main');"
            "CREATE TABLE CUDA_CALLCHAINS (id INT, symbol INT, module INT, unresolved INT, stackDepth "
            "INT);"
            "INSERT INTO CUDA_CALLCHAINS VALUES (9, 51, 51, 0, 1), (9, 50, 51, 0, 0);" +
            "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET eventClass = 1 WHERE correlationId = 5;");
    ASSERT_EQ(p.host.size(), 4u);
    EXPECT_EQ(p.diagnostics.count(Diag::kRepeatedCall), 1);
    EXPECT_EQ(p.host.begin[0], 0) << "the call's own time";
    EXPECT_EQ(p.host.dur[0], 20);
    EXPECT_EQ(p.host.kind[2], HostKind::kDriverApi);
    EXPECT_EQ(p.host.begin[3], 300) << "of this call there is no other row";
    EXPECT_EQ(p.host.kind[3], HostKind::kRuntimeApi);
    ASSERT_EQ(p.call_chains.size(), 2u);
    EXPECT_EQ(p.call_chains[0].row, 0u);
    EXPECT_EQ(p.strings.view(p.call_chains[0].stack), "inner\nmain");
    EXPECT_EQ(p.call_chains[1].row, 3u);
}

TEST(Nsys, FilesEventsAndNamesOfStreams) {
    const TempFolder folder;
    const Profile p = import_sql(
        folder,
        kTables + call(100, 120, 7, 3) + kernel(130, 190, 3) +
            "CREATE TABLE OSRT_FILE_ACCESS_DESCRIPTORS (fileAccessId INT, processId INT, filePath TEXT);"
            "INSERT INTO OSRT_FILE_ACCESS_DESCRIPTORS VALUES (1, 5, '/data/a');"
            "CREATE TABLE OSRT_FILE_ACCESS_EVENTS (fileAccessId INT, threadId INT, startedAt INT, endedAt "
            "INT, "
            "eventType INT, bytesProcessed INT);"
            "INSERT INTO OSRT_FILE_ACCESS_EVENTS VALUES (1, 7, 200, 240, 3, 4096);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (timestamp INT, deviceId INT, contextId INT, "
            "streamId "
            "INT, correlationId INT, globalPid INT, eventId INT);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (195, 0, 1, 7, 9, " +
            number(kProcess) + ", 2), (0, 0, 1, 7, 10, " + number(kProcess) +
            ", 2);"
            "CREATE TABLE TARGET_INFO_NVTX_CUDA_STREAM (name TEXT, processId INT, contextId INT, streamId "
            "INT);"
            "INSERT INTO TARGET_INFO_NVTX_CUDA_STREAM VALUES ('copies', 5, 1, 7);");
    const size_t read = row_of(p, "read /data/a");
    EXPECT_EQ(p.host.kind[read], HostKind::kFileIo);
    EXPECT_EQ(p.host.dur[read], 40);
    EXPECT_EQ(p.tracks[p.host.track[read].index()].tid, 7);
    ASSERT_EQ(p.messages.size(), 1u);
    EXPECT_EQ(p.messages[0].bytes, 4096);
    ASSERT_EQ(p.device.size(), 2u);
    EXPECT_EQ(p.device.kind[1], DeviceKind::kOther);
    EXPECT_EQ(p.device.begin[1], 95);
    EXPECT_EQ(p.strings.view(p.tracks[p.device.track[1].index()].name), "copies");
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 1);
}

}  // namespace
}  // namespace opsight::importer
