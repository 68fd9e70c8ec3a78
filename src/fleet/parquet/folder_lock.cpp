#include "fleet/parquet/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace opsight::fleet::parquet {
namespace {

Result<int> opened(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0)
        return fail(Error{fmt::format("cannot be written: {}", std::strerror(errno)),
                          path,
                          {},
                          "a push needs the right to write into the folder of the store",
                          1,
                          errno == ENOSPC || errno == EDQUOT ? ErrorCode::kNoSpace : ErrorCode::kOther});
    return file;
}

// Whether the path still leads to the file that is open.
bool is_there(int file, const std::string& path) {
    struct stat ours {
    }, there{};
    return ::fstat(file, &ours) == 0 && ::lstat(path.c_str(), &there) == 0 && ours.st_ino == there.st_ino &&
           ours.st_dev == there.st_dev;
}

int locked(int file, int how) {
    while (::flock(file, how) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

}  // namespace

Result<FolderLock> FolderLock::take(const std::string& path) {
    while (true) {
        OPSIGHT_ASSIGN(const int file, opened(path));
        FolderLock lock(file);
        if (const int problem = locked(file, LOCK_EX); problem != 0)
            return fail(fmt::format("cannot be locked: {}", std::strerror(problem)), path, {},
                        "the store needs a file system with flock, as every local one and NFS of today has");
        if (is_there(file, path)) return lock;
    }
}

Result<std::optional<FolderLock>> FolderLock::try_take(const std::string& path) {
    OPSIGHT_ASSIGN(const int file, opened(path));
    FolderLock lock(file);
    const int problem = locked(file, LOCK_EX | LOCK_NB);
    if (problem == EWOULDBLOCK) return std::optional<FolderLock>();
    if (problem != 0)
        return fail(fmt::format("cannot be locked: {}", std::strerror(problem)), path, {},
                    "the store needs a file system with flock, as every local one and NFS of today has");
    if (!is_there(file, path)) return std::optional<FolderLock>();
    return std::optional<FolderLock>(std::move(lock));
}

FolderLock::~FolderLock() {
    if (file_ >= 0) ::close(file_);
}

}  // namespace opsight::fleet::parquet
