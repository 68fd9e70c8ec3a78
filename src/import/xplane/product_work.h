// What the products of a program have to do, by the shapes of its instructions.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>

#include "import/hlo/hlo.pb.h"

namespace opsight::importer::xplane {

using Instructions = absl::flat_hash_map<int64_t, const hlo_file::Instruction*>;  // by id

struct ProductWork {
    int64_t flops = -1;  // a multiply-add counted as two; -1: no product, or its shapes do not tell
    int64_t bytes = -1;  // operands and results once
};

// Of a product that stands alone: a dot, a convolution, or a call of cuBLAS, cuDNN and the like.
ProductWork product_work(const hlo_file::Instruction& from, const Instructions& all);

// Of a fusion: the FLOPs of the products in its computation (of other ops none), what it reads and writes.
// -1 where it takes parts of its operands, or changes them in place: then these are no least bytes.
ProductWork fusion_work(const hlo_file::Instruction& fusion, const hlo_file::Computation& computation,
                        const Instructions& all);

}  // namespace opsight::importer::xplane
