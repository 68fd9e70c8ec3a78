#include "collect/nvtx/text.h"

namespace opsight::nvtx {

#if defined(__SSE2__)
HashedText hashed_rest(const char* text, const char* at, uint64_t state) {
    const size_t rest = std::strlen(at);
    for (size_t done = 0;; done += 16) {
        uint64_t words[2] = {0, 0};
        const size_t part = rest - done < 16 ? rest - done : 16;
        std::memcpy(words, at + done, part);
        state = hash_words(state, words[0], words[1]);
        if (part < 16) break;
    }
    const size_t length = static_cast<size_t>(at - text) + rest;
    return {text, length, state + length};
}
#endif

}  // namespace opsight::nvtx
