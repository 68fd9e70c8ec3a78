// The inputs of an op in few bytes, as the observer writes them and the importer reads them. A sequence of
// values:
//   kTensor  dtype(u8) rank(u8) rank x size(varint)
//   kList    count(varint) values...            lists of tensors
//   kInts    count(varint) count x zigzag varint    "[1, 1]"
//   kInt     zigzag varint
//   kBool    u8
//   kGroup   varint                              a process group, by the number that it was told with
//   other tags stand alone
// The encoder stops when its buffer is full: kCut then is the last tag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opsight::wire {

enum class ArgTag : uint8_t {
    kNone = 1,
    kTensor,
    kUndefinedTensor,
    kTensorList,
    kIntList,
    kInt,
    kBool,
    kDouble,
    kString,
    kOtherList,
    kOther,
    kCut,
    kGroup,
};

// Appends to a fixed buffer; never writes past it.
class SignatureEncoder {
  public:
    static constexpr size_t kCapacity = 1024;

    void tag(ArgTag value) { byte(static_cast<uint8_t>(value)); }
    void byte(uint8_t value) { bytes_[size_++] = static_cast<char>(value); }
    void number(uint64_t value) {
        while (value >= 0x80) {
            byte(static_cast<uint8_t>(value | 0x80));
            value >>= 7;
        }
        byte(static_cast<uint8_t>(value));
    }
    void signed_number(int64_t value) {
        number((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
    }
    void tensor(uint8_t dtype, size_t rank) {
        tag(ArgTag::kTensor);
        byte(dtype);
        byte(static_cast<uint8_t>(rank));
    }
    // Room for `values` numbers, a tag and its bytes; asked before each value.
    bool fits(size_t values) const { return size_ + 16 + 10 * values <= kCapacity; }
    std::string_view view() const { return {bytes_, size_}; }

  private:
    char bytes_[kCapacity];
    size_t size_ = 0;
};

// One input, as far as collectives need it.
struct SignatureInput {
    enum class What : uint8_t { kOther, kTensors, kInt, kGroup };
    What what = What::kOther;
    uint8_t dtype = 255;   // of the first tensor; 255: not told
    int64_t elements = 0;  // of all tensors of a list
    int64_t value = 0;     // of an int; the number of a group
};

// The three texts that Kineto traces have for an op: JSON lists with one entry per input.
struct SignatureText {
    std::string shapes, dtypes, concrete;
    std::vector<SignatureInput> inputs;
    bool whole = true;  // false: the bytes make no sense, or were cut; the texts hold what came before
};
SignatureText decode_signature(std::string_view bytes);

// Name of a tensor's element type as Kineto spells it ("float", "long int", "c10::Half").
std::string_view dtype_name(uint8_t dtype);
// The same as Kineto spells it for collectives ("Float", "Long", "Half").
std::string_view collective_dtype_name(uint8_t dtype);

}  // namespace opsight::wire
