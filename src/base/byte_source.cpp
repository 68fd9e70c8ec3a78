#include "base/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace opsight {
namespace {

class FileSource final : public ByteSource {
  public:
    FileSource(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
    ~FileSource() override { ::close(fd_); }
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;

    Result<size_t> read(char* to, size_t size) override {
        for (;;) {
            const ssize_t got = ::read(fd_, to, size);
            if (got >= 0) {
                position_ += static_cast<uint64_t>(got);
                return static_cast<size_t>(got);
            }
            if (errno != EINTR)
                return fail(std::string("cannot read: ") + std::strerror(errno), path_,
                            "byte " + std::to_string(position_));
        }
    }
    uint64_t position() const override { return position_; }

  private:
    int fd_;
    std::string path_;
    uint64_t position_ = 0;
};

class MemorySource final : public ByteSource {
  public:
    explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
    Result<size_t> read(char* to, size_t size) override {
        const size_t n = std::min(size, bytes_.size() - used_);
        if (n > 0) std::memcpy(to, bytes_.data() + used_, n);
        used_ += n;
        return n;
    }
    uint64_t position() const override { return used_; }

  private:
    std::string_view bytes_;
    size_t used_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail(std::string("cannot open: ") + std::strerror(errno), path);
    struct stat info;
    if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        ::close(fd);
        return fail("is a directory, a file was expected", path);
    }
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return std::make_unique<FileSource>(fd, path);
}

std::unique_ptr<ByteSource> memory_source(std::string_view bytes) {
    return std::make_unique<MemorySource>(bytes);
}

Result<std::string_view> PeekedSource::peek(size_t size) {
    if (head_.size() < size) {
        const size_t had = head_.size();
        head_.resize(size);
        OPSIGHT_ASSIGN(const size_t got, read_fully(*inner_, head_.data() + had, size - had));
        head_.resize(had + got);
    }
    return std::string_view(head_).substr(0, size);
}

Result<size_t> PeekedSource::read(char* to, size_t size) {
    if (used_ == head_.size()) return inner_->read(to, size);
    const size_t n = std::min(size, head_.size() - used_);
    std::memcpy(to, head_.data() + used_, n);
    used_ += n;
    return n;
}

Result<size_t> read_fully(ByteSource& source, char* to, size_t size) {
    size_t done = 0;
    while (done < size) {
        OPSIGHT_ASSIGN(const size_t got, source.read(to + done, size - done));
        if (got == 0) break;
        done += got;
    }
    return done;
}

}  // namespace opsight
