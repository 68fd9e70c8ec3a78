// What connects devices of one machine with each other, and networks, as data.
#pragma once

#include <span>
#include <string_view>

namespace opsight::hardware {

struct Link {
    std::string_view device;  // key of the device table
    std::string_view name;    // "NVLink 3"
    double bytes_per_s = 0;   // one direction, all links of a device together
    std::string_view source;
};

// Null: not in the table.
const Link* link_of(std::string_view device);
std::span<const Link> links();

}  // namespace opsight::hardware
