// Packets that were compressed together.
#pragma once

#include <string>
#include <string_view>

namespace opsight::importer::perfetto {

// False: they are damaged, or `most` bytes are not enough.
bool inflate_packets(std::string_view packed, size_t most, std::string& to);

}  // namespace opsight::importer::perfetto
