#include "query/compare/changes.h"

#include <gmock/gmock.h>

#include <random>

#include "query/compare/side.h"
#include "query/compare/test_tree.h"
#include "query/session/test_session.h"

namespace opsight::query {
namespace {

using ::testing::HasSubstr;

int64_t by_gpu(const Change& row) {
    return (row.next ? row.next->gpu_ns : 0) - (row.base ? row.base->gpu_ns : 0);
}
int64_t by_cpu(const Change& row) {
    return (row.next ? row.next->cpu_ns : 0) - (row.base ? row.base->cpu_ns : 0);
}

// Four blocks of three ops; `touch` may change them.
struct Model {
    TestTree t;
    std::vector<size_t> blocks;
    explicit Model(const std::string& block = "Block") {
        for (int i = 0; i < 4; ++i) {
            blocks.push_back(t.layer(block + "_" + std::to_string(i)));
            t.op("aten::mm", blocks.back(), 10'000, "gemm", "[[64,64]]", "yes");
            t.op("aten::relu", blocks.back(), 2'000, "relu");
            t.op("aten::sum", blocks.back(), 1'000, "sum");
        }
    }
};

void slow(WorkTree& tree, size_t op, double by) {
    Amount& gpu = tree.ops[op].work[0].gpu;
    gpu.ns = 0;
    for (int64_t& ns : gpu.samples) {
        ns += static_cast<int64_t>(static_cast<double>(ns) * by);
        gpu.ns += ns;
    }
    gpu.mean_ns = gpu.ns / tree.iterations;
}

TEST(Changes, AKernelSlowedBySevenPercentIsNamedFirst) {
    Model base, next;
    slow(next.t.tree, 6, 0.07);
    const Changes found = find_changes(base.t.finish(), next.t.finish());
    EXPECT_EQ(found.layers.front().kind, ChangeKind::kSlower);
    EXPECT_EQ(found.layers.front().layer, "/Block_2");
    EXPECT_EQ(found.ops.front().kind, ChangeKind::kSlower);
    EXPECT_EQ(found.ops.front().op, "aten::mm");
    EXPECT_EQ(found.kernels.front().kernel, "gemm");
    EXPECT_EQ(found.kernels.front().layer, "/Block_2");
    EXPECT_EQ(found.kernels.front().samples.verdict, Verdict::kReal);
    EXPECT_EQ(found.kernels[1].kind, ChangeKind::kSame);
    EXPECT_EQ(found.base_matched, 100);
}

// Of one run a side 1.5 % may be the runs' own; of several they tell themselves.
TEST(Changes, OneRunASideTellsNothingOfSmallDifferencesOfKernels) {
    Model base, next;
    slow(next.t.tree, 6, 0.015);
    WorkTree before = base.t.finish(), after = next.t.finish();
    const Changes found = find_changes(before, after);
    EXPECT_EQ(found.kernels.front().samples.verdict, Verdict::kRunToRun);
    EXPECT_EQ(found.kernels.front().kind, ChangeKind::kSame);
    before.by_runs = after.by_runs = true;
    EXPECT_EQ(find_changes(before, after).kernels.front().kind, ChangeKind::kSlower);
}

void drop(WorkTree& tree, size_t op) {
    tree.ops.erase(tree.ops.begin() + static_cast<std::ptrdiff_t>(op));
    for (TreeLayer& layer : tree.layers) {
        std::erase(layer.ops, op);
        for (size_t& each : layer.ops)
            each -= each > op ? 1 : 0;
    }
}

TEST(Changes, ARemovedOpIsNamedFirst) {
    Model base, next;
    drop(next.t.tree, 4);
    const Changes found = find_changes(base.t.finish(), next.t.finish());
    EXPECT_EQ(found.ops.front().kind, ChangeKind::kRemoved);
    EXPECT_EQ(found.ops.front().op, "aten::relu");
    EXPECT_EQ(found.ops.front().layer, "/Block_1");
    EXPECT_FALSE(found.ops.front().next.has_value());
    EXPECT_LT(*found.base_matched, 100);
    EXPECT_EQ(found.next_matched, 100);
}

TEST(Changes, OtherShapesDtypesKernelsAndTensorCoresAreTold) {
    TestTree base, next;
    base.op("aten::mm", 0, 10'000, "gemm", "[[64, 64]]");
    next.op("aten::mm", 0, 20'000, "gemm", "[[128, 64]]");
    base.op("aten::bmm", 0, 5'000, "bgemm");
    next.op("aten::bmm", 0, 9'000, "bgemm", "[[8]]", "no", "[\"half\"]");
    base.op("aten::addmm", 0, 4'000, "tc_gemm", "[[8]]", "yes");
    next.op("aten::addmm", 0, 7'000, "sgemm", "[[8]]", "no");
    base.op("aten::conv", 0, 3'000, "winograd");
    next.op("aten::conv", 0, 5'000, "implicit");
    const Changes found = find_changes(base.finish(), next.finish());
    ASSERT_EQ(found.ops.size(), 4u);
    EXPECT_EQ(found.ops[0].kind, ChangeKind::kOtherShape);
    EXPECT_EQ(found.ops[0].evidence, "[[64,64]] -> [[128,64]]");
    EXPECT_EQ(found.ops[1].kind, ChangeKind::kOtherDtype);
    EXPECT_EQ(found.ops[2].kind, ChangeKind::kTensorCoresLost);
    EXPECT_EQ(found.ops[3].kind, ChangeKind::kOtherKernels);
    EXPECT_EQ(found.ops[3].evidence, "winograd -> implicit");
    EXPECT_EQ(found.kernels.size(), 4u) << "another kernel of the same op is one row";
    const Changes back = find_changes(next.tree, base.tree);
    EXPECT_EQ(back.ops[2].kind, ChangeKind::kTensorCoresGained);
}

// Where only copies and sets are left, no kernel tells what it does without Tensor Cores.
TEST(Changes, TensorCoresAreNotLostWhereNoKernelIsLeft) {
    TestTree base, next;
    const size_t before = base.op("aten::mm", 0, 10'000, "gemm", "[[64,64]]", "yes");
    base.tree.ops[before].work.push_back({"Memset", "Memset", "", base.tree.ops[before].work[0].gpu});
    next.op("aten::mm", 0, 10'000, "Memset", "[[64,64]]", "");
    const Changes found = find_changes(base.finish(), next.finish());
    EXPECT_EQ(found.ops.front().kind, ChangeKind::kOtherKernels);
    EXPECT_NE(found.layers.front().kind, ChangeKind::kTensorCoresLost);
}

// One call more of something small says little of a layer that takes longer.
TEST(Changes, OfALayerTheTimeComesBeforeTheCalls) {
    Model base, next;
    slow(next.t.tree, 6, 0.07);
    next.t.op("aten::empty", next.blocks[2], 1, "small");
    const Changes found = find_changes(base.t.finish(), next.t.finish());
    EXPECT_EQ(found.layers.front().layer, "/Block_2");
    EXPECT_EQ(found.layers.front().kind, ChangeKind::kSlower);
}

// Where the host binds, what it does counts as well; kernels have their times on the device only.
TEST(Changes, AreThoseOfTheHostTooWhereItBinds) {
    Model base, next;
    slow(next.t.tree, 6, 0.07);
    const size_t host = 4;
    for (int64_t& ns : next.t.tree.ops[host].cpu.samples)
        ns += 40'000;
    next.t.tree.ops[host].cpu.mean_ns += 40'000;
    next.t.tree.ops[host].cpu.ns += 8 * 40'000;
    const Changes found = find_changes(base.t.finish(), next.t.finish(), true);
    ASSERT_GE(found.ops.size(), 2u);
    EXPECT_EQ(found.ops[0].op, "aten::relu");
    EXPECT_FALSE(found.ops[0].by_gpu);
    EXPECT_EQ(found.ops[1].op, "aten::mm");
    EXPECT_TRUE(found.ops[1].by_gpu);
    for (size_t i = 0; i < 2; ++i)
        EXPECT_EQ(found.ops[i].kind, ChangeKind::kSlower);
    EXPECT_EQ(found.kernels.front().kernel, "gemm");
}

TEST(Changes, ARenamedModuleIsOneRowForEachLayer) {
    Model base("Block"), next("TransformerBlock");
    const Changes found = find_changes(base.t.finish(), next.t.finish());
    ASSERT_EQ(found.layers.size(), 4u);
    for (const Change& row : found.layers) {
        EXPECT_EQ(row.kind, ChangeKind::kRenamed);
        EXPECT_THAT(row.evidence, HasSubstr(" -> /TransformerBlock_"));
    }
    for (const Change& row : found.ops)
        EXPECT_EQ(row.kind, ChangeKind::kSame) << row.op;
    EXPECT_EQ(found.next_matched, 100);
}

TEST(Changes, AMovedSubtreeKeepsItsOps) {
    TestTree base, next;
    const size_t a = base.layer("A"), head = base.layer("Head", a);
    base.op("aten::x", a, 100);
    base.op("aten::mm", head, 5'000);
    base.op("aten::b", base.layer("B"), 300);
    next.op("aten::x", next.layer("A"), 100);
    const size_t b = next.layer("B");
    next.op("aten::b", b, 300);
    next.op("aten::mm", next.layer("Head", b), 5'000);
    const Changes found = find_changes(base.finish(), next.finish());
    bool seen = false;
    for (const Change& row : found.layers)
        if (row.kind == ChangeKind::kMoved) seen = row.evidence == "/A/Head -> /B/Head";
    EXPECT_TRUE(seen);
    EXPECT_EQ(found.base_matched, 100);
}

TEST(Changes, AnInsertedLayerDoesNotShiftItsSiblings) {
    TestTree base, next;
    for (int i = 0; i < 3; ++i)
        base.op("aten::mm", base.layer("Linear_" + std::to_string(i)), 1'000, "k",
                "[[" + std::to_string(i) + "]]");
    for (const int i : {0, 9, 1, 2})
        next.op("aten::mm", next.layer("Linear_" + std::to_string(next.tree.layers.size() - 1)), 1'000, "k",
                "[[" + std::to_string(i) + "]]");
    const Changes found = find_changes(base.finish(), next.finish());
    int added = 0;
    for (const Change& row : found.ops) {
        if (row.kind == ChangeKind::kAdded) ++added;
        EXPECT_NE(row.kind, ChangeKind::kOtherShape) << row.layer;
    }
    EXPECT_EQ(added, 1);
}

TEST(Changes, OpsThatAFusedOneReplacesAreOneRow) {
    TestTree base, next;
    for (TestTree* each : {&base, &next})
        each->op("aten::mm", 0, 9'000);
    base.op("aten::mul", 0, 1'000, "mul");
    base.op("aten::add", 0, 1'000, "add");
    base.op("aten::relu", 0, 1'000, "relu");
    next.op("triton_poi_fused", 0, 1'200, "fused");
    for (TestTree* each : {&base, &next})
        each->op("aten::sum", 0, 500);
    const Changes found = find_changes(base.finish(), next.finish());
    ASSERT_EQ(found.ops.size(), 3u);
    EXPECT_EQ(found.ops.front().kind, ChangeKind::kReplaced);
    EXPECT_EQ(found.ops.front().op, "aten::mul, aten::add, aten::relu -> triton_poi_fused");
    EXPECT_LT(by_gpu(found.ops.front()), -1'700);
}

// As an import has it: 4 ops of as many layers are one op with 4 calls where no layers were recorded.
TEST(Changes, LayersAgainstNoneStillFindTheirOps) {
    Model model;
    model.t.op("aten::mm", 0, 10'000, "gemm", "[[64,64]]", "yes");  // in no layer: it is no match of all
    const WorkTree base = model.t.finish(), next = without_layers(base);
    ASSERT_EQ(next.ops.size(), 3u);
    for (const Changes& found : {find_changes(base, next), find_changes(next, base)}) {
        EXPECT_EQ(found.base_matched, 100);
        EXPECT_EQ(found.next_matched, 100);
        EXPECT_TRUE(found.without_layers);
        ASSERT_EQ(found.ops.size(), 3u);
        ASSERT_EQ(found.layers.size(), 1u) << "what only one side tells of is no difference";
        for (const auto* level : {&found.layers, &found.ops, &found.kernels})
            for (const Change& row : *level) {
                EXPECT_EQ(row.kind, ChangeKind::kSame) << row.op << ' ' << row.kernel;
                EXPECT_EQ(by_gpu(row), 0) << row.op;
                EXPECT_EQ(row.layer, "/");
                EXPECT_EQ(row.op.find(','), row.op.npos) << row.op;
            }
        EXPECT_EQ(found.ops.front().base->calls, found.ops.front().next->calls);
    }
}

TEST(Changes, WhatOneSideDoesNotTellOfInputsIsNoOtherOne) {
    TestTree made;
    for (const char* shapes : {"[[8]]", "[[16]]", "[[32]]"})
        made.op("aten::mm", 0, 10'000, "gemm", shapes);
    made.op("aten::sum", 0, 1'000, "sum", "[[8]]");
    const WorkTree base = made.finish();
    const WorkTree nothing = without_layers(base, false);
    ASSERT_EQ(nothing.ops.size(), 2u);
    WorkTree no_types = base;
    for (TreeOp& op : no_types.ops)
        op.dtypes = "[]";
    WorkTree partly = nothing;  // another op tells its shapes
    partly.ops[1].shapes = "[[8]]";
    for (const WorkTree& other : {nothing, no_types, partly})
        for (const Changes& found : {find_changes(base, other), find_changes(other, base)}) {
            EXPECT_EQ(found.ops.size(), other.ops.size());
            EXPECT_EQ(found.base_matched, 100);
            EXPECT_EQ(found.next_matched, 100);
            for (const Change& row : found.ops)
                EXPECT_EQ(row.kind, ChangeKind::kSame) << row.op << ' ' << row.evidence;
        }
}

// Both shapes are there on both sides: with other types, each is still itself.
// Other inputs come first; that they cost the Tensor Cores stands beside them.
TEST(Changes, OtherTypesThatLoseTensorCoresSaySo) {
    TestTree base, next;
    base.op("aten::mm", 0, 4'000, "tc_gemm", "[[8]]", "yes", "[\"half\"]");
    next.op("aten::mm", 0, 9'000, "sgemm", "[[8]]", "no", "[\"float\"]");
    base.op("aten::bmm", 0, 4'000, "sgemm", "[[3]]", "no");
    next.op("aten::bmm", 0, 2'000, "tc_gemm", "[[8]]", "yes");
    const Changes found = find_changes(base.finish(), next.finish());
    ASSERT_EQ(found.ops.size(), 2u);
    EXPECT_EQ(found.ops[0].evidence, "[half] -> [float]; Tensor Cores lost");
    EXPECT_EQ(found.ops[1].evidence, "[[3]] -> [[8]]; Tensor Cores gained");
}

TEST(Changes, OpsOfOneShapeGoTogetherWhateverTheirTypes) {
    TestTree base, next;
    base.op("aten::add_", 0, 1'000, "add", "[[512,128]]");
    base.op("aten::add_", 0, 9'000, "add", "[[512,512]]");
    next.op("aten::add_", 0, 9'000, "add", "[[512,512]]", "no", "[\"half\"]");
    next.op("aten::add_", 0, 1'000, "add", "[[512,128]]", "no", "[\"half\"]");
    base.op("aten::cat", 0, 500, "cat", "[[1]]");
    base.op("aten::cat", 0, 500, "cat", "[[2]]", "no", "[\"half\"]");
    next.op("aten::cat", 0, 500, "cat", "[[3]]", "no", "[\"half\"]");
    next.op("aten::cat", 0, 500, "cat", "[[4]]");
    for (const Change& row : find_changes(base.finish(), next.finish()).ops) {
        const bool add = row.op == "aten::add_";
        EXPECT_EQ(row.kind, add ? ChangeKind::kOtherDtype : ChangeKind::kOtherShape) << row.evidence;
        if (!add) {
            EXPECT_TRUE(row.evidence == "[[1]] -> [[4]]" || row.evidence == "[[2]] -> [[3]]") << row.evidence;
        }
    }
}

TEST(Changes, CopiesAreNoKernels) {
    TestTree base, next;
    const size_t before = base.op("aten::copy_", 0, 10'000, "Memcpy HtoD (Pinned -> Device)", "[[8]]", ""),
                 after = next.op("aten::copy_", 0, 20'000, "Memcpy HtoD (Pageable -> Device)", "[[8]]", "");
    for (const Change& row : find_changes(base.finish(), next.finish()).ops)
        EXPECT_EQ(change_name(row.kind), "other copies");
    for (const Change& row : find_changes(base.tree, next.tree).kernels)
        EXPECT_EQ(change_name(row.kind), "other copies");
    base.kernel(before, "k", 100), next.kernel(after, "other k", 100);
    EXPECT_EQ(find_changes(base.finish(), next.finish()).ops.front().kind, ChangeKind::kOtherKernels);
}

TEST(Changes, TotalsOfLayersHoldWhatIsBelowThem) {
    Model base, next;
    const size_t top = base.t.layer("Top"), below = base.t.layer("Linear", top);
    base.t.op("aten::mm", below, 10'000, "gemm");
    const size_t next_top = next.t.layer("Top"), next_below = next.t.layer("Linear", next_top);
    next.t.op("aten::mm", next_below, 13'000, "gemm");
    const WorkTree before = base.t.finish(), after = next.t.finish();
    for (const Change& row : layer_totals(before, after)) {
        if (row.layer == "/") {
            EXPECT_EQ(row.base->gpu_ns, before.gpu.mean_ns);
        }
        if (row.layer.starts_with("/Top")) {
            EXPECT_EQ(row.kind, ChangeKind::kSlower);
        }
    }
    EXPECT_TRUE(layer_totals(before, without_layers(before)).empty());
}

TEST(Changes, WithoutDeviceWorkTheHostIsJudged) {
    TestTree base, next;
    for (TestTree* each : {&base, &next})
        each->tree.ops[each->op("aten::mm", 0, 9'000)].work.clear();
    for (int64_t& ns : next.tree.ops[0].cpu.samples)
        ns *= 2;
    const Changes found = find_changes(base.finish(), next.finish());
    EXPECT_FALSE(found.by_gpu);
    EXPECT_FALSE(found.base_gpu);
    EXPECT_EQ(found.ops.front().kind, ChangeKind::kSlower);
    EXPECT_TRUE(found.kernels.empty());
}

WorkTree random_tree(std::mt19937_64& random) {
    TestTree t(static_cast<int64_t>(1 + random() % 9));
    for (size_t i = random() % 8; i > 0; --i)
        t.layer("L_" + std::to_string(random() % 4), random() % t.tree.layers.size());
    for (size_t i = random() % 25; i > 0; --i) {
        const size_t op = t.op("op" + std::to_string(random() % 6), random() % t.tree.layers.size(),
                               static_cast<int64_t>(random() % 5000), "k" + std::to_string(random() % 5),
                               "[" + std::to_string(random() % 3) + "]", random() % 2 ? "yes" : "no");
        for (size_t k = random() % 3; k > 0; --k)
            t.kernel(op, "k" + std::to_string(random() % 5), static_cast<int64_t>(random() % 900));
    }
    return t.finish();
}

TEST(Changes, EveryNanosecondIsInOneRowOfEachLevel) {
    std::mt19937_64 random(99);
    for (int round = 0; round < 500; ++round) {
        const WorkTree base = random_tree(random), next = round % 10 ? random_tree(random) : base;
        const Changes found = find_changes(base, next);
        for (const auto* level : {&found.layers, &found.ops, &found.kernels}) {
            int64_t gpu = 0, cpu = 0, before = 0;
            for (const Change& row : *level) {
                gpu += by_gpu(row);
                cpu += by_cpu(row);
                before += row.base ? row.base->gpu_ns : 0;
            }
            EXPECT_EQ(gpu, next.gpu.mean_ns - base.gpu.mean_ns);
            EXPECT_EQ(before, base.gpu.mean_ns);
            if (level != &found.kernels) {
                EXPECT_EQ(cpu, next.cpu.mean_ns - base.cpu.mean_ns);
            }
        }
        if (round % 10) continue;
        for (const auto* level : {&found.layers, &found.ops, &found.kernels})
            for (const Change& row : *level)
                EXPECT_EQ(row.kind, ChangeKind::kSame) << row.layer << ' ' << row.op;
    }
}

TEST(InOrder, PairsRiseOnBothSides) {
    using Pair = std::pair<size_t, size_t>;
    const std::vector<uint64_t> a{1, 2, 3, 4, 4}, b{4, 1, 3, 9, 4, 2};
    EXPECT_EQ(in_order(a, b), (std::vector<Pair>{{0, 1}, {2, 2}, {4, 4}}));
    EXPECT_TRUE(in_order(a, {}).empty());
}

// Producers write the same lists with blanks, and on several lines.
TEST(WorkTree, BlanksInShapesMeanNothing) {
    const auto made = [](const char* shapes, const char* types) {
        analyze::TestProfile t;
        OpDetail detail;
        detail.signature = t.builder.signature(
            {t.builder.text(shapes), t.builder.text(types), t.builder.text(""), t.builder.text("")});
        t.op("aten::mm", 0, 100, t.thread(), detail);
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        auto side = read_side(session, "a");
        if (!side) ADD_FAILURE() << side.error().message();
        return std::move(side).value().work;
    };
    const WorkTree base = made("[[2, 3], []]", "[\"long int\", \"\"]"),
                   next = made("[\n  [2,3],\n  []\n]", "[\"long int\",\"\"]");
    EXPECT_EQ(next.ops.at(0).shapes, "[[2, 3], []]");
    EXPECT_EQ(next.ops.at(0).dtypes, "[\"long int\", \"\"]");
    EXPECT_EQ(find_changes(base, next).ops.at(0).kind, ChangeKind::kSame);
}

// Against sums that the database makes of the same spans.
TEST(WorkTree, HoldsAllWorkOfTheRange) {
    analyze::TestProfile t;
    for (int64_t i = 0; i < 5; ++i) {
        const int64_t at = 1000 * i;
        t.annotation("ProfilerStep#" + std::to_string(i), at, 1000, t.thread());
        t.op("aten::mm", at + 10, 100);
        t.api("cudaLaunchKernel", at + 20, 5, t.thread(), 2 * i + 1);
        t.kernel("gemm", at + 130, 200 + i, t.stream(), 2 * i + 1);
        t.api("cudaMemcpyAsync", at + 500, 5, t.thread(), 2 * i + 2);
        t.kernel("Memcpy HtoD", at + 510, 33, t.stream(), 2 * i + 2, DeviceKind::kMemcpy);
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open({.start = 1, .stop = 3, .all = true});
    const auto side = read_side(session, "a");
    ASSERT_TRUE(side.has_value()) << side.error().message();
    const WorkTree& tree = side->work;
    EXPECT_EQ(tree.gpu.ns,
              std::get<int64_t>(value_of(session, "SELECT sum(dur_ns)::BIGINT FROM sel_device")));
    EXPECT_EQ(tree.cpu.ns, 300);
    EXPECT_EQ(tree.gpu.samples, (std::vector<int64_t>{234, 235, 236}));
    EXPECT_EQ(tree.gpu.mean_ns, 235);
    ASSERT_EQ(tree.ops.size(), 2u);
    EXPECT_EQ(tree.ops[0].cpu.calls, 3);
    EXPECT_EQ(tree.ops[1].work.at(0).label, "Memcpy HtoD");
}

}  // namespace
}  // namespace opsight::query
