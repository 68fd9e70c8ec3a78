#include "analyze/layers.h"

#include <gtest/gtest.h>

#include "analyze/nesting.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

size_t bytes_of_paths(const Profile& p, const Analysis& a) {
    size_t bytes = 0;
    for (const Layer& layer : a.layers)
        bytes += p.strings.view(layer.path).size();
    return bytes;
}

TEST(Layers, OfALongTextAreKeptToALength) {
    TestProfile t;
    std::string name = "net";
    for (int i = 0; i < 50000; ++i)
        name += "/a";
    t.host(HostKind::kModule, name, 0, 1000, t.thread());
    t.op("aten::add", 100, 100);
    Profile p = t.finish();
    Analysis a;
    find_nesting(p, a, 1);
    find_layers(p, a);
    EXPECT_EQ(a.layers.size(), static_cast<size_t>(LayerTree::kMostDepth));
    EXPECT_LT(bytes_of_paths(p, a), size_t{LayerTree::kMostDepth} * LayerTree::kMostPath);
    EXPECT_EQ(a.layer[host_row(p, "aten::add", 0)].index(), a.layers.size() - 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kDeepLayer), 50001 - LayerTree::kMostDepth);
}

TEST(Layers, OfNestedModulesAreKeptToALength) {
    TestProfile t;
    for (int i = 0; i < 3000; ++i)
        t.host(HostKind::kModule, "nn.Module: Block_" + std::to_string(i), i, 100000 - 2 * i, t.thread());
    t.op("aten::add", 50000, 10);
    Profile p = t.finish();
    Analysis a;
    find_nesting(p, a, 1);
    find_layers(p, a);
    EXPECT_LE(p.strings.view(a.layers.back().path).size(), LayerTree::kMostPath);
    EXPECT_EQ(a.layer[host_row(p, "aten::add", 0)].index(), a.layers.size() - 1);
    EXPECT_GT(p.diagnostics.count(Diag::kDeepLayer), 0);
}

TEST(Layers, AsDeepAsRecursionGoesAreAllKept) {
    TestProfile t;
    for (int i = 0; i < 331; ++i)
        t.host(HostKind::kModule, "nn.Module: Block_" + std::to_string(i), i, 100000 - 2 * i, t.thread());
    Profile p = t.finish();
    Analysis a;
    find_nesting(p, a, 1);
    find_layers(p, a);
    EXPECT_EQ(a.layers.size(), 331U);
    EXPECT_EQ(p.diagnostics.count(Diag::kDeepLayer), 0);
}

TEST(Layers, TheOnlyOneOfAName) {
    TestProfile t;
    Profile p = t.finish();
    std::vector<Layer> layers;
    LayerTree tree(p.strings, layers);
    const LayerId net = tree.child({}, "Net_0"), block = tree.child(net, "Block_0");
    EXPECT_EQ(tree.only_below("Block_0"), block);
    EXPECT_EQ(tree.only_below("Net_0"), LayerId()) << "lies below none";
    EXPECT_EQ(tree.only_below("Linear_0"), LayerId());
    tree.child(net, "Block_0");
    EXPECT_EQ(tree.only_below("Block_0"), block) << "the same again";
    for (const char* above : {"Other_0", "Third_0"}) {
        tree.child(tree.child({}, above), "Block_0");
        EXPECT_EQ(tree.only_below("Block_0"), LayerId()) << "one of several";
    }
}

// Each new name is looked for among all layers: with a pass over them this takes minutes.
TEST(Layers, OfManyNamesInsideAnOp) {
    TestProfile t;
    constexpr int64_t kMany = 300'000;
    t.op("MmBackward0", 0, kMany * 10 + 10);
    for (int64_t i = 0; i < kMany; ++i)
        t.host(HostKind::kModule, "nn.Module: X_" + std::to_string(i), i * 10 + 1, 5, t.thread());
    Profile p = t.finish();
    Analysis a;
    find_nesting(p, a, 1);
    find_layers(p, a);
    EXPECT_EQ(a.layers.size(), static_cast<size_t>(kMany));
}

}  // namespace
}  // namespace opsight::analyze
