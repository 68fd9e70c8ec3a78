#include <gtest/gtest.h>

#include "base/test_files.h"
#include "import/import.h"
#include "import/xplane/details.h"
#include "import/xplane/test_planes.h"
#include "model/marks/xla_names.h"

namespace opsight::importer::xplane {
namespace {

class XPlaneTest : public ::testing::Test {
  protected:
    Profile imported(const std::string& bytes) {
        Result<Profile> profile = import_files({folder_.write("host.xplane.pb", bytes)});
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    std::string problem(const std::string& bytes, const std::string& name = "host.xplane.pb") {
        Result<Profile> profile = import_files({folder_.write(name, bytes)});
        return profile ? "" : profile.error().message();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }

    static std::string gpu() {
        TestPlane gpu("/device:GPU:1");
        gpu.line(16, "Stream #16(Kernel)", 1000,
                 {{"loop_add_fusion.kd",
                   5'000'000,
                   2'500'999,
                   {{"correlation_id", "", 7},
                    {"kernel_details", " grid:4,2,1 block:256,1,1 private_mem:8 group_mem:64 occ_pct:0"},
                    {"name", "jit(step)/jit(main)/transpose(jvp(Net))/dense/add"},
                    {"hlo_op", "loop_add_fusion.3"},
                    {"hlo_module", "jit_step"},
                    {"tf_op", "XlaModule:"}}},
                  {"MemcpyH2D",
                   8'000'000,
                   1'000'000,
                   {{"memcpy_details", "kind_src:pageable kind_dst:device size:4096 dest:0 async:1"}}}});
        gpu.line(99, "XLA Ops", 1000, {{"loop_add_fusion.3", 5'000'000, 2'500'000, {}}});
        gpu.stat({"device_vendor", "AMD"}).stat({"core_count", "", 304}).stat({"compute_cap_major", "", 9});
        return gpu.bytes();
    }
    static std::string host() {
        return TestPlane("/host:CPU")
            .line(3, "python/3", 1000,
                  {{"$train.py:12 step", 0, 20'000'000, {}},
                   {"train", 1'000'000, 15'000'000, {{"step_num", "", 4}}},
                   {"train", 17'000'000, 2'000'000, {{"step_num", "", 5}}},
                   {"hipModuleLaunchKernel", 2'000'000, 1'000'000, {{"correlation_id", "", 7}}},
                   {"MemoryAllocation",
                    3'000'000,
                    0,
                    {{"allocation_bytes", "", 256},
                     {"bytes_allocated", "", 1024},
                     {"bytes_reserved", "", 4096},
                     {"addr", "", 64},
                     {"allocator_name", "GPU_1_bfc"}}}})
            .bytes();
    }
    static std::string task() {
        return TestPlane("Task Environment")
            .stat({"profile_start_time", "", 1'700'000'000'000'000'000})
            .bytes();
    }
    testing::TempFolder folder_;
};

TEST_F(XPlaneTest, AGpuWithItsHost) {
    const Profile p = imported(gpu() + host() + task());
    EXPECT_EQ(p.info.origin_ns, 1'700'000'000'000'001'000) << "lines count from the begin of the profile";
    ASSERT_EQ(p.devices.size(), 1u);
    EXPECT_EQ(p.devices[0].name, "AMD GPU");
    EXPECT_EQ(p.devices[0].number, 1);
    EXPECT_EQ(p.devices[0].sm_count, 304);
    ASSERT_EQ(p.device.size(), 3u) << "a kernel, a copy, and the range that shows the kernel again";
    size_t kernels = 0;
    for (size_t span = 0; span < p.device.size(); ++span) {
        if (p.device.kind[span] == DeviceKind::kMemcpy) {
            EXPECT_EQ(p.device.bytes[span], 4096);
            EXPECT_EQ(text(p, p.device.name[span]), "Memcpy HtoD (Pageable -> Device)");
        }
        if (p.device.kind[span] != DeviceKind::kKernel) continue;
        ++kernels;
        EXPECT_EQ(text(p, p.device.name[span]), "loop_add_fusion");
        EXPECT_EQ(p.device.begin[span], 5000);
        EXPECT_EQ(p.device.dur[span], 2500) << "whole ns, rounded down at both ends";
        EXPECT_EQ(p.device.correlation[span], 7);
        const LaunchConfig& config = p.launch_configs[p.device.config[span].index()];
        EXPECT_EQ(config.grid[1], 2);
        EXPECT_EQ(config.static_shared_bytes, 64);
        EXPECT_EQ(config.registers_per_thread, -1);
        EXPECT_EQ(config.source_occupancy_pct, -1) << "0 is what was not worked out";
    }
    EXPECT_EQ(kernels, 1U);
    ASSERT_EQ(p.told_work.size(), 1u);
    const ToldOp& op = p.told_ops[p.told_work.op[0].index()];
    EXPECT_EQ(text(p, op.name), "loop_add_fusion.3");
    EXPECT_EQ(text(p, op.type), "loop_add_fusion");
    EXPECT_EQ(text(p, op.layer), "jit_step/Net/dense");
}

TEST_F(XPlaneTest, HostThreads) {
    const Profile p = imported(gpu() + host() + task());
    std::vector<std::string> names;
    for (size_t row = 0; row < p.host.size(); ++row)
        names.push_back(text(p, p.host.name[row]));
    EXPECT_EQ(names, (std::vector<std::string>{"train.py:12 step", "Step #4 (train)", "hipModuleLaunchKernel",
                                               "MemoryAllocation", "Step #5 (train)"}));
    EXPECT_EQ(p.host.kind[0], HostKind::kPythonFrame);
    EXPECT_EQ(p.host.kind[2], HostKind::kRuntimeApi);
    EXPECT_EQ(text(p, p.tracks[p.host.track[0].index()].name), "python");
    ASSERT_EQ(p.memory.size(), 1u);
    EXPECT_EQ(p.memory.bytes[0], 256);
    EXPECT_EQ(p.memory.total_allocated[0], 1024);
    EXPECT_EQ(p.memory.total_reserved[0], 1024 + 4096) << "what programs reserve is beside it";
    EXPECT_EQ(p.memory.device[0], 1);
}

// Lines come in any order, devices have like addresses, and only an allocation tells its size.
TEST_F(XPlaneTest, MemoryThatAnotherThreadFrees) {
    const auto change = [](const char* name, int64_t us, int64_t bytes, int64_t device) {
        TestEvent event{name, us * 1'000'000, 0, {{"bytes_allocated", "", 0}, {"addr", "", 64}}};
        if (bytes > 0) event.stats.push_back({"allocation_bytes", "", bytes});
        event.stats.push_back({"index_on_host", "", device});
        return event;
    };
    const Profile p =
        imported(TestPlane("/host:CPU")
                     .line(3, "frees", 0,
                           {change("MemoryDeallocation", 4, 0, 1), change("MemoryDeallocation", 5, 0, 0)})
                     .line(4, "allocates", 0,
                           {change("MemoryAllocation", 1, 256, 0), change("MemoryAllocation", 2, 512, 1)})
                     .bytes() +
                 task());
    std::vector<std::pair<int32_t, int64_t>> changes;
    for (size_t row = 0; row < p.memory.size(); ++row)
        changes.emplace_back(p.memory.device[row], p.memory.bytes[row]);
    EXPECT_EQ(changes, (std::vector<std::pair<int32_t, int64_t>>{{0, 256}, {1, 512}, {1, -512}, {0, -256}}));
    EXPECT_EQ(p.diagnostics.count(Diag::kUnknownFree), 0u);
}

TEST_F(XPlaneTest, ATpuCountsEachOpOnce) {
    TestPlane tpu("/device:TPU:0");
    const auto op = [](const std::string& name, int64_t begin, int64_t dur) {
        return TestEvent{
            name, begin * 1'000'000, dur * 1'000'000, {{"hlo_category", "x"}, {"flops", "", 10}}};
    };
    const std::string start =
        "%copy-start.1 = (f32[8]{0:T(8)}, f32[8]{0:T(8)S(5)}, u32[]{:S(2)}) copy-start(f32[8]{0} %p)";
    tpu.line(2, "XLA Modules", 0, {op("jit_f(12)", 0, 100)});
    tpu.line(
        3, "XLA Ops", 0,
        {op("%while.1 = (s32[]) while((s32[]) %t), condition=%c, body=%b", 0, 50),
         op("%fusion.1 = bf16[8,8]{1,0} fusion(bf16[8,4]{1,0:T(8,128)} %a, f32[] %b), kind=kLoop", 0, 20),
         op("%all-reduce.2 = f32[8]{0} all-reduce(f32[8]{0} %a), to_apply=%add", 20, 30),
         op("%copy-done.1 = f32[8]{0} copy-done((f32[8], f32[8], u32[]) %s)", 60, 40), op(start, 10, 0)});
    tpu.line(4, "Async XLA Ops", 0, {op(start, 10, 80)});
    tpu.line(5, "Steps", 0, {op("0", 0, 50), op("1", 50, 50)});
    tpu.stat({"device_type_string", "TPU v6 Lite"}).stat({"peak_teraflops_per_second", "", 918});
    const Profile p = imported(tpu.bytes());
    std::map<std::string, DeviceKind> kinds;
    for (size_t span = 0; span < p.device.size(); ++span)
        if (p.device.kind[span] != DeviceKind::kAnnotation)
            kinds[text(p, p.device.name[span])] = p.device.kind[span];
    EXPECT_EQ(kinds, (std::map<std::string, DeviceKind>{{"fusion.1", DeviceKind::kKernel},
                                                        {"all-reduce.2", DeviceKind::kKernel},
                                                        {"copy-done.1", DeviceKind::kSync},
                                                        {"Memcpy HtoD", DeviceKind::kMemcpy}}))
        << "a loop holds its ops, and does no work beside; a start is counted with what it starts";
    EXPECT_EQ(p.devices[0].matrix_flops, 918e12);
    ASSERT_EQ(p.collectives.size(), 1u);
    EXPECT_EQ(p.collectives[0].in_elements, 8);
    const ToldOp& first = p.told_ops[p.told_work.op[0].index()];
    EXPECT_EQ(text(p, first.shapes), "[[8, 4], []]");
    EXPECT_EQ(text(p, first.dtypes), "[\"c10::BFloat16\", \"float\"]");
    EXPECT_EQ(first.flops, 10);
    ASSERT_EQ(p.host.size(), 2u) << "steps of the device";
    EXPECT_EQ(text(p, p.host.name[1]), "Step #1");
}

// Profilers write the line of asynchronous ops for one device and leave it empty for the others.
TEST_F(XPlaneTest, CopiesAreKnownByTheirStartAndTheirEnd) {
    TestPlane tpu("/device:TPU:1");
    const auto op = [](const std::string& name, int64_t begin, int64_t dur) {
        return TestEvent{name, begin * 1'000'000, dur * 1'000'000, {}};
    };
    const std::string start =
                          "%copy-start.7 = (f32[8]{0:T(8)}, f32[8]{0:T(8)S(5)}, u32[]) copy-start(f32[8] %p)",
                      done = "%copy-done.2 = f32[8]{0} copy-done((f32[8], f32[8], u32[]) %copy-start.7)";
    tpu.line(3, "XLA Ops", 0,
             {op(done, 9, 0), op(start, 10, 0), op(done, 30, 10), op(start, 50, 0), op(start, 51, 0),
              op(done, 60, 5), op(start, 80, 1)});
    tpu.line(4, "Async XLA Ops", 0, {});
    const Profile p = imported(tpu.bytes());
    std::vector<std::pair<int64_t, int64_t>> copies;
    size_t kernels = 0;
    for (size_t span = 0; span < p.device.size(); ++span) {
        if (p.device.kind[span] == DeviceKind::kMemcpy)
            copies.emplace_back(p.device.begin[span], p.device.dur[span]);
        kernels += p.device.kind[span] == DeviceKind::kKernel;
    }
    EXPECT_EQ(copies, (std::vector<std::pair<int64_t, int64_t>>{{1000, 30'000}, {42'000, 14'000}}))
        << "what was started again was waited for before, which was not recorded";
    EXPECT_EQ(kernels, 2u) << "of that one and the last one nothing tells the end";
}

// An event has the stats of its type and its own; where both tell, what comes last in it counts.
TEST_F(XPlaneTest, StatsOfTypes) {
    const auto number = [](int64_t name, int64_t value) {
        return Bytes().number(1, name).number(4, value).all;
    };
    const auto entry = [](int field, int64_t key, const Bytes& message) {
        return Bytes().text(field, Bytes().number(1, key).text(2, message.all).all).all;
    };
    const std::string category = Bytes().number(1, 3).text(5, "convolution").all, own = number(1, 30);
    Bytes line;
    line.number(1, 3).text(2, "XLA Ops");
    line.text(4, Bytes().number(1, 1).number(3, 1'000'000).all);
    line.text(4, Bytes().number(1, 2).number(2, 1'000'000).number(3, 1'000'000).text(4, own).all);
    line.text(4, Bytes().text(4, own).number(1, 3).number(2, 2'000'000).number(3, 1'000'000).all);
    line.text(4, Bytes().number(1, 9).number(2, 3'000'000).number(3, 1'000'000).all);  // of no known type
    std::string plane = Bytes().text(2, "/device:TPU:0").text(3, line.all).all;
    for (const int64_t type : {1, 2, 3})
        plane += entry(4, type,
                       Bytes()
                           .text(2, "dot." + std::to_string(type))
                           .text(5, category)
                           .text(5, number(1, type))
                           .text(5, number(2, 8)));
    plane += entry(5, 1, Bytes().text(2, "flops")) + entry(5, 2, Bytes().text(2, "bytes_accessed")) +
             entry(5, 3, Bytes().text(2, "hlo_category"));
    const Profile p = imported(Bytes().text(1, plane).all);
    EXPECT_EQ(p.device.size(), 4u);
    std::map<std::string, std::pair<int64_t, int64_t>> work;
    for (const ToldOp& op : p.told_ops)
        work[text(p, op.name)] = {op.flops, op.bytes};
    EXPECT_EQ(work, (std::map<std::string, std::pair<int64_t, int64_t>>{
                        {"dot.1", {1, 8}}, {"dot.2", {30, 8}}, {"dot.3", {3, 8}}}));
}

TEST_F(XPlaneTest, WhatIsWrongIsSaid) {
    const std::string whole = gpu() + host();
    const Profile cut = imported(whole.substr(0, whole.size() - 10));
    EXPECT_EQ(cut.diagnostics.count(Diag::kTruncatedInput), 1);
    EXPECT_EQ(cut.device.size(), 3u);
    EXPECT_NE(problem(gpu().substr(0, 100)).find("ends within its first plane"), std::string::npos);
    EXPECT_NE(problem(whole + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff").find("damaged"),
              std::string::npos);
    EXPECT_NE(problem(task()).find("without events"), std::string::npos);
    EXPECT_NE(problem(whole + Bytes().number(15, 1).all + "\x0a\xff\xff\xff\xff\x7f").find("damaged"),
              std::string::npos);
    const Profile odd = imported(TestPlane("/host:CPU")
                                     .line(1, "t", 0,
                                           {{"a", 0, -5, {}},
                                            {"b", INT64_MAX, INT64_MAX, {}},
                                            {"c\x01", 0, 1000, {{"correlation_id", "", 1}}}})
                                     .line(2, "u", INT64_MAX, {{"d", 0, 1, {}}})
                                     .bytes());
    EXPECT_EQ(odd.diagnostics.count(Diag::kNegativeDuration), 1);
    EXPECT_EQ(odd.diagnostics.count(Diag::kBadTime), 2);
    EXPECT_GE(odd.diagnostics.count(Diag::kUncleanText), 1);
}

TEST_F(XPlaneTest, WhatIsMadeOfProfilesIsNamed) {
    const std::string message = problem("\x0a\x05hello", "host.overview_page.pb");
    EXPECT_NE(message.find("an overview page"), std::string::npos) << message;
    EXPECT_NE(message.find(".xplane.pb"), std::string::npos) << message;
}

// Two compilations of a function have the same names, and other shapes.
TEST_F(XPlaneTest, OpsOfTwoProgramsAreTwo) {
    const auto event = [](int64_t begin_ps, int64_t program) {
        return TestEvent{"fusion.kd",
                         begin_ps,
                         1'000'000,
                         {{"hlo_op", "fusion.3"},
                          {"hlo_module", "jit_step"},
                          {"program_id", "", program},
                          {"flops", "", 100 * program}}};
    };
    const std::string bytes = TestPlane("/device:GPU:0")
                                  .line(16, "Stream #16(Kernel)", 1000,
                                        {event(1'000'000, 7), event(3'000'000, 8), event(5'000'000, 7)})
                                  .bytes();
    EXPECT_EQ(imported(bytes).told_ops.size(), 2U);
}

TEST(XPlaneDetails, NamesOfFrameworks) {
    const marks::Scope jax =
        marks::read_scope("jit(step)/jit(main)/while/body/checkpoint/layers_0/jit(relu)/max:");
    EXPECT_EQ(jax.layer, "layers_0");
    EXPECT_EQ(jax.op, "max");
    const marks::Scope tensorflow = marks::read_scope("model/dense/MatMul:MatMul");
    EXPECT_EQ(tensorflow.layer, "model/dense");
    EXPECT_EQ(tensorflow.type, "MatMul");
    EXPECT_EQ(marks::read_scope("x").layer, "");
    EXPECT_TRUE(is_tensorflow_op("model/dense/MatMul:MatMul"));
    EXPECT_FALSE(is_tensorflow_op("ThreadpoolListener::StartRegion"));
    EXPECT_EQ(without_metadata("train#step_num=5,_r=1#"), "train");
    EXPECT_EQ(metadata_value("train#step_num=5,_r=1#", "step_num"), "5");
    EXPECT_EQ(marks::without_number("fusion.12.1"), "fusion");
}

TEST(XPlaneDetails, RegistersThatNoKernelHas) {
    bool odd = false;
    const LaunchConfig config =
        read_launch("regs:2191500840 static_shared:32462 grid:1,1,1 block:64,1,1", odd);
    EXPECT_TRUE(odd);
    EXPECT_EQ(config.registers_per_thread, -1);
    EXPECT_EQ(config.block[0], 64);
}

}  // namespace
}  // namespace opsight::importer::xplane
