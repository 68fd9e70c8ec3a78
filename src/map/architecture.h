// What computes: units in a mesh, and levels of storage around them, each shared by more of them than the
// last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace opsight::map {

struct Mesh {
    int64_t x = 1, y = 1;
    int64_t instances() const { return x * y; }
};

struct Level {
    std::string name;
    bool dram = false;
    bool dummy = false;               // holds nothing: a place for spatial loops alone
    std::optional<int64_t> capacity;  // words of one instance; nothing: as large as needed
    int64_t word_bits = 16;
    int64_t block = 1;    // words of one access
    int64_t cluster = 1;  // instances that share an access
    Mesh mesh;
    // Words per cycle of one instance; nothing: without limit.
    std::optional<double> read_bandwidth, write_bandwidth, shared_bandwidth;
    double buffers = 1;          // 2: double buffering, so that half of the capacity holds a tile
    double min_utilization = 0;  // of the capacity
    // Of one access to a block, and of one cycle of an instance in use.
    double read_pj = 0, write_pj = 0, update_pj = 0, leak_pj = 0;
    double area_um2 = 0;        // of one instance
    std::string energy_source;  // where these figures come from
};

struct ComputeUnit {
    std::string name;
    int64_t word_bits = 16;
    Mesh mesh;
    double compute_pj = 0, area_um2 = 0;
    std::string energy_source;
};

struct Architecture {
    std::string name;
    ComputeUnit compute;
    std::vector<Level> levels;  // from the compute units outwards
    // Attributes of its files that change no number: "'bandwidth' (arch.yaml, line 12)".
    std::vector<std::string> unread;

    int level(const std::string& wanted) const;  // its place; -1: there is none
    // How many instances of what is below one instance of a level has, along each axis.
    Mesh fanout(size_t level) const;
};

// Refuses meshes that do not divide, sizes below 1 and names given twice.
Status check(const Architecture& architecture);

// Words that the tiles of one instance may take together; nothing: as many as they like.
std::optional<int64_t> room(const Level& level);

}  // namespace opsight::map
