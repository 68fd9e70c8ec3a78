// The meaning of events, by generation. The traces are those of tests/fuzz/seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "import/kineto/test_trace.h"
#include "model/source_limits.h"

namespace opsight::importer::kineto {
namespace {

const Track& host_track_of(const Profile& p, std::string_view name) {
    return p.tracks[p.host.track[host_row(p, name)].index()];
}

TEST(Kineto, NamesOfLaunchedKernelsAndGraphs) {
    const Profile p = import_events(
        R"({"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,)"
        R"("args":{"correlation":3,"kernel":"_ZN2at6native4gemmILi3EEEvi"}},)"
        R"({"ph":"X","cat":"cuda_runtime","name":"hipFree","pid":1,"tid":1,"ts":3,"dur":1,"args":{"correlation":4}},)"
        R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":5,)"
        R"("args":{"correlation":3,"graph id":6,"graph node id":25769803777}},)"
        R"({"ph":"X","cat":"kernel","name":"none","pid":0,"tid":7,"ts":20,"dur":5,)"
        R"("args":{"correlation":3,"graph id":0,"graph node id":0}})");
    const auto kernel_of = [&](std::string_view call) {
        return p.api_kernel[p.host.detail[host_row(p, call)]];
    };
    EXPECT_EQ(p.strings.view(kernel_of("hipLaunchKernel")), "void at::native::gemm<3>(int)");
    EXPECT_FALSE(kernel_of("hipFree").valid());
    ASSERT_EQ(p.device_extras.size(), 1u);
    EXPECT_EQ(p.device_extras.row[0], device_row(p, "k"));
    EXPECT_EQ(p.device_extras.graph[0], 6);
    EXPECT_EQ(p.device_extras.graph_node[0], 25769803777);
}

TEST(Kineto, Generation2021) {
    const Profile p = import_seed("kineto_2021.json");
    EXPECT_EQ(p.info.producer, "PyTorch Kineto");
    EXPECT_EQ(p.info.origin_ns, 1620000000000100000);
    EXPECT_FALSE(p.ranks[0].number_known);

    const size_t op = host_row(p, "aten::conv2d");
    ASSERT_EQ(p.host.kind[op], HostKind::kOp);
    EXPECT_EQ(p.host.begin[op], 10000);
    EXPECT_EQ(p.host.dur[op], 80000);
    const uint32_t detail = p.host.detail[op];
    EXPECT_EQ(p.op_details.sequence[detail], 7);
    EXPECT_EQ(p.op_details.external_id[detail], 2);
    EXPECT_EQ(p.strings.view(p.op_details.module_path[detail]), "TOP(Net).conv(Conv2d)");
    EXPECT_TRUE(p.strings.view(p.op_details.stack[detail]).starts_with("net.py(12): forward;"));
    const Signature& signature = p.signatures[p.op_details.signature[detail].index()];
    EXPECT_EQ(p.strings.view(signature.shapes), "[[8, 3, 32, 32], [16, 3, 3, 3], [16], [], [], [], []]");
    EXPECT_EQ(p.strings.view(signature.dtypes), R"(["float", "float", "float", "", "", "", "Int"])");
    EXPECT_EQ(host_track_of(p, "aten::conv2d").tid, 4100);  // told as a string
    EXPECT_EQ(p.strings.view(host_track_of(p, "aten::conv2d").name), "thread 0 (python)");

    const size_t kernel = device_row(p, "volta_scudnn");
    EXPECT_EQ(p.device.kind[kernel], DeviceKind::kKernel);
    EXPECT_EQ(p.device.correlation[kernel], 901);
    EXPECT_EQ(p.device.external_id[kernel], 2);
    const LaunchConfig& config = p.launch_configs[p.device.config[kernel].index()];
    EXPECT_EQ(config.grid[0], 64);
    EXPECT_EQ(config.block[0], 256);
    EXPECT_EQ(config.registers_per_thread, 128);
    EXPECT_EQ(config.static_shared_bytes, 12288);
    EXPECT_EQ(config.source_occupancy_pct, 10);
    const Track& stream = p.tracks[p.device.track[kernel].index()];
    EXPECT_EQ(stream.stream, 7);
    EXPECT_EQ(stream.context, 1);
    EXPECT_EQ(p.strings.view(stream.name), "stream 7");
    EXPECT_EQ(p.strings.view(stream.process_name), "GPU 0");
    EXPECT_EQ(p.device.bytes[device_row(p, "Memcpy")], 98304);
    EXPECT_EQ(p.device.kind[device_row(p, "Memset")], DeviceKind::kMemset);

    ASSERT_EQ(p.memory.size(), 1u);
    EXPECT_EQ(p.memory.bytes[0], 65536);
    ASSERT_EQ(p.flows.size(), 2u);
    EXPECT_EQ(p.flows[0].kind, FlowKind::kLaunch);
    EXPECT_EQ(p.flows[1].track, p.device.track[kernel]);
    EXPECT_EQ(host_track_of(p, "PyTorch Profiler (0)").kind, TrackKind::kOther);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnknownCategory), 0);
}

TEST(Kineto, Generation2024) {
    const Profile p = import_seed("kineto_2024.json");
    EXPECT_EQ(p.info.origin_ns, 1700000000005000000);
    ASSERT_EQ(p.ranks.size(), 1u);
    EXPECT_EQ(p.ranks[0].number, 3);
    EXPECT_TRUE(p.ranks[0].number_known);
    EXPECT_EQ(p.ranks[0].world_size, 8);
    EXPECT_EQ(p.ranks[0].backend, "nccl");
    ASSERT_EQ(p.devices.size(), 1u);
    EXPECT_EQ(p.devices[0].name, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(p.devices[0].compute_major, 9);
    EXPECT_EQ(p.devices[0].sm_count, 132);
    EXPECT_TRUE(p.devices[0].declared);
    const auto property = std::find(p.info.properties.begin(), p.info.properties.end(),
                                    std::pair<std::string, std::string>("cuda_runtime_version", "12040"));
    EXPECT_NE(property, p.info.properties.end());

    EXPECT_EQ(p.host.kind[host_row(p, "nn.Module: Linear_0")], HostKind::kModule);
    EXPECT_EQ(p.host.kind[host_row(p, "train.py(14): main")], HostKind::kPythonFrame);
    EXPECT_EQ(p.host.kind[host_row(p, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__")],
              HostKind::kDataLoad);
    EXPECT_EQ(p.host.kind[host_row(p, "cuLaunchKernelEx")], HostKind::kDriverApi);
    EXPECT_EQ(p.api_correlation[p.host.detail[host_row(p, "cuLaunchKernelEx")]], 31);
    EXPECT_EQ(p.host.kind[host_row(p, "Activity Buffer Request")], HostKind::kOverhead);
    EXPECT_EQ(p.host.begin[host_row(p, "aten::linear")], 130001);
    EXPECT_EQ(p.device.kind[device_row(p, "Stream Wait Event")], DeviceKind::kSync);
    const size_t annotation = device_row(p, "ProfilerStep#4");
    EXPECT_EQ(p.device.kind[annotation], DeviceKind::kAnnotation);
    EXPECT_EQ(p.tracks[p.device.track[annotation].index()].kind, TrackKind::kDeviceAnnotation);

    const Collective& collective = p.collectives[p.device.collective[device_row(p, "ncclDevKernel")].index()];
    EXPECT_EQ(p.strings.view(collective.name), "allreduce");
    EXPECT_EQ(collective.in_elements, 4194304);
    EXPECT_EQ(collective.group_size, 8);
    EXPECT_EQ(p.memory.total_reserved[0], 2097152);
    EXPECT_EQ(p.memory.device[0], 0);
}

TEST(Kineto, OtherDevicesAndGenericEvents) {
    const Profile p = import_seed("other_devices.json");
    EXPECT_EQ(p.host.kind[host_row(p, "runFunction - job_prep_and_submit_for_execution")],
              HostKind::kRuntimeApi);
    EXPECT_EQ(p.device.kind[device_row(p, "mul-dtype_Float")], DeviceKind::kKernel);
    EXPECT_EQ(p.device.kind[device_row(p, "dma_request")], DeviceKind::kMemcpy);
    EXPECT_EQ(p.device.bytes[device_row(p, "dma_request")], 1852);
    EXPECT_EQ(p.devices[p.tracks[p.device.track[device_row(p, "dma_request")].index()].device.index()].number,
              9);

    EXPECT_EQ(p.host.dur[host_row(p, "begin-end")], 100000);
    EXPECT_EQ(p.host.kind[host_row(p, "begin-end")], HostKind::kAnnotation);
    EXPECT_EQ(p.host.dur[host_row(p, "async")], 200750);
    EXPECT_EQ(host_track_of(p, "async").kind, TrackKind::kOther);
    EXPECT_EQ(p.host.kind[host_row(p, "who knows")], HostKind::kOther);
    EXPECT_EQ(p.strings.view(StringId(p.host.detail[host_row(p, "who knows")])), "something_new");
    EXPECT_EQ(p.device.kind[device_row(p, "on a device")], DeviceKind::kOther);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnknownCategory), 3);

    std::vector<std::pair<std::string, double>> counters;
    for (size_t i = 0; i < p.counters.size(); ++i)
        counters.emplace_back(p.strings.view(p.counters.name[i]), p.counters.value[i]);
    EXPECT_EQ(counters, (std::vector<std::pair<std::string, double>>{
                            {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 38731776},
                            {"smsp__cycles.avg", 12.5},
                            {"power GPU 0", 11},
                            {"power", 3.5}}));
    EXPECT_EQ(p.info.origin_ns, 1727743122000000000 + 100000);  // the base came last
}

// As traces of long templates and of ROCm have them.
TEST(Kineto, MangledNamesOfKernelsAreReadable) {
    const Profile p = import_events(
        R"({"ph":"X","cat":"kernel","name":"_ZN2at6native4gemmILi3EEEvi","pid":0,"tid":7,"ts":10,"dur":5,)"
        R"("args":{"device":0,"stream":7,"correlation":1}},)"
        R"({"ph":"X","cat":"cpu_op","name":"_ZN2at4gemmEv","pid":1,"tid":1,"ts":1,"dur":5,"args":{}})");
    EXPECT_EQ(p.strings.view(p.device.name[0]), "void at::native::gemm<3>(int)");
    ASSERT_EQ(p.kernel_names.size(), 1U);
    EXPECT_EQ(p.kernel_names[0].name, p.device.name[0]);
    EXPECT_EQ(p.strings.view(p.kernel_names[0].mangled), "_ZN2at6native4gemmILi3EEEvi");
    EXPECT_EQ(p.strings.view(p.host.name[0]), "_ZN2at4gemmEv") << "an op's name is its own";
}

TEST(Kineto, LegacyAutograd) {
    const Profile p = import_seed("legacy_autograd.json");
    EXPECT_EQ(p.host.kind[host_row(p, "aten::mm")], HostKind::kOp);
    EXPECT_EQ(host_track_of(p, "aten::mm").kind, TrackKind::kHostThread);
    EXPECT_EQ(p.strings.view(host_track_of(p, "aten::mm").pid_text), "CPU functions");
    EXPECT_EQ(p.device.kind[device_row(p, "sgemm")], DeviceKind::kKernel);
    EXPECT_EQ(p.info.origin_ns, 31500);
}

// Correlation ids and processes of one number are those of each rank, as are the facts of devices.
TEST(Kineto, RanksOfMergedTraces) {
    const Profile p = import_seed("kineto_merged.json");
    ASSERT_EQ(p.ranks.size(), 3u);
    const auto number_of = [&](const Track& track) { return p.ranks[track.rank.index()].number; };
    EXPECT_EQ(number_of(host_track_of(p, "aten::mm")), 0);
    EXPECT_EQ(number_of(host_track_of(p, "aten::relu")), 1);
    EXPECT_EQ(number_of(host_track_of(p, "aten::add")), 2);
    EXPECT_EQ(number_of(host_track_of(p, "not a rank")), 0);
    EXPECT_EQ(host_track_of(p, "aten::mm").pid, 41);
    EXPECT_EQ(host_track_of(p, "aten::add").pid, 43);
    EXPECT_EQ(p.strings.view(host_track_of(p, "aten::mm").process_name), "python3");
    EXPECT_EQ(p.strings.view(host_track_of(p, "aten::relu").process_name), "");
    const auto rank_of_device = [&](std::string_view name) {
        return number_of(p.tracks[p.device.track[device_row(p, name)].index()]);
    };
    EXPECT_EQ(rank_of_device("gemm_first"), 0);
    EXPECT_EQ(rank_of_device("relu_second"), 1);
    for (const Rank& rank : p.ranks)
        EXPECT_TRUE(rank.number_known);
}

// A row of the legacy profiler for an op, and one of what the device took for it.
std::string legacy_op(std::string name, int begin, int dur, int device_begin, int device_dur, int id) {
    const auto event = [&](const char* rest) {
        return fmt::format(R"({{"name": "{}", "args": {{}}, {}}})", name, rest);
    };
    const auto at = [&](const char* phase, const char* pid, int tid, int ts, std::string more) {
        return event(fmt::format(R"("ph": "{}", "pid": "{} functions", "tid": {}, "ts": {}{})", phase, pid,
                                 tid, ts, more)
                         .c_str());
    };
    const std::string arrow = fmt::format(R"(, "id": {}, "cat": "cpu_to_cuda")", id);
    return at("X", "CPU", 3, begin, fmt::format(R"(, "dur": {})", dur)) + "," +
           at("s", "CPU", 3, begin, arrow) + "," + at("f", "CUDA", 1, device_begin, arrow) + "," +
           at("X", "CUDA", 1, device_begin, fmt::format(R"(, "dur": {})", device_dur));
}

// Nested as the ops: conv of 100 with cudnn of 70 in it, then relu of 20 that begins where conv ends, on
// device 1.
TEST(Kineto, LegacyTimesOfOpsAreNoKernels) {
    const Profile p = import_text("[" + legacy_op("conv", 10, 50, 100, 100, 0) + "," +
                                  legacy_op("cudnn", 20, 30, 110, 70, 1) + "," +
                                  legacy_op("relu", 70, 10, 200, 20, 2) + "]");
    ASSERT_EQ(p.device.size(), 4u);
    int64_t sum = 0;
    for (const int64_t dur : p.device.dur)
        sum += dur;
    EXPECT_EQ(sum, 120000) << "each moment once";
    EXPECT_EQ(p.strings.view(p.device.name[1]), "cudnn");
    EXPECT_EQ(p.device.dur[1], 70000);
    EXPECT_EQ(p.device.correlation, (std::vector<int64_t>{0, 1, 0, 2}));
    EXPECT_EQ(p.devices[p.tracks[p.device.track[0].index()].device.index()].number, 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kOpTimesOfDevice), 3);
}

// What the device took may be less than its clock tells, and all of an op's time may be that of one inside
// it.
TEST(Kineto, LegacyOpsWithoutTimeOfTheirOwnAreShownOnce) {
    const Profile p = import_text("[" + legacy_op("conv", 10, 50, 100, 100, 0) + "," +
                                  legacy_op("cudnn", 20, 30, 100, 100, 1) + "," +
                                  legacy_op("relu", 70, 10, 300, 0, 2) + "]");
    ASSERT_EQ(p.device.size(), 3u);
    EXPECT_EQ(p.device.dur[device_row(p, "conv")], 0);
    EXPECT_EQ(p.device.dur[device_row(p, "cudnn")], 100000);
    EXPECT_EQ(p.device.dur[device_row(p, "relu")], 0);
    EXPECT_EQ(p.diagnostics.count(Diag::kOpTimesOfDevice), 3);
}

TEST(Kineto, WaitsOfADeviceAreNoWork) {
    std::string events;
    for (const char* name : {"event_wait", "event_record", "add-dtype_Float", "dma_request"})
        events +=
            fmt::format(R"({}{{"ph":"X","cat":"mtia_ccp_events","name":"{}","pid":0,"tid":1,"ts":5,"dur":2,)"
                        R"("args":{{"stream":1,"correlation":7}}}})",
                        events.empty() ? "" : ",", name);
    const Profile p = import_events(events);
    EXPECT_EQ(p.device.kind[device_row(p, "event_wait")], DeviceKind::kSync);
    EXPECT_EQ(p.device.kind[device_row(p, "event_record")], DeviceKind::kSync);
    EXPECT_EQ(p.device.kind[device_row(p, "add-dtype")], DeviceKind::kKernel);
    EXPECT_EQ(p.device.kind[device_row(p, "dma_request")], DeviceKind::kMemcpy);
    ASSERT_EQ(p.devices.size(), 1U);
    EXPECT_EQ(p.devices[0].name, "MTIA");
}

// PyTorch's numbers of collectives stand at the op, later ones at the kernel too.
TEST(Kineto, KernelsHaveTheNumberOfTheirCollective) {
    const Profile p = import_events(
        R"({"ph":"X","cat":"kernel","name":"ncclDevKernel_A","pid":0,"tid":7,"ts":9,"dur":5,"args":{"External id":12}},)"
        R"({"ph":"X","cat":"kernel","name":"ncclDevKernel_B","pid":0,"tid":7,"ts":20,"dur":5,"args":{"External id":13,"Seq":44}},)"
        R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":3,"dur":5,"args":{"External id":11}},)"
        R"({"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":1,"dur":2,)"
        R"("args":{"External id":12,"Seq":43,"Collective name":"allreduce"}},)"
        R"({"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":4,"dur":2,)"
        R"("args":{"External id":13,"Seq":99,"Collective name":"allreduce"}})");
    EXPECT_EQ(p.device.collective_number(device_row(p, "ncclDevKernel_A")), 43);
    EXPECT_EQ(p.device.collective_number(device_row(p, "ncclDevKernel_B")), 44);
    EXPECT_EQ(p.device.collective_number(device_row(p, "gemm")), -1);
}

// TensorFlow's writer ends each list with an object that has no member.
TEST(Kineto, AnEventWithoutAnyMemberIsNoLoss) {
    const std::string op = R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":1,"dur":2},)";
    const Profile p = import_events(op + "{ },\n{}");
    EXPECT_EQ(p.host.size(), 1u);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 0);
    EXPECT_EQ(import_events(op + R"({"ts":5})").diagnostics.count(Diag::kBadEvent), 1);
}

TEST(Kineto, ChangesOfMoreMemoryThanThereIsAreLeftOut) {
    const Profile p = import_events(
        R"({"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":1,"s":"t","args":{"Bytes":9223372036854775807,"Device Type":0,"Device Id":-1}},)"
        R"({"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":2,"s":"t","args":{"Bytes":64,"Device Type":0,"Device Id":-1}})");
    EXPECT_EQ(p.memory.size(), 1u);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 1);
}

TEST(Kineto, KernelsTellBetweenWhomTheyMoveData) {
    const Profile p = import_events(
        R"({"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv","pid":0,"tid":7,"ts":9,"dur":5,"args":{"Collective name":"send","Dst Rank":3}},)"
        R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":5,"args":{"Rank":3}})");
    const Exchange send = p.device.exchange(device_row(p, "ncclDevKernel_SendRecv"));
    EXPECT_EQ(send.from, -1);
    EXPECT_EQ(send.to, 3);
    EXPECT_FALSE(p.device.exchange(device_row(p, "gemm")).told());
}

TEST(Kineto, EventsOfADeviceAreMoments) {
    const Profile p =
        import_events(R"({"ph":"X","cat":"cuda_event","name":"cudaEvent","pid":0,"tid":7,"ts":5,"dur":0.001,)"
                      R"("args":{"event_id":3,"stream":7,"correlation":9,"device":0,"context":1}})");
    const size_t row = device_row(p, "cudaEvent");
    EXPECT_EQ(p.device.kind[row], DeviceKind::kOther);
    EXPECT_EQ(p.device.flags[row], kInstant);
    EXPECT_EQ(p.device.dur[row], 0);
    EXPECT_EQ(p.device.correlation[row], 9);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnknownCategory), 0);
}

// Counters beside spans of unknown kinds make no report of these; alone they are one.
TEST(Kineto, CountersDoNotMakeUnknownSpansKnown) {
    const std::string counter = R"({"ph":"C","name":"memory","pid":1,"ts":1,"args":{"value":3}})";
    const std::string op = R"(,{"ph":"B","cat":"operator","name":"Conv","pid":1,"tid":1,"ts":2},
        {"ph":"E","cat":"operator","name":"Conv","pid":1,"tid":1,"ts":9})";
    const std::string mark = R"(,{"ph":"i","name":"Record Window End","pid":1,"tid":1,"ts":9})";
    EXPECT_EQ(import_events(counter + op).diagnostics.count(Diag::kNothingKnown), 1);
    EXPECT_EQ(import_events(counter + mark).diagnostics.count(Diag::kNothingKnown), 0);
}

TEST(Kineto, CountsSpansWithoutACategory) {
    const Profile p =
        import_events(R"({"ph":"X","cat":"cpu_op","name":"npu::mm","pid":1,"tid":1,"ts":1,"dur":3},
        {"ph":"X","name":"MatMul","pid":2,"tid":3,"ts":3,"dur":2})");
    EXPECT_EQ(p.diagnostics.count(Diag::kUnknownCategory), 1);
}

// What our own exports call rows without a category of Kineto's, on a thread and on a stream.
TEST(Kineto, TakesOurOwnOtherRowsBack) {
    const Profile p =
        import_events(R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":3},
        {"ph":"X","cat":"other","name":"section","pid":1,"tid":1,"ts":1,"dur":9},
        {"ph":"X","cat":"other","name":"marker","pid":0,"tid":7,"ts":3,"dur":2,"args":{"device":0,"stream":7}})");
    EXPECT_EQ(p.diagnostics.count(Diag::kUnknownCategory), 0);
    EXPECT_EQ(p.host.kind[host_row(p, "section")], HostKind::kOther);
    EXPECT_EQ(p.device.kind[device_row(p, "marker")], DeviceKind::kOther);
}

// Arrows to a device's rows that the trace does not have.
TEST(Kineto, SaysThatADeviceWorkedOfWhichItHasNoRows) {
    const std::string op = R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":3})";
    const std::string arrow = R"(,{"ph":"s","cat":"cpu_to_cuda","id":1,"pid":1,"tid":1,"ts":2})";
    const std::string kernel =
        R"(,{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":3,"dur":2,"args":{"device":0,"stream":7}})";
    EXPECT_FALSE(has_limit(import_events(op).info, kDevicesOfSource));
    EXPECT_TRUE(has_limit(import_events(op + arrow).info, kDevicesOfSource));
    EXPECT_FALSE(has_limit(import_events(op + arrow + kernel).info, kDevicesOfSource));
    const std::string wait =
        R"(,{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":2,"dur":1})";
    EXPECT_FALSE(has_limit(import_events(op + arrow + wait).info, kDevicesOfSource)) << "launches nothing";
}

TEST(Kineto, SaysThatWorkOfDevicesIsNotReadFromBegins) {
    const Profile p = import_events(R"({"ph":"B","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1},
        {"ph":"E","pid":0,"tid":7,"ts":9},
        {"ph":"B","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1},{"ph":"E","pid":1,"tid":1,"ts":3})");
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 1);
    EXPECT_EQ(p.device.size(), 0u);
}

TEST(Kineto, SaysWhereNothingIsKnown) {
    const Profile p = import_events(R"({"ph":"B","name":"NEGOTIATE","pid":1,"ts":1},{"ph":"E","pid":1,"ts":9},
        {"ph":"s","cat":"DataFlow","id":1,"pid":1,"tid":1,"ts":3},{"ph":"X","name":"x","pid":1,"tid":1,"ts":3,"dur":2})");
    EXPECT_EQ(p.diagnostics.count(Diag::kNothingKnown), 1);
    EXPECT_EQ(p.diagnostics.first(Diag::kNothingKnown)[0].text, "4 events");
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 1);
    EXPECT_EQ(import_seed("legacy_autograd.json").diagnostics.count(Diag::kNothingKnown), 0);
    const Profile rows = import_events(R"({"ph":"X","name":"x","pid":"worker","tid":"a","ts":5,"dur":2},
        {"ph":"X","name":"y","pid":"worker","tid":"a","ts":9,"dur":4})");
    EXPECT_EQ(rows.info.end_ns, 8000) << "rows of any kind, where there is nothing else";
    // Lists of something else are refused, whatever their objects hold.
    const auto source = memory_source(R"([{"count": 3}, {"name": "conv", "timeMs": 3}])");
    ProfileBuilder builder;
    const auto facts = import_trace(*source, "test", TraceOptions(), builder);
    ASSERT_FALSE(facts.has_value());
    EXPECT_NE(facts.error().what.find("no trace events"), std::string::npos);
}

TEST(Kineto, OddTimesAreCountedAndNoneIsMadeUp) {
    const Profile p = import_events(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":NaN,"dur":1},
        {"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":10,"dur":-5},
        {"ph":"X","cat":"cpu_op","name":"c","pid":1,"tid":1,"ts":1e300,"dur":5},
        {"ph":"X","cat":"cpu_op","name":"d","pid":1,"tid":1,"ts":20},
        {"ph":"X","cat":"cpu_op","name":"e","pid":1,"tid":1,"dur":5},
        {"ph":"X","cat":"cpu_op","name":"f","pid":1,"tid":1,"ts":4611686018427380,"dur":8},
        {"ph":"X","cat":"cpu_op","name":"g","pid":1,"tid":1,"ts":-30.5,"dur":1})");
    EXPECT_EQ(p.host.size(), 3u);
    EXPECT_EQ(p.host.dur[host_row(p, "b")], 0);
    EXPECT_EQ(p.host.begin[host_row(p, "g")], 0);
    EXPECT_EQ(p.host.begin[host_row(p, "b")], 40500);
    EXPECT_EQ(p.diagnostics.count(Diag::kBadTime), 4);
    EXPECT_EQ(p.diagnostics.count(Diag::kNegativeDuration), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kMissingDuration), 1);
}

TEST(Kineto, LabelsOfProcessesNameTheirRanks) {
    const auto label = [](int pid, const char* rank) {
        return fmt::format(R"({{"ph":"M","name":"process_labels","pid":{},"args":{{"labels":"{}"}}}},)", pid,
                           rank);
    };
    const auto pair = [](int host, int device) {
        return fmt::format(
            R"({{"ph":"X","cat":"cuda_runtime","name":"launch","pid":{0},"tid":1,"ts":1,"dur":1,"args":{{"correlation":3}}}},)"
            R"({{"ph":"X","cat":"kernel","name":"k","pid":{1},"tid":7,"ts":5,"dur":2,"args":{{"correlation":3,"device":0,"stream":7}}}},)",
            host, device);
    };
    const std::string name =
        R"-({"ph":"M","name":"process_name","pid":11,"args":{"name":"python (rank 4)"}})-";
    const Profile p =
        import_events(label(10, "rank 2") + label(20, "rank 2") + label(11, "rank 4") + label(21, "rank 4") +
                      label(30, "GPU 0") + pair(10, 20) + pair(11, 21) + name);
    ASSERT_EQ(p.ranks.size(), 2u);
    EXPECT_EQ(p.ranks[0].number, 2);
    EXPECT_EQ(p.ranks[1].number, 4);
    ASSERT_EQ(p.devices.size(), 2u) << "device 0 of each";
    EXPECT_NE(p.tracks[p.device.track[0].index()].rank, p.tracks[p.device.track[1].index()].rank);
    bool named = false;
    for (const Track& track : p.tracks)
        named |= p.strings.view(track.process_name) == "python";
    EXPECT_TRUE(named) << "without the rank, which an export adds again";
    EXPECT_EQ(import_events(pair(10, 20) + label(10, "rank x") + name).ranks.size(), 1u);
}

TEST(Kineto, OddIds) {
    const Profile p = import_events(
        R"({"ph":"X","cat":"cuda_runtime","name":"huge","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":18446744073709551616}},
        {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":2,"dur":1,"args":{"correlation":18446744073709551616}},
        {"ph":"X","cat":"cuda_runtime","name":"text","pid":"p","tid":"t","ts":1,"dur":1,"args":{"correlation":"0x10"}},
        {"ph":"X","cat":"kernel","name":"none","pid":0,"tid":7,"ts":3,"dur":1},
        {"ph":"s","cat":"ac2g","pid":1,"tid":1,"ts":3}, {"ph":"q","ts":1}, {"ts":5}, 17, "x", null)");
    const int64_t hashed = p.api_correlation[p.host.detail[host_row(p, "huge")]];
    EXPECT_EQ(p.device.correlation[device_row(p, "k")], hashed);
    EXPECT_GE(hashed, 0);
    EXPECT_EQ(p.diagnostics.count(Diag::kHugeId), 2);
    EXPECT_EQ(p.api_correlation[p.host.detail[host_row(p, "text")]], 16);
    EXPECT_EQ(p.device.correlation[device_row(p, "none")], -1);
    EXPECT_EQ(p.tracks[p.device.track[device_row(p, "none")].index()].stream,
              7);  // from the row it is shown in
    EXPECT_EQ(p.diagnostics.count(Diag::kUnknownPhase), 1);
    EXPECT_GE(p.diagnostics.count(Diag::kBadEvent), 3);
}

TEST(Kineto, UnmatchedBeginsAndEnds) {
    const Profile p = import_events(R"({"ph":"B","cat":"cpu_op","name":"open","pid":1,"tid":1,"ts":10},
        {"ph":"B","cat":"cpu_op","name":"inner","pid":1,"tid":1,"ts":12}, {"ph":"E","pid":1,"tid":1,"ts":14},
        {"ph":"E","pid":1,"tid":2,"ts":14}, {"ph":"X","cat":"cpu_op","name":"last","pid":1,"tid":2,"ts":90,"dur":10})");
    EXPECT_EQ(p.host.dur[host_row(p, "inner")], 2000);
    EXPECT_EQ(p.host.dur[host_row(p, "open")], 90000);  // ends with the profile
    EXPECT_TRUE(p.host.flags[host_row(p, "open")] & kUnfinished);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnfinishedSpan), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kEndWithoutBegin), 1);
}

// As PyTorch writes them, which reports and rules read, whatever wrote the trace anew.
TEST(Kineto, ListsAreOnOneLine) {
    for (const char* dims :
         {"[[2, 3], []]", "[[2,3],[]]", "[\n  [\n   2,\n   3\n  ],\n  []\n ]", "\"[[2,3],[]]\""}) {
        const Profile p = import_events(
            R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":1,"args":{"Input Dims":)" +
            std::string(dims) + R"(,"Input type":["long int",""]}})");
        ASSERT_EQ(p.signatures.size(), 1u) << dims;
        EXPECT_EQ(p.strings.view(p.signatures[0].shapes), "[[2, 3], []]") << dims;
        EXPECT_EQ(p.strings.view(p.signatures[0].dtypes), R"(["long int", ""])") << dims;
    }
}

TEST(Kineto, ThreadsDoNotChangeTheResult) {
    std::string text = "{\"traceEvents\": [";
    for (int i = 0; i < 120000; ++i) {
        const std::string n = std::to_string(i);
        text += i % 3 ? R"({"ph":"X","cat":"cpu_op","name":"op)" + std::to_string(i % 977) +
                            R"(","pid":1,"tid":)" + std::to_string(i % 5) + R"(,"ts":)" +
                            std::to_string(i / 4) + R"(,"dur":0,"args":{"External id":)" + n +
                            R"(,"Input Dims":[[)" + std::to_string(i % 31) + "]]}},\n"
                      : R"({"ph":"X","cat":"kernel","name":"k)" + n + R"(","pid":0,"tid":7,"ts":)" + n +
                            R"(,"dur":1,"args":{"device":0,"stream":7,"correlation":)" + n + "}},\n";
    }
    text.replace(text.size() - 2, 2, "]}");
    const Profile one = import_text(text, 1), four = import_text(text, 4);
    ASSERT_EQ(one.host.size(), 80000u);
    ASSERT_EQ(four.host.size(), 80000u);
    for (size_t i = 0; i < one.host.size(); ++i) {
        ASSERT_EQ(one.host.begin[i], four.host.begin[i]);
        ASSERT_EQ(one.strings.view(one.host.name[i]), four.strings.view(four.host.name[i]));
        ASSERT_EQ(one.op_details.external_id[one.host.detail[i]],
                  four.op_details.external_id[four.host.detail[i]]);
        const auto shapes = [](const Profile& p, size_t row) {
            return p.strings.view(p.signatures[p.op_details.signature[p.host.detail[row]].index()].shapes);
        };
        ASSERT_EQ(shapes(one, i), shapes(four, i));
    }
    EXPECT_EQ(one.device.correlation, four.device.correlation);
}

}  // namespace
}  // namespace opsight::importer::kineto
