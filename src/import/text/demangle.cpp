#include "import/text/demangle.h"

// Else libiberty declares basename() in its own way, beside that of <cstring>.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include <csetjmp>

namespace opsight::importer {
namespace {

constexpr size_t kLongestMangled = 4096;  // the demangler's depth and stack grow with it
constexpr size_t kLongestName = 64 * 1024;

struct Output {
    std::string text;
    std::jmp_buf too_long;
};

// The demangler is C code without anything to clean up, and knows no other way to be stopped.
void take(const char* part, size_t size, void* opaque) {
    auto* output = static_cast<Output*>(opaque);
    if (output->text.size() + size > kLongestName) std::longjmp(output->too_long, 1);
    output->text.append(part, size);
}

}  // namespace

std::string demangle(std::string_view mangled) {
    std::string name(mangled);
    if (name.size() < 3 || name.size() > kLongestMangled || !name.starts_with("_Z")) return name;
    Output output;
    output.text.reserve(kLongestName);  // so that nothing is allocated below the jump
    if (setjmp(output.too_long) != 0) return name;
    constexpr int kOptions = DMGL_PARAMS | DMGL_ANSI | DMGL_TYPES | DMGL_NO_RECURSE_LIMIT;
    if (cplus_demangle_v3_callback(name.c_str(), kOptions, take, &output) == 0) return name;
    return output.text;
}

}  // namespace opsight::importer
