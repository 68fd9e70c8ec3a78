#include "import/text/line_reader.h"

#include <fmt/format.h>

#include "import/text/first_bytes.h"

namespace opsight::importer {

Result<bool> LineReader::next(std::string& line) {
    const size_t begin = line.size();
    for (size_t searched = used_;;) {
        const size_t end = buffer_.find('\n', searched);
        if (end != buffer_.npos) {
            line.append(buffer_, used_, end - used_);
            used_ = end + 1;
            break;
        }
        if (line.size() + buffer_.size() - used_ > kLongest)
            return fail("a line is longer than 4 MiB", {}, fmt::format("line {}", number_ + 1),
                        "give the file as its program printed it");
        buffer_.erase(0, used_);
        used_ = 0;
        searched = buffer_.size();
        char chunk[size_t{1} << 16];
        OPSIGHT_ASSIGN(const size_t got, source_.read(chunk, sizeof chunk));
        bytes_ += got;
        if (got > 0) {
            buffer_.append(chunk, got);
            continue;
        }
        if (buffer_.empty()) return false;
        line += buffer_;
        buffer_.clear();
        cut_ = true;
        break;
    }
    ++number_;
    const std::string_view got = std::string_view(line).substr(begin);
    if (number_ == 1) line.erase(begin, got.size() - behind_mark(got).size());
    if (line.ends_with('\r')) line.pop_back();
    return true;
}

}  // namespace opsight::importer
