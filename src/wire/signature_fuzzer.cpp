// Feeds any bytes to the decoder of op signatures: its texts stay bounded by its input.
#include <cstdint>
#include <cstdlib>

#include "wire/signature.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto text = opsight::wire::decode_signature({reinterpret_cast<const char*>(data), size});
    constexpr size_t kMostPerByte = 64;
    const size_t most = kMostPerByte * (size + 1);
    if (text.shapes.size() > most || text.dtypes.size() > most || text.concrete.size() > most) std::abort();
    return 0;
}
