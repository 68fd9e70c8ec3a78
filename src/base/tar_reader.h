// Reads a tar archive (ustar, GNU, pax) front to back. Nothing is ever written to disk, so member names are
// labels only; links, devices and directories are passed over.
#pragma once

#include <optional>

#include "base/byte_source.h"

namespace opsight {

bool looks_like_tar(std::string_view first_512_bytes);

class TarReader {
  public:
    struct Member {
        std::string name;
        uint64_t size = 0;
    };
    explicit TarReader(std::unique_ptr<ByteSource> archive) : archive_(std::move(archive)) {}

    // The next regular file, or nothing at the end. Whatever is left of the last one is skipped.
    Result<std::optional<Member>> next();
    // The bytes of the member that next() gave; to be used before the following next().
    std::unique_ptr<ByteSource> open_member();
    // At the end: whether something other than zeros follows ('cat a.tar b.tar', a gzip file of several
    // members).
    Result<bool> goes_on();
    // As ByteSource::damage(), of the archive.
    std::string damage() const { return damage_.empty() ? archive_->damage() : damage_; }

  private:
    friend class TarMemberSource;
    Status skip(uint64_t bytes);
    Result<std::string> read_text(uint64_t bytes);

    std::unique_ptr<ByteSource> archive_;
    uint64_t left_ = 0, padding_ = 0;  // of the present member
    std::string damage_;
};

}  // namespace opsight
