#include "import/kineto/scanner.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define OPSIGHT_AVX2 __attribute__((target("avx2,pclmul,bmi,popcnt")))
#endif

namespace opsight::importer::kineto {

// One bit for each of 64 bytes. Brackets and braces are not told apart: an element that confuses them is left
// to the parser, which refuses it.
struct Scanner::Masks {
    uint64_t backslash, quote, open, close;
};

namespace {

constexpr size_t kBlock = 64;

// Every bit becomes the parity of itself and all lower ones: ones inside strings.
uint64_t prefix_xor(uint64_t bits) {
    for (int shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

// Bits of bytes that a backslash before them escapes; `carry` is that state across blocks.
inline uint64_t escaped_bits(uint64_t backslash, uint64_t& carry) {
    uint64_t escaped = carry;
    if (backslash == 0) {
        carry = 0;
        return escaped;
    }
    uint64_t rest = backslash & ~carry;
    carry = 0;
    while (rest != 0) {
        const int at = std::countr_zero(rest);
        if (at == 63) {
            carry = 1;
            break;
        }
        escaped |= uint64_t{1} << (at + 1);
        rest &= ~(uint64_t{3} << at);
    }
    return escaped;
}

}  // namespace

// Updates the state by one block, of which the first `valid` bytes are real; true when there is nothing more
// to look at.
[[gnu::always_inline]] inline bool Scanner::take(const Masks& m, size_t at, size_t valid, bool only_first,
                                                 Found& found) {
    const uint64_t escaped = escaped_bits(m.backslash, escaped_);
    if (valid < kBlock) escaped_ = escaped >> valid & 1;
    const uint64_t quote = m.quote & ~escaped;
    const uint64_t inside = prefix_xor(quote) ^ in_string_;
    in_string_ = static_cast<uint64_t>(static_cast<int64_t>(inside) >> 63);
    const uint64_t open = m.open & ~inside, close = m.close & ~inside;
    const int closes = std::popcount(close);
    if (depth_ - closes > 0) {
        depth_ += std::popcount(open) - closes;
        return false;
    }
    for (uint64_t rest = open | close; rest != 0; rest &= rest - 1) {
        const int bit = std::countr_zero(rest);
        if (open >> bit & 1) {
            ++depth_;
            continue;
        }
        const size_t position = at + static_cast<size_t>(bit);
        if (depth_ == 0) {
            found.array_end = position;
            return true;
        }
        if (--depth_ > 0) continue;
        found.last_end = position + 1;
        if (only_first) {
            reset();
            return true;
        }
    }
    return false;
}

namespace {

uint64_t equal_plain(const char* bytes, char wanted) {
    uint64_t mask = 0;
    for (size_t i = 0; i < kBlock; ++i)
        mask |= static_cast<uint64_t>(bytes[i] == wanted) << i;
    return mask;
}

}  // namespace

Scanner::Found Scanner::feed_plain(const char* bytes, size_t size, bool only_first) {
    Found found;
    char tail[kBlock];
    for (size_t at = 0; at < size; at += kBlock) {
        const char* block = bytes + at;
        const size_t valid = std::min(kBlock, size - at);
        if (valid < kBlock) {
            std::memset(tail, ' ', kBlock);
            std::memcpy(tail, block, valid);
            block = tail;
        }
        const Masks masks = {equal_plain(block, '\\'), equal_plain(block, '"'),
                             equal_plain(block, '{') | equal_plain(block, '['),
                             equal_plain(block, '}') | equal_plain(block, ']')};
        if (take(masks, at, valid, only_first, found)) break;
    }
    return found;
}

#if defined(__x86_64__)
OPSIGHT_AVX2 Scanner::Found Scanner::feed_avx2(const char* bytes, size_t size, bool only_first) {
    Found found;
    alignas(32) char tail[kBlock];
    const __m256i backslash = _mm256_set1_epi8('\\'), quote = _mm256_set1_epi8('"');
    const __m256i open = _mm256_set1_epi8('{'), close = _mm256_set1_epi8('}'), fold = _mm256_set1_epi8(0x20);
    for (size_t at = 0; at < size; at += kBlock) {
        const char* block = bytes + at;
        const size_t valid = std::min(kBlock, size - at);
        if (valid < kBlock) {
            std::memset(tail, ' ', kBlock);
            std::memcpy(tail, block, valid);
            block = tail;
        }
        uint64_t mask[4] = {};
        for (int half = 0; half < 2; ++half) {
            const __m256i in = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + half * 32));
            const __m256i folded = _mm256_or_si256(in, fold);  // '[' and '{', ']' and '}' differ by this bit
            const __m256i hits[4] = {_mm256_cmpeq_epi8(in, backslash), _mm256_cmpeq_epi8(in, quote),
                                     _mm256_cmpeq_epi8(folded, open), _mm256_cmpeq_epi8(folded, close)};
            for (int k = 0; k < 4; ++k)
                mask[k] |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(hits[k])))
                           << (half * 32);
        }
        if (take({mask[0], mask[1], mask[2], mask[3]}, at, valid, only_first, found)) break;
    }
    return found;
}
#endif

Scanner::Found Scanner::feed(const char* bytes, size_t size, bool only_first) {
#if defined(__x86_64__)
    static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") &&
                                 __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
    if (has_avx2) return feed_avx2(bytes, size, only_first);
#endif
    return feed_plain(bytes, size, only_first);
}

}  // namespace opsight::importer::kineto
