// Which type PyTorch computes with where those of the inputs differ (torch.promote_types).
#pragma once

#include "model/model_graph.h"

namespace opsight::cost {

// 0 booleans, 1 integers, 2 floating point, 3 complex: the higher one is taken whatever its width.
int rank_of_kind(ElementType type);

// The wider one of the higher kind; the two forms of half precision make single precision. Where one is not
// known, the other.
ElementType promoted(ElementType a, ElementType b);

}  // namespace opsight::cost
