#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "base/test_files.h"
#include "import/import.h"
#include "import/reader/passes.h"
#include "import/rocprofcsv/files.h"
#include "model/source_limits.h"

namespace opsight::importer {
namespace {

constexpr std::string_view kCalls =
    "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_"
    "Timestamp\"\n";
constexpr std::string_view kCopies =
    "\"Kind\",\"Direction\",\"Stream_Id\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation_Id\","
    "\"Start_Timestamp\",\"End_Timestamp\"\n";
constexpr std::string_view kAgents =
    "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Wave_Front_Size\",\"Cu_Count\",\"Gfx_Target_Version\","
    "\"Max_Engine_Clk_Fcompute\",\"Name\",\"Product_Name\"\n"
    "0,0,\"CPU\",0,192,0,0,\"AMD EPYC 9654\",\"AMD EPYC 9654\"\n"
    "1,1,\"GPU\",64,304,90402,2100,\"gfx942\",\"AMD Instinct MI300X\"\n"
    "4,2,\"GPU\",64,304,90402,2100,\"gfx942\",\"AMD Instinct MI300X\"\n";
// As the first versions of rocprofv3 wrote it.
constexpr std::string_view kOldKernels =
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\","
    "\"End_Timestamp\",\"Private_Segment_Size\",\"Group_Segment_Size\",\"Workgroup_Size_X\",\"Workgroup_Size_"
    "Y\","
    "\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n";

class RocprofTablesTest : public ::testing::Test {
  protected:
    static std::string seed(const std::string& name) {
        std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/seeds/" + name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::string write(const std::string& name, std::string_view text) {
        return folder_.write("run/" + name, text);
    }
    Profile imported() {
        Result<Profile> profile = import_files({folder_.path() + "/run"});
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    std::string refused() {
        const Result<Profile> profile = import_files({folder_.path() + "/run"});
        EXPECT_FALSE(profile);
        return profile ? "" : profile.error().message();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }
    static std::vector<std::string> host_names(const Profile& p) {
        std::vector<std::string> names;
        for (const StringId name : p.host.name)
            names.push_back(text(p, name));
        return names;
    }

    testing::TempFolder folder_;
};

TEST_F(RocprofTablesTest, TablesOfOneRunAreOneRank) {
    write("70_agent_info.csv", kAgents);
    write("70_kernel_trace.csv", seed("rocprof_kernel_trace.csv"));
    write("70_hip_api_trace.csv",
          std::string(kCalls) +
              "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",70,71,1,172352210000000,172352210001000\n"
              "\"HIP_RUNTIME_API\",\"hipMemcpy\",70,71,3,172352210070000,172352210090000\n");
    write("70_rccl_api_trace.csv",
          std::string(kCalls) + "\"RCCL_API\",\"ncclAllReduce\",70,71,4,172352210080000,172352210080500\n");
    write("70_marker_api_trace.csv",
          std::string(kCalls) + "\"MARKER_CORE_API\",\"step\",70,71,9,172352209990000,172352210095000\n");
    write("70_memory_copy_trace.csv",
          std::string(kCopies) +
              "\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",0,\"Agent 0\",\"Agent 2\",3,172352210071000,"
              "172352210089000\n");
    const Profile p = imported();
    EXPECT_EQ(p.info.producer, "rocprof");
    EXPECT_EQ(p.ranks.size(), 1u);
    EXPECT_EQ(host_names(p),
              (std::vector<std::string>{"step", "hipLaunchKernel", "hipMemcpy", "ncclAllReduce"}));
    EXPECT_EQ(p.tracks[p.host.track[0].index()].tid, 71);
    EXPECT_EQ(p.info.begin_ns, 0);
    EXPECT_EQ(p.info.origin_ns, 172352209990000) << "no double between";
    ASSERT_EQ(p.devices.size(), 2u) << "the CPU is none";
    ASSERT_EQ(p.device.size(), 3u);
    size_t gemm = 0, copy = 0;
    for (size_t row = 0; row < p.device.size(); ++row)
        if (p.device.kind[row] == DeviceKind::kMemcpy)
            copy = row;
        else if (p.device.correlation[row] == 2)
            gemm = row;
    EXPECT_EQ(text(p, p.device.name[gemm]), "void gemm<float, 4>(float*, int)");
    EXPECT_EQ(p.device.dur[gemm], 1682);
    const LaunchConfig& config = p.launch_configs[p.device.config[gemm].index()];
    EXPECT_EQ(config.grid[0], 4) << "1000 threads in blocks of 256";
    EXPECT_EQ(config.grid[1], 2);
    EXPECT_EQ(config.registers_per_thread, 4);
    EXPECT_EQ(config.static_shared_bytes, 512);
    EXPECT_EQ(p.devices[p.tracks[p.device.track[gemm].index()].device.index()].number, 0) << "GPU 0";
    EXPECT_EQ(text(p, p.device.name[copy]), "Memcpy HtoD");
    EXPECT_EQ(p.device.bytes[copy], -1) << "the table does not tell";
    const Device& second = p.devices[p.tracks[p.device.track[copy].index()].device.index()];
    EXPECT_EQ(second.number, 1) << "Agent 2 is the second GPU";
    EXPECT_EQ(second.name, "AMD Instinct MI300X");
    EXPECT_EQ(second.sm_count, 304);
    EXPECT_EQ(second.clock_hz, 2100000000);
}

TEST_F(RocprofTablesTest, GzippedTablesAreThoseOfTheirRun) {
    const std::string kernels = seed("rocprof_kernel_trace.csv");
    write("70_agent_info.csv", kAgents);
    write("70_kernel_trace.csv.gz", testing::gzip(kernels));
    write("70_rccl_api_trace.csv.gz",
          testing::gzip(
              testing::gzip(std::string(kCalls) +
                            "\"RCCL_API\",\"ncclAllReduce\",70,71,4,172352210080000,172352210080500\n")));
    const Profile p = imported();
    EXPECT_EQ(p.ranks.size(), 1u);
    EXPECT_EQ(host_names(p), (std::vector<std::string>{"ncclAllReduce"}));
    EXPECT_EQ(p.device.size(), 2u);
    EXPECT_EQ(p.devices.size(), 2u);
    EXPECT_EQ(p.diagnostics.count(Diag::kSkippedFile), 0);
    EXPECT_EQ(p.diagnostics.count(Diag::kTruncatedInput), 0);
}

TEST_F(RocprofTablesTest, AGzippedTableThatBreaksOffIsTold) {
    std::string many = seed("rocprof_kernel_trace.csv");
    const std::string row = many.substr(many.find('\n') + 1);
    for (int i = 0; i < 2000; ++i)
        many += row;
    const std::string packed = testing::gzip(many);
    write("70_kernel_trace.csv.gz", packed.substr(0, packed.size() / 2));
    const Profile p = imported();
    EXPECT_GT(p.device.size(), 100u);
    bool told = false;
    for (const DiagOccurrence& where : p.diagnostics.first(Diag::kTruncatedInput))
        told |= where.text.find("gzip stream breaks off") != std::string::npos;
    EXPECT_TRUE(told);
}

TEST_F(RocprofTablesTest, TablesInArchivesAreToBeUnpacked) {
    write("tables.tar.gz",
          testing::gzip(testing::tar_member("70_kernel_trace.csv", seed("rocprof_kernel_trace.csv")) +
                        testing::tar_end()));
    EXPECT_NE(refused().find("unpack it first"), std::string::npos);
}

TEST_F(RocprofTablesTest, OldTablesNumberAgentsByNode) {
    write("7_agent_info.csv", kAgents);
    write("7_kernel_trace.csv", std::string(kOldKernels) +
                                    "\"KERNEL_DISPATCH\",4,139690710949888,15,\"transpose(float*)\",0,"
                                    "671599758568,671599825328,8,64,4,4,1,"
                                    "1024,1024,1\n");
    const Profile p = imported();
    ASSERT_EQ(p.device.size(), 1u);
    const Track& stream = p.tracks[p.device.track[0].index()];
    EXPECT_EQ(p.devices[stream.device.index()].number, 1);
    EXPECT_EQ(stream.context, 139690710949888);
    const LaunchConfig& config = p.launch_configs[p.device.config[0].index()];
    EXPECT_EQ(config.grid[0], 256);
    EXPECT_EQ(config.static_shared_bytes, 64);
    EXPECT_EQ(config.local_bytes_per_thread, 8);
    EXPECT_EQ(config.registers_per_thread, -1) << "not told";
}

TEST_F(RocprofTablesTest, CountersStandAtTheirDispatches) {
    write("70_counter_collection.csv", seed("rocprof_counter_collection.csv"));
    const Profile alone = imported();
    ASSERT_EQ(alone.device.size(), 2u) << "a kernel for each dispatch";
    EXPECT_EQ(alone.device.dur[0], 2000);
    ASSERT_EQ(alone.counters.size(), 3u);
    EXPECT_EQ(alone.counters.value[0] + alone.counters.value[1], 16483.5);
    EXPECT_EQ(alone.launch_configs[alone.device.config[0].index()].grid[0], 4096);
    write("70_kernel_trace.csv", seed("rocprof_kernel_trace.csv"));
    const Profile both = imported();
    EXPECT_EQ(both.device.size(), 2u) << "they are the same dispatches";
    EXPECT_EQ(both.counters.size(), 3u);
}

// rocprofv3 runs a program once for each group of counters.
TEST_F(RocprofTablesTest, PassesOverAProgramAreNotRanks) {
    const std::string first = seed("rocprof_counter_collection.csv");
    std::string second = first;
    for (size_t at = second.find("SQ_WAVES"); at != second.npos; at = second.find("SQ_WAVES"))
        second.replace(at, 8, "GRBM_X");
    write("pass_1/70_counter_collection.csv", first);
    write("pass_2/71_counter_collection.csv", second);
    write("pass_2/71_kernel_trace.csv", seed("rocprof_kernel_trace.csv"));
    const Profile p = imported();
    EXPECT_EQ(p.ranks.size(), 1u);
    EXPECT_EQ(p.device.size(), 2u) << "each kernel once";
    ASSERT_EQ(p.counters.size(), 6u);
    EXPECT_EQ(std::count(p.counters.time.begin(), p.counters.time.end(), p.counters.time[0]), 4)
        << "two of each pass at the first kernel";
    EXPECT_EQ(p.diagnostics.count(Diag::kDanglingId), 0);
    EXPECT_EQ(p.diagnostics.count(Diag::kSkippedFile), 1) << "the kernels again";
}

TEST_F(RocprofTablesTest, PassesWithOtherKernelsAreLeftOut) {
    const std::string first = seed("rocprof_counter_collection.csv");
    write("pass_1/70_counter_collection.csv", first);
    std::string other = first;
    const size_t name = other.rfind("(");
    other.replace(name, 1, "_2(");
    write("pass_2/70_counter_collection.csv", other);
    Profile p = imported();
    EXPECT_EQ(p.device.size(), 2u);
    EXPECT_EQ(p.counters.size(), 3u);
    EXPECT_EQ(p.diagnostics.count(Diag::kDanglingId), 1);
    write("pass_2/70_counter_collection.csv", first.substr(0, first.find('\n', first.find("\n1,")) + 1));
    p = imported();
    EXPECT_EQ(p.counters.size(), 3u) << "fewer kernels";
    EXPECT_EQ(p.diagnostics.count(Diag::kDanglingId), 1);
    write("pass_1/71_counter_collection.csv", first);
    write("pass_2/72_counter_collection.csv", first);
    p = imported();
    EXPECT_EQ(p.ranks.size(), 2u);
    EXPECT_EQ(p.diagnostics.count(Diag::kDanglingId), 2) << "of which process 72 is a pass is not told";
}

TEST_F(RocprofTablesTest, WithoutTimesKernelsAreMoments) {
    std::string text = seed("rocprof_counter_collection.csv");
    text.replace(text.find(",\"Start_Timestamp\",\"End_Timestamp\""), 34, "");
    for (const char* times : {",1000,3000", ",1000,3000", ",4000,6000"})
        text.replace(text.find(times), 10, "");
    write("70_counter_collection.csv", text);
    const Profile p = imported();
    ASSERT_EQ(p.device.size(), 2u);
    EXPECT_EQ(p.device.kind[0], DeviceKind::kOther);
    EXPECT_EQ(p.device.flags[0], kInstant);
    EXPECT_TRUE(has_durations_only(p.info));
    EXPECT_TRUE(has_limit(p.info, kHostOfSource));
}

TEST_F(RocprofTablesTest, ResultsOfVersionOneHaveARankForEachProcess) {
    write("results.csv", seed("rocprof_v1_results.csv"));
    const Profile p = imported();
    EXPECT_EQ(p.ranks.size(), 2u);
    ASSERT_EQ(p.device.size(), 3u);
    EXPECT_EQ(text(p, p.device.name[0]), "bodyForce(Body*, float, int)");
    EXPECT_EQ(p.device.dur[0] + p.device.dur[1] + p.device.dur[2], 4000);
    EXPECT_EQ(p.counters.size(), 6u) << "Wavefronts and VALUInsts, but not sig and obj";
    std::vector<int64_t> blocks;
    for (const LaunchConfigId config : p.device.config)
        blocks.push_back(p.launch_configs[config.index()].grid[0]);
    std::sort(blocks.begin(), blocks.end());
    EXPECT_EQ(blocks, (std::vector<int64_t>{1, 256, 257}));
}

TEST_F(RocprofTablesTest, WhatIsOddIsCounted) {
    const std::string calls(kCalls);
    write("1_hip_api_trace.csv", calls +
                                     "\"HIP_RUNTIME_API\",\"a\",1,1,1,100,200\n"
                                     "\"HIP_RUNTIME_API\",\"b\",1,1,2,x,200\n"
                                     "\"HIP_RUNTIME_API\",\"c\",1,1,3,99999999999999999999,200\n"
                                     "\"HIP_RUNTIME_API\",\"d\",1,1,4,0,0\n"
                                     "\"HIP_RUNTIME_API\",\"e\",1,1,5,300,200\n"
                                     "\"HIP_RUNTIME_API\",\"f\",1\n"
                                     "\n"
                                     "\"HIP_RUNTIME_API\",\"g\xff\x01\",1,1,6,100,200\n"
                                     "\"HIP_RUNTIME_API\",\"h\",1,1,7,100,20");
    write("1_memory_allocation_trace.csv",
          "\"Kind\",\"Operation\",\"Agent_Id\",\"Allocation_Size\",\"Address\",\"Correlation_Id\",\"Start_"
          "Timestamp\","
          "\"End_Timestamp\"\n\"MEMORY_ALLOCATION\",\"x\",\"Agent 1\",4,0x0,1,1,2\n");
    const Profile p = imported();
    EXPECT_EQ(p.host.size(), 3u) << "a, e, g";
    EXPECT_EQ(p.diagnostics.count(Diag::kBadTime), 2);
    EXPECT_EQ(p.diagnostics.count(Diag::kMissingEnd), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kNegativeDuration), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kTruncatedInput), 1) << "20 may be 200";
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadTable), 1);
    ASSERT_EQ(p.info.unread_tables.size(), 1u);
    EXPECT_EQ(p.info.unread_tables[0].first, "memory_allocation_trace");
}

TEST_F(RocprofTablesTest, WhatTellsMoreIsReadInstead) {
    write("908_results.json", seed("rocprof_results.json"));
    write("908_kernel_trace.csv", seed("rocprof_kernel_trace.csv"));
    const Profile p = imported();
    EXPECT_EQ(p.ranks.size(), 1u);
    EXPECT_EQ(p.info.producer, "rocprofv3");
    EXPECT_EQ(p.diagnostics.count(Diag::kSkippedFile), 1);
}

TEST_F(RocprofTablesTest, TablesOfVersionTwoAreOneRank) {
    write("results_70.csv", seed("rocprof_v2_results.csv"));
    write("hip_api_trace_70.csv", seed("rocprof_v2_hip_api_trace.csv"));
    write("hsa_api_trace_70.csv",
          "Domain,Function,Start_Timestamp,End_Timestamp,Correlation_ID\n\n"
          "HSA_API_DOMAIN,\"hsa_signal_create\",316678074100000,316678074100100,9\n");
    const Profile p = imported();
    EXPECT_EQ(p.ranks.size(), 1u) << "tables of calls do not tell the process";
    EXPECT_EQ(host_names(p), (std::vector<std::string>{"hipMalloc", "hsa_signal_create", "hipLaunchKernel"}));
    ASSERT_EQ(p.device.size(), 2u);
    EXPECT_EQ(text(p, p.device.name[0]), "gemm(float*, float*)");
    EXPECT_EQ(p.device.dur[0], 5000);
    EXPECT_EQ(p.device.correlation[0], 2) << "the call's";
    EXPECT_EQ(p.device.correlation[1], -1) << "0 is of no call";
    const LaunchConfig& config = p.launch_configs[p.device.config[0].index()];
    EXPECT_EQ(config.grid[0], 4);
    EXPECT_EQ(config.static_shared_bytes, 512);
    EXPECT_EQ(config.local_bytes_per_thread, 16);
    EXPECT_EQ(config.registers_per_thread, 8);
    ASSERT_EQ(p.counters.size(), 2u) << "SQ_WAVES of each kernel";
    EXPECT_EQ(p.counters.value[0], 16);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 0);
}

TEST_F(RocprofTablesTest, QueuesOfOneNumberAreThoseOfTheirGpuAndProcess) {
    std::string rows = seed("rocprof_v2_results.csv");
    write("results_70.csv", rows +
                                "3,5,1,70,71,256,256,0,0,8,0,16,64,\"copy(float*) (.kd)\",316678074300000,"
                                "316678074301000,3,4\n4,4,1,80,81,256,256,0,0,8,0,16,64,\"copy(float*) "
                                "(.kd)\",316678074300000,316678074301000,3,4\n");
    const Profile p = imported();
    EXPECT_EQ(p.ranks.size(), 2u) << "processes 70 and 80";
    ASSERT_EQ(p.device.size(), 4u);
    std::set<uint32_t> streams, devices;
    for (const TrackId track : p.device.track) {
        streams.insert(track.value);
        devices.insert(p.tracks[track.index()].device.value);
    }
    EXPECT_EQ(devices.size(), 3u) << "4 and 5 of one process, 4 of the other";
    EXPECT_EQ(streams.size(), 3u) << "all are of queue 1";
}

TEST_F(RocprofTablesTest, OperationsOfVersionTwo) {
    const std::string ops = seed("rocprof_v2_hcc_ops_trace.csv");
    write("hip_api_trace_70.csv", seed("rocprof_v2_hip_api_trace.csv"));
    write("hcc_ops_trace_70.csv", ops);
    const Profile alone = imported();
    ASSERT_EQ(alone.device.size(), 4u);
    EXPECT_EQ(alone.device.kind[0], DeviceKind::kMemcpy);
    EXPECT_EQ(text(alone, alone.device.name[0]), "Memcpy HtoD");
    EXPECT_EQ(alone.device.kind[1], DeviceKind::kKernel);
    EXPECT_EQ(text(alone, alone.device.name[1]), "gemm(float*, float*)");
    EXPECT_EQ(alone.device.correlation[1], 2);
    EXPECT_EQ(alone.device.kind[2], DeviceKind::kMemset);
    EXPECT_EQ(alone.device.kind[3], DeviceKind::kSync);
    EXPECT_TRUE(has_limit(alone.info, "rocprofv2.devices")) << "that they are of device 0 is a guess";

    write("results_70.csv", seed("rocprof_v2_results.csv"));
    const Profile both = imported();
    EXPECT_EQ(both.device.size(), 5u) << "the two dispatches, and three operations that are not kernels";
    EXPECT_FALSE(has_limit(both.info, "rocprofv2.devices")) << "the run used one GPU";
    EXPECT_EQ(both.devices.size(), 1u);
    EXPECT_EQ(both.diagnostics.count(Diag::kUnreadTable), 1);

    write("async_copy_trace_70.csv",
          "Domain,Operation,Start_Timestamp,Stop_Timestamp,Correlation_ID\n\n"
          "HSA_OPS_DOMAIN,\"COPY\",316678074140000,316678074150000,1\n");
    EXPECT_EQ(imported().device.size(), 5u) << "HSA's copy is HIP's";
}

TEST_F(RocprofTablesTest, OperationsOnOneOfSeveralGpusAreLeftOut) {
    write("results_70.csv", seed("rocprof_v2_results.csv") +
                                "3,5,1,70,71,256,256,0,0,8,0,16,64,\"k (.kd)\",316678074300000,"
                                "316678074301000,3,4\n");
    write("hcc_ops_trace_70.csv", seed("rocprof_v2_hcc_ops_trace.csv"));
    const Profile p = imported();
    EXPECT_EQ(p.device.size(), 3u);
    ASSERT_EQ(p.info.unread_tables.size(), 1u);
    EXPECT_EQ(p.info.unread_tables[0].second, 4);
}

TEST_F(RocprofTablesTest, RangesOfVersionTwo) {
    const std::string head = "Domain,ROCTX_ID,Message,Timestamp\n\n";
    const std::string pushed = head +
                               "ROCTX_DOMAIN,0,\"step 1\",1000\nROCTX_DOMAIN,0,\"forward\",1100\n"
                               "ROCTX_DOMAIN,0,,1400\nROCTX_DOMAIN,0,,1900\n";
    write("roctx_trace_70.csv", pushed + "ROCTX_DOMAIN,1,\"load\",1200\nROCTX_DOMAIN,1,,1950\n");
    const Profile p = imported();
    EXPECT_EQ(host_names(p), (std::vector<std::string>{"step 1", "forward", "load"}));
    EXPECT_EQ(p.host.dur, (std::vector<int64_t>{900, 300, 750}));
    EXPECT_TRUE(has_limit(p.info, "rocprofv2.ranges"));
    // A mark looks as a push: then no end is known.
    write("roctx_trace_70.csv", pushed + "ROCTX_DOMAIN,0,\"mark\",1950\nROCTX_DOMAIN,2,\"open\",1960\n");
    const Profile marked = imported();
    EXPECT_EQ(marked.host.dur, (std::vector<int64_t>{0, 0, 0, 0}));
    EXPECT_EQ(marked.diagnostics.count(Diag::kUnreadRow), 2) << "the ends";
    EXPECT_EQ(marked.diagnostics.count(Diag::kMissingEnd), 1);
    EXPECT_FALSE(has_limit(marked.info, "rocprofv2.ranges"));
    // Marks alone.
    write("roctx_trace_70.csv", head + "ROCTX_DOMAIN,0,\"mark\",1950\n");
    EXPECT_EQ(imported().host.size(), 1u);
}

TEST_F(RocprofTablesTest, TimesThatVersionTwoDidNotAskForAreNone) {
    write(
        "results_70.csv",
        "Dispatch_ID,GPU_ID,Queue_ID,Queue_Index,PID,TID,GRD,WGR,LDS,SCR,Arch_VGPR,ACCUM_VGPR,SGPR,Wave_Size,"
        "SIG,OBJ,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,SQ_WAVES\n\n"
        "1,64700,1,0,353,353,1048576,16,0,0,8,0,16,64,140356026185088,1,\"t(float*) (.kd)\",7,30064771072,0,"
        "65536.000000\n");
    const Profile p = imported();
    ASSERT_EQ(p.device.size(), 1u);
    EXPECT_EQ(p.device.kind[0], DeviceKind::kOther) << "not a kernel of 30 s";
    ASSERT_EQ(p.counters.size(), 1u) << "SIG and OBJ are none";
    EXPECT_TRUE(has_durations_only(p.info));
}

TEST_F(RocprofTablesTest, PartsOfAGpuAreOneDispatch) {
    const std::string row = ",70,71,256,256,0,0,8,0,16,64,\"k (.kd)\",316678074300000,316678074301000,3,";
    write(
        "results_70.csv",
        "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,"
        "Arch_VGPR,Accum_VGPR,SGPR,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,XCC_"
        "Index,SQ_WAVES\n\n1,4,1" +
            row + "0,10\n1,4,1" + row + "1,20\n2,4,1" + row + "0,30\n");
    const Profile p = imported();
    EXPECT_EQ(p.device.size(), 2u);
    EXPECT_EQ(p.counters.size(), 3u);
}

TEST_F(RocprofTablesTest, FilesOfVersionOneBesideEachOther) {
    write("results.csv", seed("rocprof_v1_results.csv"));
    write("results.db", "SQLite format 3");
    write("results.hip_stats.csv", "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n");
    EXPECT_EQ(imported().device.size(), 3u) << "the database is not read";
    write("results.json", seed("rocprof_v1_results.json"));
    const Profile p = imported();
    EXPECT_EQ(p.ranks.size(), 1u);
    EXPECT_EQ(p.host.size(), 3u) << "the trace has the calls";
}

TEST_F(RocprofTablesTest, SumsAndMachinesAreRefused) {
    write("1_agent_info.csv", kAgents);
    EXPECT_NE(refused().find("--sys-trace"), std::string::npos);
    const std::string path = folder_.write(
        "kernel_stats.csv", "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n");
    const Result<Profile> sums = import_files({path});
    ASSERT_FALSE(sums);
    EXPECT_NE(sums.error().message().find("statistics of rocprof"), std::string::npos);
}

TEST_F(RocprofTablesTest, AgentsAreNoMoreThanAMachineHas) {
    std::string agents(kAgents);
    for (int i = 5; i < 4998; ++i)
        agents += std::to_string(i) + ",3,\"GPU\",64,304,90402,2100,\"gfx942\",\"AMD Instinct MI300X\"\n";
    write("7_agent_info.csv", agents);
    write("7_hip_api_trace.csv", std::string(kCalls) + "\"HIP_RUNTIME_API\",\"x\",1,1,1,100,200\n");
    const Profile p = imported();
    EXPECT_EQ(p.devices.size(), 4095u) << "of 4096 agents one is a processor";
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 4996 - 4096);
}

TEST_F(RocprofTablesTest, SeveralProcessesInATableAreRefused) {
    std::string text =
        "\"Guid\"," + std::string(kCalls) + "\"a-1\",\"HIP_RUNTIME_API\",\"x\",1,1,1,100,200\n";
    write("out_hip_api_trace.csv", text);
    EXPECT_EQ(imported().host.size(), 1u);
    write("out_hip_api_trace.csv", text + "\"a-2\",\"HIP_RUNTIME_API\",\"x\",1,1,1,100,200\n");
    EXPECT_NE(refused().find("line 3"), std::string::npos);
}

TEST(RocprofFiles, PassesOfAProgram) {
    EXPECT_EQ(pass_of("out/pass_2/host/7_").program, "out/");
    EXPECT_EQ(pass_of("out/pass_2/host/7_").run, "host/7_");
    EXPECT_EQ(pass_of("out/pass_2/host/7_").pass, 2);
    EXPECT_EQ(pass_of("pmc_10/7_").pass, 10);
    for (const char* other : {"out/7_", "out/pass_/7_", "out/pass_x/7_", "out/pass_2", "bypass_2/7_"})
        EXPECT_EQ(pass_of(other).pass, -1) << other;
}

TEST(RocprofFiles, NamesOfARun) {
    using rocprofcsv::run_of;
    EXPECT_EQ(run_of("a/7_kernel_trace.csv"), "a/7_");
    EXPECT_EQ(run_of("a/7_agent_info.csv"), run_of("a/7_results.db"));
    EXPECT_EQ(run_of("a/hip_api_trace_7.csv"), run_of("a/results_7.csv"));
    EXPECT_NE(run_of("a/7_kernel_trace.csv"), run_of("b/7_kernel_trace.csv"));
    EXPECT_EQ(run_of("results/mine.csv"), "results/mine.csv");
}

}  // namespace
}  // namespace opsight::importer
