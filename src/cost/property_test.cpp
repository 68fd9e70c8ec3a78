// What must hold of any network: of 300 random ones.
#include <algorithm>
#include <random>

#include "cost/test_network.h"

namespace opsight::cost {
namespace {

using hardware::Device;

// Convolutions, activations, sums of earlier results, pooling, normalisation and concatenation in a random
// order.
class RandomNetwork {
  public:
    explicit RandomNetwork(unsigned seed) : random_(seed), batch_(1 + pick(4)) {
        planes_ = {maker_.input({batch_, 8, 16, 16})};
        const int64_t nodes = 3 + pick(20);
        for (int64_t i = 0; i < nodes; ++i)
            planes_.push_back(add());
        const TensorId flat = maker_.node("Flatten", {planes_.back()}, {batch_, 8 * 16 * 16});
        maker_.done(maker_.node("Gemm", {flat, maker_.weight({8 * 16 * 16, 10})}, {batch_, 10}));
    }
    const ModelGraph& graph() const { return maker_.graph; }
    double batch() const { return static_cast<double>(batch_); }

  private:
    int64_t pick(int64_t below) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(below)); }
    TensorId earlier() { return planes_[static_cast<size_t>(pick(std::ssize(planes_)))]; }
    TensorId node(const char* op, std::vector<TensorId> inputs,
                  std::map<std::string, Attribute, std::less<>> attributes = {}) {
        return maker_.node(op, std::move(inputs), {batch_, 8, 16, 16}, std::move(attributes));
    }
    TensorId add() {
        const TensorId last = planes_.back();
        switch (pick(8)) {
            case 0:
            case 1:
                return node("Conv", {last, maker_.weight({8, 8, 3, 3}), maker_.weight({8})});
            case 2:
                return node("Relu", {last});
            case 3:
                return node("Sigmoid", {earlier()});
            case 4:
                return node("Add", {last, earlier()});
            case 5:
                return node("Mul", {last, earlier()});
            case 6:
                return node("MaxPool", {last}, {{"kernel_shape", std::vector<int64_t>{3, 3}}});
            default:
                return node("BatchNormalization", {last, maker_.weight({8}), maker_.weight({8}),
                                                   maker_.weight({8}), maker_.weight({8})});
        }
    }

    std::minstd_rand random_;
    int64_t batch_;
    Maker maker_;
    std::vector<TensorId> planes_;
};

template <class Check>
void each_network(Check check) {
    for (unsigned seed = 1; seed <= 300 && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        const RandomNetwork network(seed);
        for (const bool train : {false, true}) {
            Settings settings;
            settings.train = train;
            settings.device = device("a100-80");
            check(network, settings);
        }
    }
}

TEST(RandomNetworks, FlopsAreLinearInTheBatch) {
    each_network([](const RandomNetwork& network, Settings settings) {
        // The optimizer's step does not depend on the batch.
        settings.optimizer = Optimizer::kSgd;
        const double steps = settings.train ? optimizer_step(Optimizer::kSgd).flops : 0;
        const Estimate own = estimate(network.graph(), settings);
        const double fixed = steps * own.total.parameters;
        settings.batch = 8 * network.batch();
        const Estimate eight = estimate(network.graph(), settings);
        EXPECT_DOUBLE_EQ(eight.total.flops() - fixed, 8 * (own.total.flops() - fixed));
        EXPECT_DOUBLE_EQ(eight.total.macs(), 8 * own.total.macs());
    });
}

TEST(RandomNetworks, BoundsNeverGrowWithPeaks) {
    each_network([](const RandomNetwork& network, Settings settings) {
        const auto bound = [&] { return estimate(network.graph(), settings).total.bound_s; };
        double before = bound();
        for (size_t peak = 0; peak < settings.device->peaks.size(); ++peak) {
            settings.device->peaks[peak].dense *= 1.5;
            const double after = bound();
            EXPECT_LE(after, before);
            before = after;
        }
        const auto serial = [&] { return estimate(network.graph(), settings).serial_s; };
        const double one_by_one = serial();
        EXPECT_LE(before, one_by_one);
        settings.device->bandwidth *= 3;
        EXPECT_LE(bound(), before);
        EXPECT_LT(serial(), one_by_one);
        before = bound();
        settings.derate = 0.5;
        EXPECT_DOUBLE_EQ(bound(), 2 * before);
    });
}

TEST(RandomNetworks, FusionKeepsWorkAndNeverAddsBytes) {
    each_network([](const RandomNetwork& network, Settings settings) {
        settings.fuse = false;
        const Estimate plain = estimate(network.graph(), settings);
        settings.fuse = true;
        const Estimate fused = estimate(network.graph(), settings);
        EXPECT_DOUBLE_EQ(fused.total.flops(), plain.total.flops());
        EXPECT_EQ(fused.total.parameters, plain.total.parameters);
        EXPECT_LE(fused.total.bytes(), plain.total.bytes());
        EXPECT_LE(fused.total.bound_s, plain.total.bound_s * (1 + 1e-12));
    });
}

TEST(RandomNetworks, PeakMemoryLiesBetweenTheLargestWorkingSetAndTheSum) {
    each_network([](const RandomNetwork& network, Settings settings) {
        settings.fuse = false;
        const Memory memory = estimate(network.graph(), settings).memory;
        EXPECT_GT(memory.largest_working_set, 0);
        if (!settings.train) {
            EXPECT_GE(memory.activations, memory.largest_working_set);
            EXPECT_LE(memory.activations, memory.all_activations);
        }
        EXPECT_GE(memory.peak(), memory.weights + memory.activations);
    });
}

}  // namespace
}  // namespace opsight::cost
