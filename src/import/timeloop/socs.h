// A machine of several engines that share the layers of a network: SoCs that come with the program
// (socs/*.yaml), and files like them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/timeloop/architectures.h"

namespace opsight::importer::timeloop {

struct SocEngine {
    std::string name;
    std::string arch;  // of architectures.h; empty: it is in `file`
    std::string file;
    double clock_hz = 0;
};

struct SocLink {
    double bytes_per_s = 0, latency_s = 0, pj_per_byte = 0;
};

struct Soc {
    std::string name;
    std::vector<SocEngine> engines;
    size_t host = 0;             // the engine that has the network's inputs and needs its outputs
    std::vector<SocLink> links;  // [from * engines + to]; of those to itself nothing counts

    const SocLink& link(size_t from, size_t to) const { return links[from * engines.size() + to]; }
};

std::span<const ShippedArchitecture> shipped_socs();
// Of that name where one is shipped, else the file (*.yaml, *.yml).
Result<Soc> read_soc(const std::string& name_or_file);
Result<Soc> read_soc_text(const std::string& text, const std::string& name);

}  // namespace opsight::importer::timeloop
