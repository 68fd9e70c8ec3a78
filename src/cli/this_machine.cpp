#include "cli/this_machine.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

namespace opsight::cli {

namespace {

// The instructions that decide what a processor can do, as the recording of PyTorch keeps them.
std::string that_count(const std::string& features) {
    constexpr std::string_view kCount[] = {"fma",         "avx512f",  "avx512_fp16", "avx512_bf16",
                                           "avx512_vnni", "avx_vnni", "amx_bf16",    "amx_int8"};
    std::istringstream words(features);
    std::string out;
    for (std::string word; words >> word;)
        if (std::find(std::begin(kCount), std::end(kCount), word) != std::end(kCount))
            out += (out.empty() ? "" : " ") + word;
    return out;
}

}  // namespace

hardware::CpuFacts this_processor() {
    std::ifstream file("/proc/cpuinfo");
    std::stringstream text;
    text << file.rdbuf();
    return hardware::read_cpuinfo(text.str());
}

void add_this_processor(ProfileInfo& info) {
    const auto known = [&info](std::string_view key) {
        return std::any_of(info.properties.begin(), info.properties.end(),
                           [key](const auto& property) { return property.first == key; });
    };
    if (known("cpu_model")) return;
    const hardware::CpuFacts facts = this_processor();
    const auto add = [&info, &known](const char* key, std::string value) {
        if (!value.empty() && value != "0" && !known(key))
            info.properties.emplace_back(key, std::move(value));
    };
    add("cpu_model", facts.name);
    add("cpu_vendor", facts.vendor);
    add("cpu_family", std::to_string(facts.family));
    add("cpu_model_number", std::to_string(facts.model));
    add("cpu_features", that_count(facts.features));
    add("cpu_cores", std::to_string(facts.cores));
    add("cpu_packages", std::to_string(facts.packages));
    add("cpu_clock_hz", std::to_string(static_cast<int64_t>(facts.clock_hz)));
    add("cpu_cache_bytes", std::to_string(static_cast<int64_t>(facts.cache_bytes)));
    add("cpu_count", std::to_string(std::thread::hardware_concurrency()));
}

}  // namespace opsight::cli
