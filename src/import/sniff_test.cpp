#include "import/sniff.h"

#include <gtest/gtest.h>

namespace opsight {
namespace {

void expect_refused(std::string_view text, std::string_view what, std::string_view remedy) {
    const Sniffed found = sniff(text);
    EXPECT_EQ(found.format, Format::kOther) << text;
    EXPECT_EQ(found.what, what) << text;
    EXPECT_NE(found.hint.find(remedy), std::string::npos) << found.hint;
}

TEST(Sniff, WhatOtherProfilersPrint) {
    expect_refused("nohup: ignoring input\n==7== NVPROF is profiling process 7, command: a\n",
                   "output of nvprof", "nsys profile");
    expect_refused("\"Type\",\"Time(%)\",\"Time\",\"Calls\"\n", "a table of nvprof", "nsys profile");
    expect_refused("==PROF== Connected\n\"ID\",\"Process ID\",\"Metric Value\"\n", "output of Nsight Compute",
                   "nsys profile");
    expect_refused("\"ID\",\"Process ID\",\"Process Name\"\n", "a table of Nsight Compute", "nsys profile");
    expect_refused("{'kShortName': 'gemm', 'kDuration': 5760}\n", "output of PyProf", "nsys profile");
    expect_refused("Time (%),Total Time (ns),Instances,Avg (ns)\n", "a table of 'nsys stats'", ".nsys-rep");
    expect_refused("Start (ns),End (ns),Duration (ns),DurChild (ns)\n", "a table of 'nsys stats'",
                   ".nsys-rep");
    expect_refused("a,b,c\n1,2,3\n", "a CSV table", "export_chrome_trace");
    expect_refused("{'a': 1}", "text, but no JSON", "export_chrome_trace");
}

TEST(Sniff, WhatStandsForAFileOrIsWrittenInAnotherWay) {
    expect_refused("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
                   "a pointer of Git LFS or git-annex to a file that was not fetched", "git lfs pull");
    expect_refused("/annex/objects/SHA256E-s3--2c26.json\n",
                   "a pointer of Git LFS or git-annex to a file that was not fetched", "git annex get");
    const std::string_view little("\xff\xfe{\0\n\0", 6), big("\xfe\xff\0{", 4), bare("[\0{\0\"\0", 6);
    for (const std::string_view text : {little, big, bare})
        expect_refused(text, "text in UTF-16", "iconv");
    expect_refused(
        "[\n  { \"count\" : 10 }\n, { \"name\" : \"conv\", \"timeMs\" : 3, \"averageMs\" : 0.3 }\n]",
        "a table of TensorRT's times by layer (trtexec --exportProfile)", "nsys profile");
    EXPECT_EQ(foreign_profiler("[{\"ph\": \"B\", \"name\": \"NEGOTIATE_ALLREDUCE\"}]"), "Horovod (timeline)");
    EXPECT_EQ(foreign_profiler("[{\"ph\": \"X\", \"name\": \"horovod_torch_allreduce_async\", \"ts\": 1}]"),
              "")
        << "an op of PyTorch's autograd profiler";
}

TEST(Sniff, TracesStayTraces) {
    EXPECT_EQ(sniff("{\"traceEvents\": [{\"name\": \"==PROF==\"}]}").format, Format::kJson);
    EXPECT_EQ(sniff(" [{'").format, Format::kJson);
    EXPECT_EQ(sniff("{}").format, Format::kJson);
}

}  // namespace
}  // namespace opsight
