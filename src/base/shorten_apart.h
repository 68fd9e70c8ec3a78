// Texts that are too long, shortened so that those that differ look different.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace opsight {

// `shorten`: one text by itself. `around`: one text so that the byte at this place of it stays in sight,
// which is where it first differs from texts that would look the same. What both leave alike stays so. Cost:
// linear in the texts, eight times at most.
std::vector<std::string> shorten_apart(
    const std::vector<std::string>& texts, const std::function<std::string(const std::string&)>& shorten,
    const std::function<std::string(const std::string&, size_t place)>& around);

}  // namespace opsight
