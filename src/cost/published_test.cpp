// A bound that a measurement breaks is none.
#include <algorithm>

#include "cost/published_networks.h"
#include "cost/published_results.h"

namespace opsight::cost {
namespace {

const ModelGraph& graph_of(PublishedNetwork network) {
    static const ResNet50 resnet;
    static const BertLarge bert128(128), bert512(512);
    return network == kResNet50 ? resnet.graph() : network == kBert128 ? bert128.graph() : bert512.graph();
}

Estimate bound_of(const Published& published) {
    Settings settings;
    settings.device = device(published.device);
    settings.precision = published.format;
    settings.train = published.train;
    settings.batch = published.batch;
    return estimate(graph_of(published.network), settings);
}

// The networks are those that were measured: MACs as torchvision's ResNet-50 has them; 24 layers of 12·L·d² +
// 2·L²·d.
TEST(Published, NetworksHaveTheirKnownWork) {
    EXPECT_EQ(estimate(graph_of(kResNet50)).total.macs(), 4'089'184'256);
    for (const auto& [network, l] : {std::pair(kBert128, 128.0), std::pair(kBert512, 512.0)})
        EXPECT_EQ(estimate(graph_of(network)).total.macs(), 24 * (12 * l * 1024 * 1024 + 2 * l * l * 1024));
}

TEST(Published, NoResultIsFasterThanItsBound) {
    EXPECT_GE(std::size(kPublished), 20U);
    for (const Published& published : kPublished) {
        const double bound = published.count * bound_of(published).throughput();
        EXPECT_GE(bound, published.samples_per_s)
            << published.device << " " << hardware::name_of(published.format) << ": " << published.source;
    }
}

// Nor is it so wide that it says nothing: at large batches all but the slowest reach a tenth of it.
TEST(Published, BoundsAreOfTheRightSize) {
    size_t near = 0, large = 0;
    for (const Published& published : kPublished) {
        if (published.batch < 16) continue;
        ++large;
        near += published.count * bound_of(published).throughput() < 10 * published.samples_per_s;
    }
    EXPECT_GE(near, large * 9 / 10);
}

}  // namespace
}  // namespace opsight::cost
