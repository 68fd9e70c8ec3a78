#include "import/unread.h"

#include <gtest/gtest.h>

#include "import/all_readers.h"
#include "import/choose.h"
#include "import/kineto/reader.h"

namespace opsight::importer {
namespace {

Choice choice_of(std::string_view text) {
    PeekedSource source(memory_source(text));
    return choose_reader(Head({"input", false}, source), all_readers());
}

void expect_refused(std::string_view text, std::string_view what, std::string_view remedy) {
    const Choice choice = choice_of(text);
    EXPECT_EQ(choice.reader, nullptr) << text;
    EXPECT_EQ(choice.refusal.what, "is " + std::string(what) + ", not a trace") << text;
    EXPECT_NE(choice.refusal.remedy.find(remedy), std::string::npos) << choice.refusal.remedy;
}

TEST(Unread, WhatOtherProfilersPrint) {
    expect_refused("\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Invocations\"\n",
                   "a summary that Nsight Compute printed", "--page raw");
    expect_refused("    Section: GPU Speed Of Light Throughput\n", "output of Nsight Compute", "--page raw");
    expect_refused("NVR\x01", "a report of Nsight Compute", "--csv");
    expect_refused("Time (%),Total Time (ns),Instances,Avg (ns)\n", "a table of 'nsys stats'", ".nsys-rep");
    expect_refused("Start (ns),End (ns),Duration (ns),DurChild (ns)\n", "a table of 'nsys stats'",
                   ".nsys-rep");
    expect_refused("Generating 'nsys-report-2ee6.qdstrm'\n[1/8] a.nsys-rep\n", "what Nsight Systems printed",
                   ".nsys-rep");
    expect_refused("[05/08/2024-14:05:14] [I] === Profile (2094 iterations ) ===\n",
                   "what trtexec printed (--dumpProfile)", "--exportProfile");
    expect_refused("--- Layer 0 ---\n{\n  \"Name\": \"a\"\n}\n", "what TensorRT's engine inspector printed",
                   "--exportLayerInfo");
    expect_refused("\n---- DeepSpeed Flops Profiler ----\n", "what DeepSpeed's FLOPs profiler printed",
                   "torch.profiler");
    expect_refused("------->     Profiling Report     <------\n", "what PaddlePaddle's profiler printed",
                   "does not read");
    expect_refused("Step Id,Name,Type,OP State,Accelerator Core,Start Time(us)\n1,2,3\n",
                   "a table of kernels of Ascend's profiler", "trace_view.json");
    expect_refused("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\", \"profiles\": []}",
                   "a profile of speedscope", "py-spy record --format raw");
    expect_refused("a,b,c\n1,2,3\n", "a CSV table", "Opsight reads");
    expect_refused("{'a': 1}", "text, but no JSON", "Opsight reads");
}

// Of a protobuf whose bytes from 0x80 on something has replaced, as text columns do.
TEST(Unread, BinaryFilesThatWereSavedAsText) {
    std::string spoilt("\n\0\x08\x02\x12\n/device:TPU:0", 17), sound = spoilt, few = spoilt;
    for (int i = 0; i < 20; ++i) {
        spoilt += "\xef\xbf\xbd";
        sound += i % 2 ? "\xef\xbf\xbd" : "\x80\x01";
    }
    few += "\xef\xbf\xbd";
    const Choice choice = choice_of(spoilt);
    EXPECT_EQ(choice.reader, nullptr);
    EXPECT_NE(choice.refusal.what.find("20 are replaced by the character U+FFFD"), std::string::npos)
        << choice.refusal.what;
    const std::string bar = "1/9 [" + spoilt.substr(17) + "]\b\b\b\b";  // of what shows its progress
    for (const std::string& other : {sound, few, bar, "{\"a\": \"" + spoilt.substr(17) + "\"}"})
        EXPECT_EQ(choice_of(other).refusal.what.find("U+FFFD"), std::string::npos) << other;
}

// A program may print a lot before it first calls oneDNN or nvprof prints a table.
TEST(Unread, LinesFarBehindTheProgramsOutput) {
    std::string output;
    while (output.size() < (size_t{1} << 20))
        output += "epoch 1, step 100: loss 0.123\n";
    const auto reader_of = [](const std::string& text) {
        const Choice choice = choice_of(text);
        return choice.reader ? std::string(choice.reader->name) : choice.refusal.what;
    };
    EXPECT_EQ(reader_of(output + "onednn_verbose,info,oneDNN v2.6.0\n"), "logs of oneDNN");
    EXPECT_EQ(reader_of(output + "==7== NVPROF is profiling process 7, command: a\n"), "output of nvprof");
    EXPECT_EQ(reader_of(output), "is text, but no JSON, not a trace");
}

TEST(Unread, WhatStandsForAFileOrIsWrittenInAnotherWay) {
    expect_refused("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
                   "a pointer of Git LFS or git-annex to a file that was not fetched", "git lfs pull");
    expect_refused("/annex/objects/SHA256E-s3--2c26.json\n",
                   "a pointer of Git LFS or git-annex to a file that was not fetched", "git annex get");
    const std::string_view little("\xff\xfe{\0\n\0", 6), big("\xfe\xff\0{", 4), bare("[\0{\0\"\0", 6);
    expect_refused(
        "{\"schema\": \"1.0.1\", \"nodes\": [{\"name\": \"[pytorch|profiler|execution_trace|thread]\"}]}",
        "an execution trace of PyTorch (its graph of ops)", "torch.profiler");
    expect_refused("{\"workload_graph\": [{\"Id\": 1, \"ctrlDeps\": []}]}", "an execution trace of Chakra",
                   "trace that");
    expect_refused(
        "[[-1, 1, 37888, 7], [-1, 1, 512, 7], [-1, 1, 512, 7], [-1, 1, 16384, 7], [-1, 1, 512, 7]]",
        "a memory timeline of PyTorch (export_memory_timeline, raw)", "profile_memory");
    expect_refused("node {\n  name: \"images\"\n  op: \"Placeholder\"\n}\n",
                   "a graph of TensorFlow (GraphDef as text)", "--model");
    expect_refused("architecture:\n  version: 0.4\n", "a specification for the mapping of layers (Timeloop)",
                   "opsight map");
    expect_refused(std::string_view("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09\0\0\0\0;K\xd6"
                                    "A\x1a\x0d"
                                    "brain.Event:2",
                                    37),
                   "a file of TensorBoard's events", "--model");
    for (const std::string_view text : {little, big, bare})
        expect_refused(text, "text in UTF-16", "iconv");
    EXPECT_EQ(kineto::foreign_profiler("{\"highres-ticks\": true, \"traceEvents\": ["),
              "TensorFlow or JAX (trace viewer)");
    EXPECT_EQ(
        kineto::foreign_profiler("[{\"ph\": \"X\", \"name\": \"horovod_torch_allreduce_async\", \"ts\": 1}]"),
        "")
        << "an op of PyTorch's autograd profiler";
}

TEST(Unread, PagesOfFailedDownloads) {
    for (const std::string_view page : {"<!DOCTYPE html><title>Sign in</title>", "\n<!doctype HTML>\n",
                                        "<HTML lang=\"en\">", "<!-- a proxy's --><html>"})
        expect_refused(page, "an HTML page", "download");
    expect_refused("<!DOCTYPE svg PUBLIC><svg/>", "an XML document", "Opsight reads");
}

TEST(Unread, TracesStayTraces) {
    const std::string space(Head::kBytes, ' ');
    for (const std::string_view text :
         {std::string_view("{\"traceEvents\": [{\"name\": \"==PROF==\"}]}"), std::string_view(" [{'"),
          std::string_view("{}"), std::string_view(space)}) {
        const Choice choice = choice_of(text);
        ASSERT_NE(choice.reader, nullptr) << text;
        EXPECT_EQ(choice.reader->name, kineto::trace_reader().name);
    }
}

}  // namespace
}  // namespace opsight::importer
