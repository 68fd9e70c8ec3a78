#include "base/gzip_text.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace opsight {

std::string gzipped(std::string_view text) {
    constexpr int kGzip = 15 + 16, kMemory = 8;
    constexpr size_t kPiece = size_t{1} << 18, kMost = std::numeric_limits<uInt>::max();
    z_stream stream{};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::string out, piece(kPiece, '\0');
    int state = Z_OK;
    do {
        const size_t take = std::min(text.size(), kMost);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
        stream.avail_in = static_cast<uInt>(take);
        text.remove_prefix(take);
        do {
            stream.next_out = reinterpret_cast<Bytef*>(piece.data());
            stream.avail_out = static_cast<uInt>(piece.size());
            state = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
            out.append(piece, 0, piece.size() - stream.avail_out);
        } while (stream.avail_out == 0);
    } while (state != Z_STREAM_END);
    deflateEnd(&stream);
    return out;
}

}  // namespace opsight
