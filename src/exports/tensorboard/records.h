// The framing of TensorFlow's record files: length and bytes, each with its masked CRC-32C.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opsight::exports {

uint32_t masked_crc32c(std::string_view bytes);
// Appends one record.
void put_record(std::string& out, std::string_view bytes);

}  // namespace opsight::exports
