#include "base/gzip_source.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>

namespace opsight {
namespace {

constexpr size_t kInputBytes = size_t{1} << 18;

class GzipSource final : public ByteSource {
  public:
    explicit GzipSource(std::unique_ptr<ByteSource> compressed)
        : inner_(std::move(compressed)), input_(std::make_unique_for_overwrite<uint8_t[]>(kInputBytes)) {
        isal_inflate_init(&state_);
        state_.crc_flag = ISAL_GZIP;
        state_.next_in = input_.get();
        state_.avail_in = 0;
    }

    Result<size_t> read(char* to, size_t size) override {
        state_.next_out = reinterpret_cast<uint8_t*>(to);
        const size_t wanted = std::min(size, size_t{1} << 30);
        state_.avail_out = static_cast<uint32_t>(wanted);
        while (!done_ && state_.avail_out == wanted)
            OPSIGHT_TRY(step());
        return wanted - state_.avail_out;
    }
    uint64_t position() const override { return inner_->position(); }
    std::string damage() const override { return damage_.empty() ? inner_->damage() : damage_; }

  private:
    // Inflates what there is; asks for more input, or goes on to the next member, where that ran out.
    Status step() {
        const uint32_t had_out = state_.avail_out;
        if (state_.avail_in == 0 && !at_end_) OPSIGHT_TRY(refill());
        if (state_.block_state == ISAL_BLOCK_FINISH) return next_member();
        const uint32_t had_in = state_.avail_in;
        const int code = isal_inflate(&state_);
        if (code != ISAL_DECOMP_OK && code != ISAL_END_INPUT && code != ISAL_OUT_OVERFLOW) {
            stop(code == ISAL_INCORRECT_CHECKSUM ? "the gzip checksum does not match"
                                                 : "the gzip stream is damaged");
        } else if (state_.block_state != ISAL_BLOCK_FINISH && at_end_ && state_.avail_in == 0 &&
                   state_.avail_out == had_out) {
            stop("the gzip stream breaks off");
        } else if (had_in == state_.avail_in && state_.avail_out == had_out && had_in != 0 &&
                   state_.block_state != ISAL_BLOCK_FINISH) {
            stop("the gzip stream is damaged");
        }
        return {};
    }

    Status refill() {
        OPSIGHT_ASSIGN(const size_t got,
                       read_fully(*inner_, reinterpret_cast<char*>(input_.get()), kInputBytes));
        state_.next_in = input_.get();
        state_.avail_in = static_cast<uint32_t>(got);
        at_end_ = got < kInputBytes;
        return {};
    }

    // Behind a member: the end, another member, or padding (tapes and some tools add zeros), which is
    // skipped.
    Status next_member() {
        while (state_.avail_in > 0 && *state_.next_in == 0) {
            ++state_.next_in;
            --state_.avail_in;
            if (state_.avail_in == 0 && !at_end_) OPSIGHT_TRY(refill());
        }
        if (state_.avail_in == 0) {
            if (at_end_) done_ = true;
            return {};
        }
        if (*state_.next_in != 0x1f) {
            stop("there are bytes behind the end of the gzip stream");
            return {};
        }
        isal_inflate_reset(&state_);
        state_.crc_flag = ISAL_GZIP;
        return {};
    }

    void stop(const char* why) {
        damage_ = std::string(why) + " near byte " + std::to_string(inner_->position() - state_.avail_in) +
                  " of the compressed file";
        done_ = true;
    }

    std::unique_ptr<ByteSource> inner_;
    std::unique_ptr<uint8_t[]> input_;
    inflate_state state_;
    bool at_end_ = false, done_ = false;
    std::string damage_;
};

}  // namespace

bool looks_like_gzip(std::string_view first_bytes) {
    return first_bytes.size() >= 3 && first_bytes.substr(0, 3) == "\x1f\x8b\x08";
}

std::unique_ptr<ByteSource> gunzip(std::unique_ptr<ByteSource> compressed) {
    return std::make_unique<GzipSource>(std::move(compressed));
}

}  // namespace opsight
