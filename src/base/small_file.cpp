#include "base/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace opsight {
namespace {

std::string size_text(size_t bytes) {
    constexpr size_t kMiB = size_t{1} << 20;
    return bytes > 0 && bytes % kMiB == 0 ? fmt::format("{} MiB", bytes / kMiB)
                                          : fmt::format("{} bytes", bytes);
}

Result<std::string> read_small(const std::string& path, size_t most, bool only_regular) {
    // Without O_NONBLOCK a pipe that nobody writes to would hold us here.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (only_regular ? O_NONBLOCK : 0));
    if (file < 0)
        return fail(fmt::format("cannot be opened: {}", std::strerror(errno)), path, {}, "check the path");
    const std::shared_ptr<void> closer(nullptr, [file](void*) { ::close(file); });
    struct stat about {};
    if (only_regular && (::fstat(file, &about) != 0 || !S_ISREG(about.st_mode)))
        return fail("is not a regular file", path, {}, "check what put it there");
    std::string text;
    std::array<char, size_t{1} << 16> part{};
    for (;;) {
        const ssize_t got = ::read(file, part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return fail(fmt::format("cannot be read: {}", std::strerror(errno)), path, {}, "is it a file?");
        if (got == 0) return text;
        text.append(part.data(), static_cast<size_t>(got));
        if (text.size() > most)
            return fail("is larger than " + size_text(most), path, {}, "is it the right file?");
    }
}

}  // namespace

Result<std::string> small_file(const std::string& path, size_t most) {
    return read_small(path, most, false);
}

Result<std::string> small_regular_file(const std::string& path, size_t most) {
    return read_small(path, most, true);
}

}  // namespace opsight
