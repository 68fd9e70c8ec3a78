#include "hardware/links.h"

#include <algorithm>
#include <array>

namespace opsight::hardware {
namespace {

constexpr double kGb = 1e9;
constexpr std::string_view
    kVolta = "NVIDIA Tesla V100 datasheet: NVLink 300 GB/s both directions, PCIe 32 GB/s",
    kAmpere = "NVIDIA A100 datasheet: NVLink 600 GB/s, PCIe Gen4 64 GB/s, both directions",
    kHopper = "NVIDIA H100 and H200 datasheets: NVLink 900 GB/s, PCIe Gen5 128 GB/s, both",
    kBlackwell = "NVIDIA Blackwell architecture brief: NVLink 5 1.8 TB/s both directions",
    kCdna2 = "AMD Instinct MI200 datasheets: Infinity Fabric links of 50 GB/s each direction",
    kCdna3 = "AMD Instinct MI300X data sheet: 7 Infinity Fabric links of 128 GB/s both directions",
    kPcie = "datasheet of the card: bus interface";

// Devices whose card alone says how it is connected: bridges that join two of them are not known from a
// trace.
constexpr std::array kLinks = {
    Link{"p100-sxm2", "NVLink 1", 80 * kGb, "NVIDIA Tesla P100 datasheet: NVLink 160 GB/s both directions"},
    Link{"v100-sxm2", "NVLink 2", 150 * kGb, kVolta},
    Link{"v100-dgxs", "NVLink 2", 150 * kGb, kVolta},
    Link{"v100-pcie", "PCIe 3.0 x16", 16 * kGb, kVolta},
    Link{"t4", "PCIe 3.0 x16", 16 * kGb, kPcie},
    Link{"a100-40", "NVLink 3", 300 * kGb, kAmpere},
    Link{"a100-80", "NVLink 3", 300 * kGb, kAmpere},
    Link{"a100-40-pcie", "PCIe 4.0 x16", 32 * kGb, kAmpere},
    Link{"a100-80-pcie", "PCIe 4.0 x16", 32 * kGb, kAmpere},
    Link{"a10", "PCIe 4.0 x16", 32 * kGb, kPcie},
    Link{"a10g", "PCIe 4.0 x16", 32 * kGb, kPcie},
    Link{"l4", "PCIe 4.0 x16", 32 * kGb, kPcie},
    Link{"l40", "PCIe 4.0 x16", 32 * kGb, kPcie},
    Link{"l40s", "PCIe 4.0 x16", 32 * kGb, kPcie},
    Link{"h100-sxm", "NVLink 4", 450 * kGb, kHopper},
    Link{"h100-pcie", "PCIe 5.0 x16", 64 * kGb, kHopper},
    Link{"h200", "NVLink 4", 450 * kGb, kHopper},
    Link{"h800", "NVLink 4", 200 * kGb, "NVIDIA H800: NVLink 400 GB/s both directions, as quoted"},
    Link{"h20", "NVLink 4", 450 * kGb, "NVIDIA H20: NVLink 900 GB/s both directions, as quoted"},
    Link{"h20-141", "NVLink 4", 450 * kGb, "NVIDIA H20: NVLink 900 GB/s both directions, as quoted"},
    Link{"gh200", "NVLink 4", 450 * kGb, kHopper},
    Link{"gh200-144", "NVLink 4", 450 * kGb, kHopper},
    Link{"b200", "NVLink 5", 900 * kGb, kBlackwell},
    Link{"gb200", "NVLink 5", 900 * kGb, kBlackwell},
    Link{"b300", "NVLink 5", 900 * kGb, kBlackwell},
    Link{"gb300", "NVLink 5", 900 * kGb, kBlackwell},
    Link{"mi210", "PCIe 4.0 x16", 32 * kGb, kCdna2},
    Link{"mi300x", "Infinity Fabric (xGMI)", 448 * kGb, kCdna3},
    Link{"mi308x", "Infinity Fabric (xGMI)", 448 * kGb, kCdna3},
    Link{"mi325x", "Infinity Fabric (xGMI)", 448 * kGb, kCdna3},
    Link{"rtx-4090", "PCIe 4.0 x16", 32 * kGb, kPcie},
    Link{"rtx-5090", "PCIe 5.0 x16", 64 * kGb, kPcie},
};

}  // namespace

std::span<const Link> links() {
    return kLinks;
}

const Link* link_of(std::string_view device) {
    const auto* found = std::find_if(kLinks.begin(), kLinks.end(),
                                     [device](const Link& link) { return link.device == device; });
    return found == kLinks.end() ? nullptr : found;
}

}  // namespace opsight::hardware
