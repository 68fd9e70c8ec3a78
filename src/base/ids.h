// Typed 32-bit ids: an index into one table, which cannot be mixed up with an index into another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace opsight {

template <class Tag>
struct Id {
    static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
    uint32_t value = kNone;

    constexpr Id() = default;
    constexpr explicit Id(size_t index) : value(static_cast<uint32_t>(index)) {}
    constexpr bool valid() const { return value != kNone; }
    constexpr size_t index() const { return value; }
    friend constexpr auto operator<=>(Id, Id) = default;
    template <class H>
    friend H AbslHashValue(H state, Id id) {
        return H::combine(std::move(state), id.value);
    }
};

using StringId = Id<struct StringTag>;              // into StringPool
using RankId = Id<struct RankTag>;                  // into Profile::ranks
using DeviceId = Id<struct DeviceTag>;              // into Profile::devices
using TrackId = Id<struct TrackTag>;                // into Profile::tracks
using HostSpanId = Id<struct HostSpanTag>;          // row of Profile::host
using DeviceSpanId = Id<struct DeviceSpanTag>;      // row of Profile::device
using SignatureId = Id<struct SignatureTag>;        // into Profile::signatures
using LaunchConfigId = Id<struct LaunchConfigTag>;  // into Profile::launch_configs
using CollectiveId = Id<struct CollectiveTag>;      // into Profile::collectives
using TransferId = Id<struct TransferTag>;          // into Profile::transfers
using NvtxAttributesId = Id<struct NvtxTag>;        // into Profile::nvtx_attributes
using OpId = Id<struct OpTag>;                      // into Analysis::ops
using LayerId = Id<struct LayerTag>;                // into Analysis::layers

}  // namespace opsight
