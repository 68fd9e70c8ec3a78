// Readable names of C++ functions.
#pragma once

#include <string>
#include <string_view>

namespace opsight::importer {

// "_ZN2at4copyEi" -> "at::copy(int)". Gives back the name as it is where it is not a mangled one, is damaged,
// or stands for more than 64 KiB of text (a few bytes can stand for any amount).
std::string demangle(std::string_view mangled);

}  // namespace opsight::importer
