#include "base/tar_reader.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace opsight {
namespace {

constexpr size_t kBlock = 512;
constexpr uint64_t kMaxText = size_t{1} << 20;  // of a long name or a pax header
using Header = std::array<char, kBlock>;

std::string_view field(const Header& h, size_t at, size_t size) {
    const std::string_view all(h.data() + at, size);
    return all.substr(0, std::min(all.find('\0'), all.size()));
}

// Octal text, or base 256 where the first bit is set (GNU, for sizes over 8 GB).
std::optional<uint64_t> number(const Header& h, size_t at, size_t size) {
    uint64_t value = 0;
    if (h[at] & '\x80') {
        for (size_t i = at + size - 8; i < at + size; ++i)
            value = value << 8 | static_cast<uint8_t>(h[i]);
        return value;
    }
    for (const char c : field(h, at, size)) {
        if (c == ' ') continue;
        if (c < '0' || c > '7') return std::nullopt;
        value = value * 8 + static_cast<uint64_t>(c - '0');
    }
    return value;
}

bool checksum_holds(const Header& h) {
    uint64_t sum = 0;
    for (size_t i = 0; i < kBlock; ++i)
        sum += i >= 148 && i < 156 ? ' ' : static_cast<uint8_t>(h[i]);
    return number(h, 148, 8) == sum;
}

bool is_zero(const Header& h) {
    return std::all_of(h.begin(), h.end(), [](char c) { return c == 0; });
}

std::string name_of(const Header& h) {
    const std::string_view name = field(h, 0, 100), prefix = field(h, 345, 155);
    const bool ustar = field(h, 257, 5) == "ustar" && h[262] == 0;
    return ustar && !prefix.empty() ? std::string(prefix) + "/" + std::string(name) : std::string(name);
}

// The value of `key` in a pax header: records of "LENGTH KEY=VALUE\n".
std::optional<std::string> pax_value(std::string_view text, std::string_view key) {
    std::optional<std::string> found;
    while (!text.empty()) {
        size_t length = 0, i = 0;
        for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && length < kMaxText; ++i)
            length = length * 10 + static_cast<size_t>(text[i] - '0');
        if (i == text.size() || text[i] != ' ' || length <= i + 1 || length > text.size()) break;
        const std::string_view record = text.substr(i + 1, length - i - 2);
        if (record.substr(0, record.find('=')) == key && record.size() > key.size())
            found = std::string(record.substr(key.size() + 1));
        text.remove_prefix(length);
    }
    return found;
}

}  // namespace

class TarMemberSource final : public ByteSource {
  public:
    explicit TarMemberSource(TarReader& tar) : tar_(tar) {}
    Result<size_t> read(char* to, size_t size) override {
        const size_t wanted = static_cast<size_t>(std::min<uint64_t>(size, tar_.left_));
        if (wanted == 0) return size_t{0};
        OPSIGHT_ASSIGN(const size_t got, tar_.archive_->read(to, wanted));
        if (got == 0) {
            tar_.damage_ = "the tar archive breaks off inside a member";
            tar_.left_ = tar_.padding_ = 0;
        }
        tar_.left_ -= got;
        return got;
    }
    uint64_t position() const override { return tar_.archive_->position(); }
    std::string damage() const override { return tar_.damage(); }

  private:
    TarReader& tar_;
};

bool looks_like_tar(std::string_view first) {
    if (first.size() < kBlock) return false;
    Header h;
    std::memcpy(h.data(), first.data(), kBlock);
    return !is_zero(h) && checksum_holds(h) && number(h, 124, 12).has_value();
}

std::unique_ptr<ByteSource> TarReader::open_member() {
    return std::make_unique<TarMemberSource>(*this);
}

Result<std::optional<TarReader::Member>> TarReader::next() {
    std::string long_name;
    std::string long_size;
    for (;;) {
        OPSIGHT_TRY(skip(left_ + padding_));
        left_ = padding_ = 0;
        Header h;
        OPSIGHT_ASSIGN(const size_t got, read_fully(*archive_, h.data(), kBlock));
        if (got == 0 || (got == kBlock && is_zero(h))) return std::nullopt;
        const std::optional<uint64_t> size = number(h, 124, 12);
        if (got < kBlock || !checksum_holds(h) || !size) {
            damage_ = "the tar archive is damaged or breaks off";
            return std::nullopt;
        }
        left_ = long_size.empty() ? *size : std::strtoull(long_size.c_str(), nullptr, 10);
        padding_ = (kBlock - left_ % kBlock) % kBlock;
        const char type = h[156];
        if (type == 'L' || type == 'x') {
            OPSIGHT_ASSIGN(const std::string text, read_text(left_));
            if (type == 'L') long_name = text.substr(0, text.find('\0'));
            if (type == 'x') {
                if (auto path = pax_value(text, "path")) long_name = *path;
                if (auto value = pax_value(text, "size")) long_size = *value;
            }
            continue;
        }
        if (type == '0' || type == '\0' || type == '7')
            return Member{long_name.empty() ? name_of(h) : long_name, left_};
        long_name.clear();
        long_size.clear();
    }
}

Result<bool> TarReader::goes_on() {
    char scratch[1 << 14];
    while (damage_.empty()) {
        OPSIGHT_ASSIGN(const size_t got, archive_->read(scratch, sizeof scratch));
        if (got == 0) break;
        if (std::any_of(scratch, scratch + got, [](char c) { return c != 0; })) return true;
    }
    return false;
}

Status TarReader::skip(uint64_t bytes) {
    char scratch[1 << 14];
    while (bytes > 0) {
        OPSIGHT_ASSIGN(
            const size_t got,
            archive_->read(scratch, static_cast<size_t>(std::min<uint64_t>(bytes, sizeof scratch))));
        if (got == 0) break;
        bytes -= got;
    }
    return {};
}

Result<std::string> TarReader::read_text(uint64_t bytes) {
    std::string text(static_cast<size_t>(std::min(bytes, kMaxText)), '\0');
    OPSIGHT_ASSIGN(const size_t got, read_fully(*archive_, text.data(), text.size()));
    left_ = bytes - got;
    text.resize(got);
    return text;
}

}  // namespace opsight
