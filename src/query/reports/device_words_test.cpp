// Reports for people name devices and their matrix units as their maker does.
#include <gmock/gmock.h>

#include "query/reports/device_words.h"
#include "query/reports/info.h"
#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// The headers of the summary's first table, and the notes, as people get them.
std::vector<std::string> words_on(std::initializer_list<std::string_view> devices) {
    analyze::TestProfile t;
    int64_t number = 0;
    for (const std::string_view device : devices) {
        t.gpu(number, device, 9, 0);
        t.kernel("some_kernel", 100 * number, 50, t.stream(7, number), number + 1);
        ++number;
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    auto report = make_report(session, "summary", {.for_people = true});
    if (!report) {
        ADD_FAILURE() << report.error().message();
        return {};
    }
    const auto words_of_run = device_words(session);
    EXPECT_TRUE(words_of_run);
    if (words_of_run) say(*report, *words_of_run);
    std::vector<std::string> words = report->notes;
    for (const Column& column : report->sections.at(0).table.columns)
        words.push_back(column.header);
    return words;
}

TEST(DeviceWords, HaveTheNameThatTheirMakerGives) {
    const auto amd = words_on({"AMD Instinct MI300X"});
    EXPECT_THAT(amd, Contains("Matrix Core Kernel Utilization %"));
    EXPECT_THAT(amd, Contains("TC: Matrix Cores, AMD's counterpart of Tensor Cores"));
    const auto nvidia = words_on({"NVIDIA H100 80GB HBM3"});
    EXPECT_THAT(nvidia, Contains("Tensor Core Kernel Utilization %"));
    EXPECT_THAT(nvidia, Not(Contains(HasSubstr("Matrix Core"))));
    EXPECT_THAT(words_on({"AMD Instinct MI300X", "NVIDIA H100 80GB HBM3"}),
                Not(Contains(HasSubstr("Matrix Core"))));
}

// Words for what a host timed, or for devices of which nothing is told, are not those of another maker.
TEST(DeviceWords, ExplainMatrixUnitsOfOtherMakersAlone) {
    Report report{"summary", "Summary", {}, {}};
    report.sections.emplace_back();
    report.sections[0].table.columns.push_back({"tc", "Uses TC"});
    DeviceWords words;
    words.device = "device";
    say(report, words);
    EXPECT_THAT(report.notes, ::testing::IsEmpty());
    words.matrix_unit = "matrix unit";
    say(report, words);
    EXPECT_THAT(report.notes, Contains(HasSubstr("TC: matrix units")));
}

TEST(DeviceWords, OtherMakersDevicesAreNoGpus) {
    analyze::TestProfile t;
    t.gpu(0, "TPU v6 Lite", 0, 0);
    t.kernel("fusion", 0, 50, t.stream(), 1);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto words = device_words(session);
    ASSERT_TRUE(words);
    EXPECT_EQ(*words, (DeviceWords{"TPU", "matrix unit", "runtime", "core"}));
    auto report = make_report(session, "summary", {.for_people = true});
    ASSERT_TRUE(report);
    say(*report, *words);
    for (const Section& section : report->sections)
        for (const Column& column : section.table.columns) {
            EXPECT_EQ(column.header.find("GPU"), std::string::npos) << column.header;
            EXPECT_EQ(column.header.find("Tensor"), std::string::npos) << column.header;
        }
}

// Those of the report of measured work.
std::vector<std::string> notes_on(std::string_view device) {
    analyze::TestProfile t;
    t.gpu(0, device, 0, 0);
    t.kernel("some_kernel", 0, 50, t.stream(), 1);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto report = make_report(session, "expected_vs_measured", {.for_people = true});
    return report ? report->notes : std::vector<std::string>{report.error().message()};
}

TEST(DeviceWords, CountersOfNvidiaAreAdvisedForItsDevicesAlone) {
    EXPECT_THAT(notes_on("NVIDIA H100 80GB HBM3"), Contains(HasSubstr("record them with 'ncu ")));
    EXPECT_THAT(notes_on("TPU v6 Lite"), Not(Contains(HasSubstr("ncu"))));
}

TEST(DeviceWords, AreThoseOfDiagnosticsToo) {
    analyze::TestProfile t;
    t.gpu(0, "TPU v6 Lite", 0, 0);
    t.kernel("fusion", 0, 50, t.stream(), 1);
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.all = true});
    const auto found = profile_info(session);
    ASSERT_TRUE(found);
    const ResultTable& odd = found->diagnostics;
    EXPECT_THAT(std::get<std::string>(cell(odd, "help", "key", "unknown_tensor_core_use")),
                HasSubstr("use matrix units"));
    auto summary = make_report(session, "summary", {.for_people = false});
    ASSERT_TRUE(summary);
    say(*summary, device_words(session).value());
    const auto list =
        std::find_if(summary->sections.begin(), summary->sections.end(),
                     [](const Section& section) { return section.table.name == "diagnostics"; });
    ASSERT_NE(list, summary->sections.end());
    EXPECT_THAT(std::get<std::string>(cell(list->table, "help", "key", "unknown_tensor_core_use")),
                HasSubstr("use matrix units"));
}

// The host measured what oneDNN's primitives took on a GPU.
TEST(DeviceWords, TimesOfPrimitivesOnGpusAreNotTheCpus) {
    const auto headers_with = [](std::string_view name) {
        analyze::TestProfile t;
        t.op(name, 0, 100, t.thread(1));
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.all = true});
        auto report = make_report(session, "op_type", {.for_people = true});
        EXPECT_TRUE(report);
        say(*report, device_words(session).value());
        std::vector<std::string> headers;
        for (const Column& column : report->sections.at(0).table.columns)
            headers.push_back(column.header);
        return headers;
    };
    for (const char* name : {"onednn_gpu::convolution", "onednn_cpu2gpu::reorder"}) {
        EXPECT_THAT(headers_with(name), Contains("Total Host Time (ns)")) << name;
        EXPECT_THAT(headers_with(name), Not(Contains(HasSubstr("CPU Time")))) << name;
    }
    for (const char* name : {"onednn::convolution", "aten::mm"})
        EXPECT_THAT(headers_with(name), Contains("Total CPU Time (ns)")) << name;
    DeviceWords words;
    words.clock = "Host";
    EXPECT_EQ(said("the op's CPU time", words), "the op's host time");
    EXPECT_EQ(said("CPU time of ops", words), "Host time of ops");
    EXPECT_EQ(said("CPU Overhead", words), "CPU Overhead");
}

TEST(DeviceWords, FitTheirSentence) {
    const DeviceWords other{"accelerator", "matrix unit", "runtime", "core"};
    EXPECT_EQ(said("A GPU, and a GPU; GPUs. GPU 0", other),
              "An accelerator, and an accelerator; accelerators. Accelerator 0");
    EXPECT_EQ(said("Total GPU Time (ns)", other), "Total Accelerator Time (ns)");
    EXPECT_EQ(said("Non-Tensor Core Kernel Duration %", other), "Non-Matrix Unit Kernel Duration %");
    EXPECT_EQ(said("Kernels of ops that Tensor Cores cannot help", other),
              "Kernels of ops that matrix units cannot help");
    EXPECT_EQ(said("CUDA API", {"GPU", "Matrix Core", "HIP", "compute unit"}), "HIP API");
    EXPECT_EQ(said("calls of CUDA's API", {"GPU", "Matrix Core", "HIP", "compute unit"}),
              "calls of HIP's API");
    EXPECT_EQ(said("leave multiprocessors of the GPU empty", {"GPU", "Matrix Core", "HIP", "compute unit"}),
              "leave compute units of the GPU empty");
    EXPECT_EQ(said("MY_GPU of CUDA's API", DeviceWords()), "MY_GPU of CUDA's API");
}

}  // namespace
}  // namespace opsight::query
