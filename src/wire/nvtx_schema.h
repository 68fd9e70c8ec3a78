// How payload schemas and enums travel inside a kNvtxDefine record: a head, then its entries, then all texts.
#pragma once

#include <cstdint>

namespace opsight::wire {

struct NvtxSchemaHead {
    uint64_t type, flags;  // as NVTX numbers them; 0, 0 for enums
    uint64_t size, pack;   // bytes of a payload; alignment where it is packed. 0: not told
    uint32_t entries, name_length;
};
static_assert(sizeof(NvtxSchemaHead) == 40);

// Of enums: `type` is the value, and `flags` is 1 for a flag of a bit set.
struct NvtxSchemaEntry {
    uint64_t flags, type, detail, offset;
    uint64_t name_length;
};
static_assert(sizeof(NvtxSchemaEntry) == 40);

inline constexpr uint32_t kMostSchemaEntries = 512;

// Entry flags and types, as NVTX numbers them.
namespace schema {
inline constexpr uint64_t kPointer = 1 << 1, kOffsetFromBase = 1 << 2, kOffsetFromHere = 1 << 3;
inline constexpr uint64_t kArrayMask = 7 << 4, kFixedArray = 1 << 4, kZeroTerminated = 2 << 4,
                          kLengthIndex = 3 << 4, kLengthPayload = 4 << 4;
inline constexpr uint64_t kDeepCopy = 1 << 8;
inline constexpr uint64_t kHide = 1 << 9, kRoleMask = 3 << 10, kEventMessage = 1 << 10, kTimestamp = 2 << 10;
inline constexpr uint64_t kEventMask = 7 << 12, kRangeBegin = 1 << 12, kRangeEnd = 2 << 12, kMark = 3 << 12;
inline constexpr uint64_t kText = 75, kText8 = 76, kText16 = 77, kText32 = 78, kRegisteredText = 80,
                          kUnionSelector = 100, kReferenced = 1022, kRaw = 1023;
inline constexpr uint64_t kByte = 32, kCategory = 68, kColor = 69, kScopeId = 70, kThread32 = 73,
                          kThread64 = 74;
inline constexpr uint64_t kFirstSchemaId = 1 << 24;
inline constexpr uint64_t kStatic = 1, kDynamic = 2, kUnion = 3, kUnionWithSelector = 4;

inline bool is_text(uint64_t type) {
    return type >= kText && type <= kText32;
}

// Bytes of one value of a predefined type on 64-bit Linux; 0: not one of known size.
inline uint32_t size_of(uint64_t type) {
    constexpr uint8_t kSizes[] = {0, 1, 1, 2, 2, 4, 4, 8,  8, 8, 8, 1, 1, 2,  // CHAR to INT16
                                  2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 4, 1, 2, 4};
    if (type < sizeof kSizes) return kSizes[type];
    switch (type) {
        case 32:  // one byte
        case kText:
        case kText8:
            return 1;
        case 42:  // half
        case 50:  // bfloat16
        case kText16:
            return 2;
        case 43:
        case 52:  // TF32
        case 68:  // category, colour
        case 69:
        case 71:  // process and thread ids
        case 73:
        case kText32:
            return 4;
        case 44:
        case 70:
        case 72:
        case 74:
        case kRegisteredText:
            return 8;
        case 33:
        case 34:
        case 45:
            return 16;
        default:
            return 0;
    }
}

// True where the value is the address of a text that ends with a zero, not the text.
inline bool is_text_address(uint64_t type, uint64_t flags, uint64_t detail) {
    if (!is_text(type) || (flags & (kOffsetFromBase | kOffsetFromHere)) != 0) return false;
    return (flags & kPointer) != 0 || ((flags & kArrayMask) == 0 && detail == 0);
}
}  // namespace schema

}  // namespace opsight::wire
