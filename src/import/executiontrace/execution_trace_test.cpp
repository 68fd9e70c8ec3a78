#include "import/executiontrace/execution_trace.h"

#include <gtest/gtest.h>

namespace opsight::importer {
namespace {

// As schema 1.0 has nodes.
std::string old_node(const std::string& id, const std::string& more) {
    return R"x({"name": "aten::mm", "id": )x" + id +
           R"x(, "rf_id": 7, "parent": 1, "seq_id": 12, "scope": 0, "tid": 1, )x" + more + "}";
}
const std::string kMm = R"x("inputs": [[5, 6, 0, 6, 4, "cuda:0"], [8, 9, 0, 12, 2, "cuda:0"]],
    "input_shapes": [[2, 3], [3, 4]], "input_types": ["Tensor(float)", "Tensor(c10::Half)"])x";

std::string document(const std::string& nodes) {
    return R"x({"schema": "1.0.1", "pid": 42, "time": "2023", "start_ts": 1, "nodes": [)x" + nodes + "]}";
}

ExecutionTrace parse(std::string text) {
    Result<ExecutionTrace> trace = parse_execution_trace(text);
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().what);
    return trace ? std::move(*trace) : ExecutionTrace{};
}

TEST(ExecutionTrace, ANodeOfSchema10) {
    const ExecutionTrace trace = parse(document(old_node("4", kMm)));
    ASSERT_EQ(trace.ops.size(), 1u);
    const ExecutedOp& op = trace.ops[0];
    EXPECT_EQ(trace.process, 42);
    EXPECT_EQ(op.record_function, 7);
    EXPECT_EQ(op.sequence, 12);
    EXPECT_EQ(op.thread, 1);
    EXPECT_EQ(trace.strings.view(op.name), "aten::mm");
    EXPECT_EQ(trace.strings.view(op.shapes), "[[2, 3], [3, 4]]");
    EXPECT_EQ(trace.strings.view(op.dtypes), R"x(["float", "c10::Half"])x");
    EXPECT_EQ(trace.strings.view(op.concrete), R"x(["", ""])x");
    EXPECT_EQ(trace.strings.view(op.strides), "");
}

TEST(ExecutionTrace, ANodeOfSchema11) {
    const ExecutionTrace trace = parse(R"x({"schema": "1.1.1-chakra.0.0.4", "pid": 42, "nodes": [
        {"id": 9, "name": "aten::cat", "ctrl_deps": 1, "inputs": {
            "values": [[[5, 6, 0, 6, 4, "cpu"], [7, 8, 0, 6, 4, "cpu"]], -1, [3, 3], true, [true, false], "<None>",
                       "cuda:0", [1, 0, 0, 0, 0, ""], "i,j->ij", 0.5],
            "shapes": [[[2, 3], [4, 3]], [], [[], []], [], [[], []], [], [], [], [], []],
            "types": ["GenericList[Tensor(float),Tensor(c10::Half)]", "Int", "GenericList[Int,Int]", "Bool",
                      "GenericList[Bool,Bool]", "None", "Device", "Tensor(nullptr (uninitialized))", "String", "Double"],
            "strides": [[[3, 1], [3, 1]], [], [[], []], [], [[], []], [], [], [], [], []]},
         "outputs": {"values": [], "shapes": [], "types": []},
         "attrs": [{"name": "rf_id", "type": "uint64", "value": 18446744073709551615},
                   {"name": "seq_id", "type": "int64", "value": -1}, {"name": "scope", "type": "uint64", "value": 0},
                   {"name": "tid", "type": "uint64", "value": 2}]
}]
})x");
    ASSERT_EQ(trace.ops.size(), 1u);
    const ExecutedOp& op = trace.ops[0];
    EXPECT_EQ(op.record_function, -1) << "larger than 63 bits";
    EXPECT_EQ(op.sequence, -1);
    EXPECT_EQ(op.thread, 2);
    EXPECT_EQ(trace.strings.view(op.shapes), "[[[2, 3], [4, 3]], [], [], [], [], [], [], [], [], []]");
    EXPECT_EQ(
        trace.strings.view(op.dtypes),
        R"x([["float", "c10::Half"], "Scalar", "ScalarList", "Scalar", "ScalarList", "", "", "", "", "Scalar"])x");
    EXPECT_EQ(trace.strings.view(op.concrete),
              R"x(["", "-1", "[3, 3]", "True", "[True, False]", "", "", "", "i,j->ij", "0.5"])x");
    EXPECT_EQ(trace.strings.view(op.strides), "[[[3, 1], [3, 1]], [], [], [], [], [], [], [], [], []]");
}

TEST(ExecutionTrace, OrderIsThatOfThreadsAndNodes) {
    const ExecutionTrace trace = parse(document(old_node("9", kMm) + "," + old_node("4", kMm)));
    ASSERT_EQ(trace.ops.size(), 2u);
    EXPECT_EQ(trace.ops[0].id, 4);
}

TEST(ExecutionTrace, RangesOfUsersAreNoOps) {
    EXPECT_TRUE(
        parse(document(R"x({"name": "step", "id": 4, "scope": 7, "tid": 1, "inputs": [], "input_shapes": [],
        "input_types": []})x"))
            .ops.empty());
}

TEST(ExecutionTrace, OddNodesAreCounted) {
    for (
        const char* odd :
        {R"x({"id": 4})x", R"x({"name": "a", "id": 1e999})x", R"x({"name": "a"})x", "[1]",
         R"x({"name": "a", "id": 1})x", R"x({"name": 1, "id": 1})x",
         R"x({"name": "a", "id": 1, "inputs": [1, 2], "input_shapes": [[]], "input_types": ["Int", "Int"]})x",
         R"x({"name": "a", "id": 1, "inputs": [1, 2], "input_shapes": [[], []], "input_types": ["Int"]})x",
         R"x({"name": "a", "id": 1, "inputs": [1], "input_shapes": [[-2]], "input_types": ["Tensor(float)"]})x",
         R"x({"name": "a", "id": 1, "inputs": [1], "input_shapes": ["x"], "input_types": ["Tensor(float)"]
})x",
         R"x({"name": "a", "id": 1, "inputs": [1], "input_shapes": [[1]], "input_types": ["GenericList[Tensor(float)]"]})x"}) {
        const ExecutionTrace trace = parse(document(odd));
        EXPECT_EQ(trace.odd_nodes, 1) << odd;
        EXPECT_TRUE(trace.ops.empty()) << odd;
    }
}

TEST(ExecutionTrace, NumbersThatAreNone) {
    const ExecutionTrace trace = parse(document(old_node("4", R"x("inputs": [-inf, nan, inf, -Infinity, 2],
        "input_shapes": [[], [], [], [], []], "input_types": ["Double", "Double", "Double", "Double", "Int"],
        "note": "inf and \" nan")x")));
    ASSERT_EQ(trace.ops.size(), 1u);
    EXPECT_EQ(trace.strings.view(trace.ops[0].concrete), R"x(["", "", "", "", "2"])x");
}

TEST(ExecutionTrace, DamagedFilesAreRefused) {
    const std::string whole = document(old_node("4", kMm));
    for (const size_t size : {whole.size() - 1, whole.size() - 2, whole.size() / 2, size_t{1}, size_t{0}}) {
        std::string text = whole.substr(0, size);
        EXPECT_FALSE(parse_execution_trace(text)) << text;
    }
    for (std::string text : {"{}", "[]", "1", R"x({"nodes": 3})x", R"x({"nodes": [{"a": 1})x"})
        EXPECT_FALSE(parse_execution_trace(text)) << text;
}

TEST(ExecutionTrace, IsToldByItsBeginning) {
    EXPECT_TRUE(looks_like_execution_trace(document(old_node("4", kMm))));
    EXPECT_TRUE(looks_like_execution_trace(
        R"x({"nodes": [{"name": "[pytorch|profiler|execution_graph|thread]"}]})x"));
    EXPECT_FALSE(looks_like_execution_trace(R"x({"schemaVersion": 1, "traceEvents": []})x"));
    EXPECT_FALSE(looks_like_execution_trace(""));
}

}  // namespace
}  // namespace opsight::importer
