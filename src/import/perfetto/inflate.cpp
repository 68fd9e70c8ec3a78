#include "import/perfetto/inflate.h"

#include <zlib.h>

#include <algorithm>

namespace opsight::importer::perfetto {

bool inflate_packets(std::string_view packed, size_t most, std::string& to) {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) return false;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    int state = Z_OK;
    size_t used = 0;
    while (state == Z_OK && used < most) {
        to.resize(std::min(most, std::max<size_t>(size_t{1} << 16, used * 2)));
        stream.next_out = reinterpret_cast<Bytef*>(to.data() + used);
        stream.avail_out = static_cast<uInt>(to.size() - used);
        state = inflate(&stream, Z_NO_FLUSH);
        used = to.size() - stream.avail_out;
        if (stream.avail_in == 0 && stream.avail_out > 0) break;
    }
    inflateEnd(&stream);
    to.resize(used);
    return state == Z_STREAM_END;
}

}  // namespace opsight::importer::perfetto
