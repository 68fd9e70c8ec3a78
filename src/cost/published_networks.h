// For tests: the networks of published results, built op by op.
#pragma once

#include "cost/test_network.h"

namespace opsight::cost {

// ResNet-50 v1.5 on 224 x 224 images: the stride of a block in its 3 x 3 convolution, batch normalisation
// folded.
class ResNet50 {
  public:
    ResNet50() {
        TensorId x = conv(maker_.input({1, 3, 224, 224}), 64, 7, 2, true);
        x = maker_.node("MaxPool", {x}, {1, 64, 56, 56}, {{"kernel_shape", std::vector<int64_t>{3, 3}}});
        int64_t width = 64;
        for (const int64_t blocks : {3, 4, 6, 3}) {
            for (int64_t block = 0; block < blocks; ++block)
                x = bottleneck(x, width, block == 0, block == 0 && width > 64 ? 2 : 1);
            width *= 2;
        }
        x = maker_.node("GlobalAveragePool", {x}, {1, 2048, 1, 1});
        x = maker_.node("Flatten", {x}, {1, 2048});
        maker_.done(maker_.node("Gemm", {x, maker_.weight({2048, 1000}), maker_.weight({1000})}, {1, 1000}));
    }
    const ModelGraph& graph() const { return maker_.graph; }

  private:
    TensorId conv(TensorId x, int64_t channels, int64_t window, int64_t stride, bool relu) {
        const Shape in = maker_.graph.tensors[static_cast<size_t>(x)].shape;
        const Shape out{1, channels, in[2] / stride, in[3] / stride};
        const TensorId made = maker_.node(
            "Conv", {x, maker_.weight({channels, in[1], window, window}), maker_.weight({channels})}, out,
            {{"strides", std::vector<int64_t>{stride, stride}}});
        return relu ? maker_.node("Relu", {made}, out) : made;
    }
    TensorId bottleneck(TensorId x, int64_t width, bool project, int64_t stride) {
        const TensorId shortcut = project ? conv(x, 4 * width, 1, stride, false) : x;
        const TensorId inner = conv(conv(x, width, 1, 1, true), width, 3, stride, true);
        const TensorId made = conv(inner, 4 * width, 1, 1, false);
        const Shape out = maker_.graph.tensors[static_cast<size_t>(made)].shape;
        return maker_.node("Relu", {maker_.node("Add", {made, shortcut}, out)}, out);
    }
    Maker maker_;
};

// BERT large: 24 layers of width 1024 with 16 heads, on sequences of one length, without the heads behind it.
class BertLarge {
  public:
    explicit BertLarge(int64_t tokens) : tokens_(tokens) {
        const TensorId ids = maker_.input({1, tokens}, ElementType::kInt64);
        TensorId x = maker_.node("Gather", {maker_.weight({30522, kWidth}), ids}, row());
        x = norm(maker_.node("Add", {x, maker_.weight({1, tokens, kWidth})}, row()));
        for (int layer = 0; layer < 24; ++layer)
            x = encoder(x);
        maker_.done(x);
    }
    const ModelGraph& graph() const { return maker_.graph; }

  private:
    static constexpr int64_t kWidth = 1024, kHeads = 16;
    Shape row() const { return {1, tokens_, kWidth}; }
    TensorId norm(TensorId x) {
        return maker_.node("LayerNormalization", {x, maker_.weight({kWidth}), maker_.weight({kWidth})},
                           row());
    }
    TensorId linear(TensorId x, int64_t from, int64_t to) {
        const Shape out{1, tokens_, to};
        return maker_.node(
            "Add", {maker_.node("MatMul", {x, maker_.weight({from, to})}, out), maker_.weight({to})}, out);
    }
    TensorId head(TensorId x, bool turned) {
        const TensorId split =
            maker_.node("Reshape", {linear(x, kWidth, kWidth)}, {1, tokens_, kHeads, kWidth / kHeads});
        return maker_.node(
            "Transpose", {split},
            turned ? Shape{1, kHeads, kWidth / kHeads, tokens_} : Shape{1, kHeads, tokens_, kWidth / kHeads});
    }
    TensorId encoder(TensorId x) {
        const Shape scores{1, kHeads, tokens_, tokens_};
        const TensorId q = head(x, false), k = head(x, true), v = head(x, false);
        const TensorId scaled =
            maker_.node("Div", {maker_.node("MatMul", {q, k}, scores), maker_.weight({1})}, scores);
        const TensorId seen = maker_.node("MatMul", {maker_.node("Softmax", {scaled}, scores), v},
                                          {1, kHeads, tokens_, kWidth / kHeads});
        const TensorId joined = maker_.node(
            "Reshape", {maker_.node("Transpose", {seen}, {1, tokens_, kHeads, kWidth / kHeads})}, row());
        const TensorId mixed = norm(maker_.node("Add", {linear(joined, kWidth, kWidth), x}, row()));
        const TensorId inner =
            maker_.node("Gelu", {linear(mixed, kWidth, 4 * kWidth)}, {1, tokens_, 4 * kWidth});
        return norm(maker_.node("Add", {linear(inner, 4 * kWidth, kWidth), mixed}, row()));
    }
    int64_t tokens_;
    Maker maker_;
};

// The products of Llama 2 70B for one token: 80 layers of width 8192 with 8 heads of keys and values, and the
// head. A token that is generated takes these at least; attention over those before it, and reading the
// prompt, come on top.
class Llama70BToken {
  public:
    Llama70BToken() {
        TensorId x = maker_.input({1, kWidth});
        std::vector<TensorId> cache;
        for (int layer = 0; layer < 80; ++layer) {
            for (int i = 0; i < 2; ++i)
                cache.push_back(product(x, kWidth, kWidth / 8));
            x = product(product(x, kWidth, kWidth), kWidth, kWidth);
            const TensorId gate = product(x, kWidth, kInner), up = product(x, kWidth, kInner);
            x = product(maker_.node("Mul", {gate, up}, {1, kInner}), kInner, kWidth);
        }
        maker_.graph.outputs = std::move(cache);
        maker_.graph.outputs.push_back(product(x, kWidth, 32000));
        mark_graph(maker_.graph);
    }
    const ModelGraph& graph() const { return maker_.graph; }

  private:
    static constexpr int64_t kWidth = 8192, kInner = 28672;
    TensorId product(TensorId x, int64_t from, int64_t to) {
        return maker_.node("MatMul", {x, maker_.weight({from, to})}, {1, to});
    }
    Maker maker_;
};

}  // namespace opsight::cost
