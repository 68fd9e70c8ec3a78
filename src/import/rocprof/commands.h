// The names that HIP and HSA give to what they ask of devices.
#pragma once

#include <string_view>

#include "model/entities.h"
#include "model/profile.h"

namespace opsight::importer::rocprof {

// Of "KernelExecution", "CopyHostToDevice", "FillBuffer", "Marker"; `by_hsa`: of "DISPATCH", "COPY",
// "BARRIER".
DeviceKind kind_of_command(std::string_view command, bool by_hsa);
CopyKind copy_of_command(std::string_view command);

// Adds a property of the run once.
void say_once(ProfileInfo& info, std::string_view key, std::string_view what);

}  // namespace opsight::importer::rocprof
