// Tells whether a file is still the one that was opened.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace opsight::server {

// Device, inode, bytes, and when it was written to (seconds, nanoseconds).
using FileIdentity = std::tuple<dev_t, ino_t, off_t, time_t, long>;

// Nothing where there is no such file.
inline std::optional<FileIdentity> identity_of(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return std::nullopt;
    return FileIdentity(found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec,
                        found.st_mtim.tv_nsec);
}

}  // namespace opsight::server
