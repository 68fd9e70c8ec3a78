// The products of an op as loop nests, as accelerators run them:
//   out[n][g][k][p][q] += weights[g][k][c][r][s] * in[n][g][c][p * stride + r * dilation][...]
// A product of matrices is one of 1x1 windows: its rows are q, its inner size c, its columns k.
#pragma once

#include <string>
#include <vector>

#include "cost/op_work.h"

namespace opsight::cost {

struct LoopNest {
    std::string part;  // of an op of several products: "scores"
    // Groups that share nothing (channels of a depthwise convolution, heads), images, channels out and in,
    // heights and widths of the output and of the window.
    int64_t g = 1, n = 1, k = 1, c = 1, p = 1, q = 1, r = 1, s = 1;
    int64_t stride_p = 1, stride_q = 1, dilation_r = 1, dilation_s = 1;
    int64_t repeat = 1;  // runs of it in one run of the op

    double macs() const;  // of one run
    bool operator==(const LoopNest&) const = default;
};

struct OpLoopNests {
    std::vector<LoopNest> nests;
    std::string reason;  // why there are none
};

// Of an op of products (WorkKind::kMatrix). Their multiply-adds are those that op_work() counts, or there are
// none; but for causal attention, whose nest makes what the mask hides too.
OpLoopNests loop_nests(const ModelGraph& graph, const ModelNode& node);

}  // namespace opsight::cost
