// ByteSource: bytes of a file, of a gzip stream or of a tar member, read front to back into the caller's
// buffer. Nothing is ever mapped: a file that shrinks while it is read is a short file, not a crash.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace opsight {

class ByteSource {
  public:
    virtual ~ByteSource() = default;
    // Reads up to `size` bytes; 0 only at the end. Fewer than asked for is no sign of the end.
    virtual Result<size_t> read(char* to, size_t size) = 0;
    // Bytes of the file on disk used so far, for progress.
    virtual uint64_t position() const = 0;
    // What was wrong with the container when it ended early ("the gzip stream breaks off"); empty: nothing.
    virtual std::string damage() const { return {}; }
};

// A regular file or a pipe.
Result<std::unique_ptr<ByteSource>> open_file(const std::string& path);

// Bytes in memory that outlive the source.
std::unique_ptr<ByteSource> memory_source(std::string_view bytes);

// Gives back the first bytes of a source, so that a look at them does not use them up.
class PeekedSource final : public ByteSource {
  public:
    explicit PeekedSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {}
    // Up to `size` first bytes; fewer only where the source ends. Valid until the first read().
    Result<std::string_view> peek(size_t size);
    Result<size_t> read(char* to, size_t size) override;
    uint64_t position() const override { return inner_->position(); }
    std::string damage() const override { return inner_->damage(); }

  private:
    std::unique_ptr<ByteSource> inner_;
    std::string head_;
    size_t used_ = 0;
};

// Fills `to` as far as the source goes.
Result<size_t> read_fully(ByteSource& source, char* to, size_t size);

}  // namespace opsight
