// The scanner must find the same ends of elements however its input is cut into pieces.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "import/kineto/scanner.h"

using opsight::importer::kineto::Scanner;

namespace {

// The ends of all elements, found by feeding pieces of `step` bytes.
std::vector<size_t> ends(const char* bytes, size_t size, size_t step) {
    std::vector<size_t> found;
    Scanner scanner;
    for (size_t at = 0; at < size;) {
        const Scanner::Found here = scanner.feed(bytes + at, std::min(step, size - at), true);
        if (here.array_end != Scanner::kNone) {
            found.push_back(at + here.array_end);
            break;
        }
        if (here.last_end != Scanner::kNone) {
            found.push_back(at + here.last_end);
            at += here.last_end;
        } else {
            at += std::min(step, size - at);
        }
    }
    return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto* bytes = reinterpret_cast<const char*>(data);
    const std::vector<size_t> whole = ends(bytes, size, size + 1);
    for (const size_t step : {1, 7, 64, 65})
        if (ends(bytes, size, step) != whole) std::abort();
    return 0;
}
