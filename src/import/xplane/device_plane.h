// Planes of devices. Of the lines of a GPU those of its streams are its work, of a TPU "XLA Ops"; the others
// (modules, name scopes, framework ops, source lines) show the same work again, and become ranges above it.
#pragma once

#include <string_view>

#include "import/xplane/sink.h"

namespace opsight::importer::xplane {

enum class DeviceType : uint8_t { kNone, kGpu, kTpu };

struct DevicePlane {
    DeviceType type = DeviceType::kNone;
    int64_t number = 0;
    std::string_view part;  // of a TPU's further cores: "SparseCore 0"
};
// By the plane's name: "/device:GPU:0", "/device:TPU:3 SparseCore 0". kNone for planes of no device.
DevicePlane device_of_name(std::string_view name);

void read_device_plane(const Plane& plane, const DevicePlane& device, Sink& sink);

}  // namespace opsight::importer::xplane
