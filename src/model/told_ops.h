// Ops that the source names for device work itself: those of compiled programs (XLA), which no call of an op
// on the host launches, and nodes of TensorFlow whose kernels are named after them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace opsight {

using ToldOpId = Id<struct ToldOpTag>;  // into Profile::told_ops

// Texts are empty and numbers -1 where the source does not tell.
struct ToldOp {
    StringId name{0};                // "loop_add_fusion.3", "MatMul"
    StringId type{0};                // "convolution fusion", "MatMul"
    StringId layer{0};               // path: "jit_step/encoder/layer_0"
    StringId framework{0};           // as the framework names it: "jit(step)/jvp(Net)/dense/dot_general"
    StringId shapes{0}, dtypes{0};   // as in Signature
    int64_t flops = -1, bytes = -1;  // of one execution, as the source's compiler counted them
    bool is_product = false;         // a matrix product or convolution: its FLOPs are those of matrix units
    friend bool operator==(const ToldOp&, const ToldOp&) = default;
};

// Which op a device span is of, by rising row; spans that are in no row have none.
struct ToldWork {
    std::vector<uint32_t> row;  // of DeviceSpans
    std::vector<ToldOpId> op;
    size_t size() const { return row.size(); }
};

}  // namespace opsight
