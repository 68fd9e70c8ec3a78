#include "import/rocprof/commands.h"

#include <algorithm>

#include "import/rocprof/chrome_rows.h"

namespace opsight::importer::rocprof {

DeviceKind kind_of_command(std::string_view command, bool by_hsa) {
    if (by_hsa && command == "DISPATCH") return DeviceKind::kKernel;
    if (by_hsa) return command == "BARRIER" ? DeviceKind::kSync : DeviceKind::kMemcpy;
    if (command.ends_with("Marker")) return DeviceKind::kSync;
    switch (work_of_name(command)) {
        case QueueWork::kKernel:
            return DeviceKind::kKernel;
        case QueueWork::kCopy:
            return DeviceKind::kMemcpy;
        case QueueWork::kFill:
            return DeviceKind::kMemset;
        case QueueWork::kWait:
            return DeviceKind::kSync;
    }
    return DeviceKind::kOther;
}

CopyKind copy_of_command(std::string_view command) {
    const auto has = [command](std::string_view word) { return command.find(word) != command.npos; };
    if (has("HostToDevice")) return CopyKind::kHostToDevice;
    if (has("DeviceToHost")) return CopyKind::kDeviceToHost;
    return has("DeviceToDevice") ? CopyKind::kDeviceToDevice : CopyKind::kUnknown;
}

void say_once(ProfileInfo& info, std::string_view key, std::string_view what) {
    const auto is_said = [key](const auto& property) { return property.first == key; };
    if (std::none_of(info.properties.begin(), info.properties.end(), is_said))
        info.properties.emplace_back(key, what);
}

}  // namespace opsight::importer::rocprof
