#include "import/perfetto/words.h"

#include <simdjson.h>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/json_writer.h"

namespace opsight::importer::perfetto {
namespace {

using simdjson::dom::object;

// Of rocprofv3 and rocprof-sys: source/lib/output/generatePerfetto.cpp of ROCm/rocprofiler-sdk; of rocprofv2:
// plugin/perfetto/perfetto.cpp of ROCm/rocprofiler.
constexpr std::pair<std::string_view, std::string_view> kCategories[] = {
    {"hip_api", "cuda_runtime"},       {"hsa_api", "cuda_driver"},
    {"marker_api", "user_annotation"}, {"kernel_dispatch", "kernel"},
    {"memory_copy", "gpu_memcpy"},     {"HIP_API", "cuda_runtime"},
    {"HSA_API", "cuda_driver"},        {"ROCTX_API", "user_annotation"},
    {kDispatches, "kernel"},           {kHipOps, "kernel"}};

std::optional<int64_t> number(const object& from, std::string_view key) {
    int64_t value = 0;
    if (from[key].get(value) == simdjson::SUCCESS) return value;
    std::string_view text;  // "Agent 2", "GPU 0"
    if (from[key].get(text) != simdjson::SUCCESS) return std::nullopt;
    const size_t digits = text.find_last_not_of("0123456789") + 1;
    const auto [end, error] = std::from_chars(text.data() + digits, text.data() + text.size(), value);
    return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<int64_t> either(const object& from, std::string_view key, std::string_view other) {
    const std::optional<int64_t> value = number(from, key);
    return value ? value : number(from, other);
}

void put(JsonWriter& to, std::string_view key, std::optional<int64_t> value) {
    if (value) to.field(key, *value);
}

void put_work(JsonWriter& to, const object& from, bool is_kernel) {
    const bool copies_out = number(from, "dst_agent").value_or(-1) == 0;
    const auto copied = number(from, copies_out ? "src_agent" : "dst_agent");
    put(to, "device", is_kernel ? either(from, "agent", "Agent ID") : copied);
    const auto stream = number(from, "stream_ID");
    put(to, "stream", stream ? stream : either(from, is_kernel ? "queue" : "stream", "Queue ID"));
    put(to, "bytes", number(from, "copy_bytes"));
    put(to, "shared memory", either(from, "group_segment_size", "LDS"));
    // Only the products are told.
    const int64_t block = either(from, "workgroup_size", "WGR").value_or(0),
                  grid = either(from, "grid_size", "GRD").value_or(-1);
    if (block <= 0 || grid < 0) return;
    to.field("block", std::array<int64_t, 3>{block, 1, 1});
    to.field("grid", std::array<int64_t, 3>{grid / block + (grid % block != 0), 1, 1});
}

}  // namespace

std::string_view category_of(std::string_view told) {
    for (const auto& [theirs, ours] : kCategories)
        if (told == theirs) return ours;
    return told;
}

std::string more_arguments(std::string_view arguments, std::string_view category) {
    simdjson::dom::parser parser;
    object from;
    if (parser.parse(arguments.data(), arguments.size()).get(from) != simdjson::SUCCESS) return "{}";
    JsonWriter more;
    more.object([&] {
        put(more, "correlation", number(from, "corr_id"));
        if (is_device_work(category)) put_work(more, from, category == "kernel");
    });
    return more.take();
}

bool is_device_work(std::string_view category) {
    return category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset";
}

bool is_call(std::string_view category) {
    return category == "cuda_runtime" || category == "cuda_driver" || category == "cpu_op";
}

}  // namespace opsight::importer::perfetto
