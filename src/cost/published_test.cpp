// A bound that a measurement breaks is none.
#include <algorithm>
#include <map>

#include "cost/published_networks.h"
#include "cost/published_results.h"

namespace opsight::cost {
namespace {

const ModelGraph& graph_of(PublishedNetwork network) {
    static const ResNet50 resnet;
    static const BertLarge bert128(128), bert512(512);
    static const Llama70BToken llama;
    if (network == kLlama70BToken) return llama.graph();
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
    EXPECT_EQ(estimate(graph_of(kLlama70BToken)).total.macs(), 68'713'185'280)
        << "its parameters but the embedding";
    for (const auto& [network, l] : {std::pair(kBert128, 128.0), std::pair(kBert512, 512.0)})
        EXPECT_EQ(estimate(graph_of(network)).total.macs(), 24 * (12 * l * 1024 * 1024 + 2 * l * l * 1024));
}

TEST(Published, NoResultIsFasterThanItsBound) {
    const auto of_mlcommons = std::ranges::count_if(kPublished, [](const Published& published) {
        return std::string_view(published.source).starts_with("mlcommons/");
    });
    EXPECT_GE(of_mlcommons, 20) << "as their own logs have them";
    for (const Published& published : kPublished) {
        const double bound = published.count * bound_of(published).throughput();
        EXPECT_GE(bound, published.samples_per_s)
            << published.device << " " << hardware::name_of(published.format) << ": " << published.source;
    }
}

// What can run in a format can run in a narrower one, at least as fast.
TEST(Published, ANarrowerFormatIsNeverBoundedBelowAWiderOne) {
    constexpr std::pair<hardware::Precision, hardware::Precision> kNarrowToWide[] = {
        {kTf32, kFp32}, {kFp16, kFp32}, {kBf16, kFp32}, {kFp16, kTf32}, {kBf16, kTf32}, {kFp8, kFp16},
        {kFp8, kBf16},  {kInt8, kFp16}, {kInt8, kBf16}, {kFp4, kFp8},   {kInt4, kInt8}, {kInt4, kFp8}};
    Settings settings;
    settings.batch = 64;
    for (const hardware::Device& device : hardware::DeviceTable::built_in().devices()) {
        settings.device = device;
        std::map<hardware::Precision, double> rates;
        for (const hardware::Precision format : hardware::kPrecisions) {
            settings.precision = format;
            rates[format] = estimate(graph_of(kResNet50), settings).throughput();
        }
        for (const auto& [narrow, wide] : kNarrowToWide)
            EXPECT_GE(rates[narrow], rates[wide] * (1 - 1e-9))
                << device.key << ": " << name_of(narrow) << " and " << name_of(wide);
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
