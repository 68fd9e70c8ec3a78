#include "import/perfetto/packets.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace opsight::importer::perfetto {
namespace {

constexpr std::pair<int, std::string_view> kNames[] = {{1, "ftrace_events"},
                                                       {4, "inode_file_map"},
                                                       {5, "chrome_events"},
                                                       {7, "sys_stats"},
                                                       {9, "process_stats"},
                                                       {37, "profile_packet"},
                                                       {38, "battery"},
                                                       {39, "android_log"},
                                                       {40, "power_rails"},
                                                       {43, "process_descriptor"},
                                                       {44, "thread_descriptor"},
                                                       {52, "gpu_counter_event"},
                                                       {53, "gpu_render_stage_event"},
                                                       {54, "streaming_profile_packet"},
                                                       {56, "heap_graph"},
                                                       {61, "module_symbols"},
                                                       {62, "vulkan_memory_event"},
                                                       {65, "vulkan_api_event"},
                                                       {66, "perf_sample"},
                                                       {67, "cpu_info"},
                                                       {71, "gpu_mem_total_event"},
                                                       {73, "memory_tracker_snapshot"},
                                                       {76, "frame_timeline_event"},
                                                       {95, "etw_events"},
                                                       {133, "zstd_compressed_packets"},
                                                       {135, "stack_sample"}};

// trace_config, ftrace_stats, trace_stats, synchronization_marker, system_info, trigger,
// perfetto_metatrace, chrome_metadata, service_event, extension_descriptor, ui_state, trace_uuid,
// remote_clock_sync, trace_provenance, trace_attributes.
constexpr int kOfService[] = {33, 34, 35, 36, 45, 46, 49, 51, 69, 72, 78, 89, 107, 124, 126};

}  // namespace

bool is_of_service(int field) {
    return std::find(std::begin(kOfService), std::end(kOfService), field) != std::end(kOfService);
}

std::string name_of_packet(int field) {
    for (const auto& [number, name] : kNames)
        if (number == field) return std::string(name);
    return "packet " + std::to_string(field);
}

}  // namespace opsight::importer::perfetto
