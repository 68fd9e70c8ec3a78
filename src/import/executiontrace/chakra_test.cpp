#include "import/executiontrace/chakra.h"

#include <gtest/gtest.h>

#include "import/executiontrace/python_lists.h"
#include "import/protobuf/test_bytes.h"

namespace opsight::importer {
namespace {

using protobuf::Bytes;

std::string number_of(const char* name, int64_t value, int field = 9) {
    return Bytes().text(1, name).number(field, value).all;
}

std::string told(const std::string& message) {
    return Bytes().text(1, message).all.substr(1);  // the length and the message
}

const std::string kFacts = told(Bytes()
                                    .text(2, Bytes().text(1, "schema").text(29, "1.0.1").all)
                                    .text(2, number_of("pid", 42, 13))
                                    .text(2, number_of("start_ts", 5, 13))
                                    .all);

std::string chakra_node(int64_t id, const char* name, int64_t number, bool of_cpu = true,
                        const char* values = "[[5, 6, 0, 6, 4, 'cuda:0'], True, \"it's\", inf]",
                        const char* shapes = "[[2, 3], [], [], []]",
                        const char* types = "['Tensor(float)', 'Bool', 'String', 'Double']") {
    return told(Bytes()
                    .number(1, id)
                    .text(2, name)
                    .text(8, Bytes().text(1, values).text(2, shapes).text(3, types).all)
                    .text(10, number_of("rf_id", number))
                    .text(10, number_of("seq_id", -1))
                    .text(10, number_of("tid", 3))
                    .text(10, number_of("scope", 0))
                    .text(10, number_of("is_cpu_op", of_cpu, 27))
                    .all);
}

Result<ExecutionTrace> read(const std::string& bytes) {
    PeekedSource source(memory_source(bytes));
    return read_chakra(source);
}

TEST(Chakra, CallsOfPyTorchInIt) {
    const Result<ExecutionTrace> trace =
        read(kFacts + chakra_node(8, "aten::mm", 17) + chakra_node(4, "aten::add_(0)", 12) +
             chakra_node(5, "aten::add_(1)", 12) + chakra_node(9, "gemm_kernel(float*)", 0, false));
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_EQ(trace->process, 42);
    EXPECT_TRUE(trace->is_part);
    EXPECT_EQ(trace->odd_nodes, 0);
    ASSERT_EQ(trace->ops.size(), 2u) << "no kernels, and pieces of a call are one";
    EXPECT_EQ(trace->strings.view(trace->ops[0].name), "aten::add_");
    EXPECT_EQ(trace->ops[0].record_function, 12);
    const ExecutedOp& op = trace->ops[1];
    EXPECT_EQ(trace->strings.view(op.name), "aten::mm");
    EXPECT_EQ(op.sequence, -1);
    EXPECT_EQ(op.thread, 3);
    EXPECT_EQ(trace->strings.view(op.shapes), "[[2, 3], [], [], []]");
    EXPECT_EQ(trace->strings.view(op.dtypes), R"x(["float", "Scalar", "", "Scalar"])x");
    EXPECT_EQ(trace->strings.view(op.concrete), R"x(["", "True", "it's", ""])x");
}

TEST(Chakra, OddNodesAreCounted) {
    for (const char* shapes : {"[[2, 3]]", "[[2, -3], [], [], []]", "[(2, 3), [], [], []]", "x", "["}) {
        const Result<ExecutionTrace> trace = read(
            kFacts + chakra_node(1, "a", 1) + chakra_node(2, "b", 2, true, "[[5], True, 's', 1]", shapes));
        ASSERT_TRUE(trace) << shapes;
        EXPECT_EQ(trace->odd_nodes, 1) << shapes;
    }
    EXPECT_FALSE(read(kFacts)) << "no calls";
    const std::string deep(5000, '[');
    EXPECT_FALSE(read(kFacts + chakra_node(2, "b", 2, true, deep.c_str())));
}

TEST(Chakra, DamagedFilesAreRefused) {
    const std::string whole = kFacts + chakra_node(1, "a", 1);
    for (const size_t left_out : {size_t{1}, size_t{40}, whole.size() - kFacts.size() - 1})
        EXPECT_FALSE(read(whole.substr(0, whole.size() - left_out))) << left_out;
    EXPECT_FALSE(read(kFacts + "\xff\xff\xff\xff\x7f")) << "a length of 34 GB";
    EXPECT_FALSE(read(kFacts + "\xff\xff\xff\xff\xff\xff"));
    EXPECT_FALSE(read(""));
}

TEST(Chakra, IsToldByItsBeginning) {
    EXPECT_TRUE(looks_like_chakra(kFacts));
    EXPECT_FALSE(looks_like_chakra("{\"schema\": \"1.0.1\", \"start_ts\": 1}"));
}

TEST(PythonLists, AsJson) {
    EXPECT_EQ(json_of_python("[1, -2.5, 'a', True, [False, None]]"), "[1, -2.5, \"a\", true, [false, null]]");
    EXPECT_EQ(json_of_python("['say \"x\"', \"it's\", 'a\\'b', 'True', '\\x1b', '\\n']"),
              "[\"say \\\"x\\\"\", \"it's\", \"a'b\", \"True\", \"\\u001b\", \"\\n\"]");
    EXPECT_EQ(json_of_python("[inf, -inf, nan]"), "[null, null, null]");
    EXPECT_EQ(json_of_python("'open"), "\"open\"");
    EXPECT_EQ(json_of_python("'open\\"), "\"open\\\"");
}

}  // namespace
}  // namespace opsight::importer
