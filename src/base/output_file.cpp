#include "base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace opsight {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestPart = 200;  // of a name; names have 255 bytes

std::string_view kind_of(mode_t mode) {
    if (S_ISLNK(mode)) return "a symbolic link";
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

fs::path folder_of(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    return folder.empty() ? fs::path(".") : folder;
}

// Beside the file, under a name that nobody can have waited for. DuckDB names a catalog after the file, up to
// a dot: the file's own name must not stand first, for it may be that of a schema, as "raw".
std::string beside(const std::string& path) {
    uint64_t chance = 0;
    if (::getrandom(&chance, sizeof chance, 0) != sizeof chance) chance = static_cast<uint64_t>(::getpid());
    const std::string name = fs::path(path).filename().string().substr(0, kLongestPart);
    return (folder_of(path) / fmt::format(".{:016x}.{}.part", chance, name)).string();
}

}  // namespace

bool is_being_written(std::string_view name, std::string_view file) {
    return name.starts_with('.') && name.ends_with("." + std::string(file) + ".part");
}

namespace {

Status sync_file(const std::string& path, int flags) {
    const int file = ::open(path.c_str(), flags | O_CLOEXEC);
    if (file < 0) return fail(std::strerror(errno));
    const int done = ::fsync(file), problem = errno;
    ::close(file);
    // Not all file systems can: then there is nothing to wait for.
    if (done != 0 && problem != EINVAL && problem != ENOTSUP) return fail(std::strerror(problem));
    return {};
}

// 0, or why not. File systems that cannot tell whether the name is free are asked beforehand.
int give_name(const std::string& from, const std::string& to, bool replace) {
    if (replace) return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
    if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    if (::link(from.c_str(), to.c_str()) != 0) return errno;
    ::unlink(from.c_str());
    return 0;
}

Status exists_already(const std::string& path) {
    return fail("exists already", path, {}, "choose another name, or replace it with --force");
}

}  // namespace

Status check_output(const std::string& path, bool replace) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) == 0) {
        if (!S_ISREG(found.st_mode))
            return fail(
                fmt::format("is {}: only a regular file is written or replaced", kind_of(found.st_mode)),
                path, {}, "choose another name");
        if (!replace) return exists_already(path);
    } else if (errno == ENAMETOOLONG) {
        return fail("is too long for the name of a file", path, {}, "choose a shorter one");
    }
    std::error_code problem;
    if (!fs::is_directory(folder_of(path), problem))
        return fail("the folder of the output does not exist", path, {}, "create it first");
    return {};
}

OutputFile::OutputFile(std::string path, bool replace, std::vector<LeftBehind> parts)
    : path_(std::move(path)), replace_(replace), parts_(std::move(parts)) {}
OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      replace_(other.replace_),
      parts_(std::move(other.parts_)),
      file_(std::exchange(other.file_, -1)) {}

OutputFile::~OutputFile() {
    if (file_ >= 0) ::close(file_);
}

Result<OutputFile> OutputFile::reserve(const std::string& path, bool replace) {
    OPSIGHT_TRY(check_output(path, replace));
    std::vector<LeftBehind> parts;
    const std::string name = beside(path);
    for (const char* ending : {"", ".wal", ".tmp"})
        parts.emplace_back(name + ending);
    return OutputFile(path, replace, std::move(parts));
}

Result<OutputFile> OutputFile::create(const std::string& path, bool replace) {
    OPSIGHT_TRY(check_output(path, replace));
    std::vector<LeftBehind> parts;
    parts.emplace_back(beside(path));
    OutputFile out(path, replace, std::move(parts));
    out.file_ = ::open(out.temporary().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (out.file_ < 0) OPSIGHT_TRY(out.failed("cannot be written", errno));
    return out;
}

Status OutputFile::failed(std::string_view what, int problem) const {
    return fail(fmt::format("{}: {}", what, std::strerror(problem)), path_, {},
                "nothing was changed under this name; choose another place with room");
}

Status OutputFile::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t wrote = ::write(file_, text.data(), text.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return failed("cannot be written", errno);
        text.remove_prefix(static_cast<size_t>(wrote));
    }
    return {};
}

Status OutputFile::commit() {
    if (file_ >= 0 && ::close(std::exchange(file_, -1)) != 0) return failed("cannot be written", errno);
    if (Status safe = sync_file(temporary(), O_RDONLY | O_NOFOLLOW); !safe)
        return fail("cannot be written: " + safe.error().what, path_, {},
                    "nothing was changed under this name; choose another place with room");
    OPSIGHT_TRY(check_output(path_, replace_));  // somebody may have been quicker
    if (const int problem = give_name(temporary(), path_, replace_); problem == EEXIST)
        return exists_already(path_);
    else if (problem != 0)
        return failed("cannot be given its name", problem);
    parts_.front().let_go();
    (void)sync_file(folder_of(path_).string(), O_RDONLY | O_DIRECTORY);
    return {};
}

}  // namespace opsight
