#include "cost/torch_promotion.h"

#include "cost/estimate.h"

namespace opsight::cost {

int rank_of_kind(ElementType type) {
    switch (type) {
        case ElementType::kBool:
            return 0;
        case ElementType::kFloat64:
        case ElementType::kFloat32:
        case ElementType::kFloat16:
        case ElementType::kBfloat16:
        case ElementType::kFloat8:
        case ElementType::kFloat4:
            return 2;
        case ElementType::kComplex64:
        case ElementType::kComplex128:
            return 3;
        default:
            return 1;
    }
}

ElementType promoted(ElementType a, ElementType b) {
    if (a == b || b == ElementType::kUnknown) return a;
    if (a == ElementType::kUnknown) return b;
    if (rank_of_kind(a) != rank_of_kind(b)) return rank_of_kind(a) > rank_of_kind(b) ? a : b;
    if (bits_of(a) != bits_of(b)) return bits_of(a) > bits_of(b) ? a : b;
    return bits_of(a) == 16 && rank_of_kind(a) == 2 ? ElementType::kFloat32
                                                    : a;  // the two forms of half precision
}

}  // namespace opsight::cost
