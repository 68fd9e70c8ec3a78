// A block that a loop calls, against blocks that stand beside each other.
#include <gmock/gmock.h>

#include "query/compare/changes.h"
#include "query/compare/test_tree.h"

namespace opsight::query {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kTimes = 3;

// A block of a linear layer and an activation, with ops of the backward pass that only some calls have.
void add_block(TestTree& t, const std::string& name, size_t parent, int64_t calls) {
    const size_t block = t.layer(name, parent), linear = t.layer("linear", block),
                 act = t.layer("act", block);
    const size_t first = t.tree.ops.size();
    t.op("aten::mm", linear, 10'000 * calls, "gemm");
    t.op("aten::relu", act, 2'000 * calls, "relu");
    t.op("aten::add", block, 1'000 * calls, "add");
    for (size_t op = first; op < t.tree.ops.size(); ++op)
        t.tree.ops[op].cpu.calls *= calls;
    if (calls > 1) {
        t.op("aten::add", linear, 500, "add");
        t.tree.ops.back().direction = "bprop";
    }
}

WorkTree with_loop(int64_t calls = kTimes) {
    TestTree t;
    t.op("aten::embedding", t.layer("embedding"), 3'000, "gather");
    add_block(t, "block", 0, calls);
    return t.finish();
}
WorkTree beside_each_other() {
    TestTree t;
    t.op("aten::embedding", t.layer("embedding"), 3'000, "gather");
    const size_t blocks = t.layer("blocks");
    for (int64_t i = 0; i < kTimes; ++i)
        add_block(t, std::to_string(i), blocks, 1);
    return t.finish();
}

const Change* row_of(const std::vector<Change>& rows, const std::string& layer) {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const Change& row) { return row.layer == layer; });
    return found == rows.end() ? nullptr : &*found;
}
int64_t sum_of(const std::vector<Change>& rows, std::optional<ChangeSide> Change::*side) {
    int64_t ns = 0;
    for (const Change& row : rows)
        ns += row.*side ? (row.*side)->gpu_ns : 0;
    return ns;
}

TEST(Unrolled, BlocksOfALoopAreThoseBesideEachOther) {
    const WorkTree loop = with_loop(), blocks = beside_each_other();
    const Changes found = find_changes(loop, blocks);
    const Change* linear = row_of(found.layers, "/block/linear");
    ASSERT_TRUE(linear);
    EXPECT_EQ(linear->kind, ChangeKind::kReplaced);
    EXPECT_EQ(linear->evidence, "/block/linear -> /blocks/0/linear, /blocks/1/linear, /blocks/2/linear");
    EXPECT_EQ(linear->base->layers, 1);
    EXPECT_EQ(linear->next->layers, 3);
    EXPECT_TRUE(row_of(found.layers, "/block"));
    EXPECT_TRUE(row_of(found.layers, "/block/act"));
    EXPECT_FALSE(row_of(found.layers, "/blocks/1/linear"));
    for (const Change& row : found.ops)
        EXPECT_EQ(row.kind, row.direction == "bprop" ? ChangeKind::kRemoved : ChangeKind::kSame) << row.op;
    for (const auto* level : {&found.layers, &found.ops}) {
        EXPECT_EQ(sum_of(*level, &Change::base), loop.gpu.mean_ns);
        EXPECT_EQ(sum_of(*level, &Change::next), blocks.gpu.mean_ns);
    }
    EXPECT_EQ(found.next_matched, 100);
}

TEST(Unrolled, AlsoTheOtherWayRound) {
    const WorkTree loop = with_loop(), blocks = beside_each_other();
    const Changes found = find_changes(blocks, loop);
    const Change* linear = row_of(found.layers, "/blocks/0/linear");
    ASSERT_TRUE(linear);
    EXPECT_EQ(linear->kind, ChangeKind::kReplaced);
    EXPECT_THAT(linear->evidence, HasSubstr("/blocks/2/linear -> /block/linear"));
    EXPECT_EQ(sum_of(found.layers, &Change::base), blocks.gpu.mean_ns);
    EXPECT_EQ(sum_of(found.layers, &Change::next), loop.gpu.mean_ns);
    EXPECT_EQ(found.base_matched, 100);
}

// As PyTorch's profiler names layers: by type, with the number of each of that type.
WorkTree numbered_by_type(int64_t blocks) {
    TestTree t;
    for (int64_t i = 0; i < blocks; ++i) {
        const std::string number = "_" + std::to_string(i);
        const size_t block = t.layer("Block" + number), linear = t.layer("Linear" + number, block),
                     act = t.layer("ReLU" + number, block);
        t.op("aten::mm", linear, 30'000 / blocks, "gemm");
        t.op("aten::relu", act, 6'000 / blocks, "relu");
        for (size_t op = t.tree.ops.size() - 2; op < t.tree.ops.size(); ++op)
            t.tree.ops[op].cpu.calls *= kTimes / blocks;
    }
    return t.finish();
}

// The one has the name of the first of them, and is not that.
TEST(Unrolled, AlsoWhereTheOneIsCalledAsTheFirst) {
    const WorkTree loop = numbered_by_type(1), blocks = numbered_by_type(kTimes);
    const Changes found = find_changes(loop, blocks);
    const Change* linear = row_of(found.layers, "/Block_0/Linear_0");
    ASSERT_TRUE(linear);
    EXPECT_EQ(linear->kind, ChangeKind::kReplaced);
    EXPECT_EQ(linear->next->layers, kTimes);
    EXPECT_FALSE(row_of(found.layers, "/Block_1/Linear_1"));
    EXPECT_EQ(found.next_matched, 100);
    for (const Change& row : found.ops)
        EXPECT_EQ(row.kind, ChangeKind::kSame) << row.op;
    EXPECT_EQ(sum_of(found.layers, &Change::next), blocks.gpu.mean_ns);
    for (const Change& row : find_changes(blocks, blocks).layers)
        EXPECT_NE(row.kind, ChangeKind::kReplaced) << row.layer;
}

TEST(Unrolled, NotWhereOneSideCallsThemMoreOften) {
    const Changes found = find_changes(with_loop(kTimes + 1), beside_each_other());
    for (const Change& row : found.layers)
        EXPECT_NE(row.kind, ChangeKind::kReplaced) << row.layer;
}

}  // namespace
}  // namespace opsight::query
