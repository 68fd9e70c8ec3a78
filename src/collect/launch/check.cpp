#include "collect/launch/check.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/cpu_counters.h"
#include "collect/cuda/cupti.h"
#include "collect/launch/counters.h"

namespace opsight::collect {
namespace {

namespace fs = std::filesystem;

// Empty where the library can be loaded and has the function; else what the loader says.
std::string why_not_loadable(const std::string& library, const char* function) {
    void* loaded = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!loaded) {
        const char* said = dlerror();
        return said ? said : "it cannot be loaded";
    }
    std::string problem;
    if (!dlsym(loaded, function)) problem = fmt::format("{} has no function {}", library, function);
    dlclose(loaded);
    return problem;
}

Ability nvtx(const Parts& parts) {
    if (parts.nvtx.empty())
        return {"nvtx", false, "libopsight_nvtx.so is missing from this Opsight: install it again"};
    const std::string problem = why_not_loadable(parts.nvtx, "InitializeInjectionNvtx2");
    if (!problem.empty()) return {"nvtx", false, problem};
    const char* other = std::getenv("NVTX_INJECTION64_PATH");
    std::string detail = "ranges, marks, counters and names of any program that calls NVTX version 3";
    if (other && *other) detail += fmt::format("; NVTX_INJECTION64_PATH={} is replaced for the run", other);
    return {"nvtx", true, detail};
}

// As python/opsight/builder.py looks for it. Empty: there is none.
std::string compiler() {
    const char* chosen = std::getenv("CXX");
    std::string_view first = chosen ? chosen : "";
    first = first.substr(0, first.find(' '));
    if (first.find('/') != first.npos && access(std::string(first).c_str(), X_OK) == 0)
        return std::string(first);
    for (const std::string_view name : {first, std::string_view("g++"), {"c++"}, {"clang++"}}) {
        std::string found = name.empty() ? "" : find_program(std::string(name));
        if (!found.empty()) return found;
    }
    return {};
}

// What becomes of a PyTorch that the observer of this Opsight was not built for.
std::string other_versions(const Parts& parts, const std::string& builder) {
    if (parts.sources.empty())
        return "through torch.profiler, as the sources of the observer are missing: install Opsight again";
    if (builder.empty())
        return "through torch.profiler, as there is no C++ compiler to build an observer for them (install "
               "g++, "
               "or name one with CXX)";
    return fmt::format("from 1.13 on, by an observer that {} builds in their first run", builder);
}

Ability pytorch(const Parts& parts) {
    if (parts.inject_folder.empty())
        return {"pytorch", false, "the Python part of Opsight is missing (python/opsight): install it again"};
    const std::string builder = parts.sources.empty() ? "" : compiler();
    const std::string others = other_versions(parts, builder);
    if (parts.observer.empty())
        return {"pytorch", !builder.empty(),
                "ops, modules, memory and iterations of any version of PyTorch " + others};
    std::ifstream file(fs::path(parts.observer).replace_filename("opsight_torch.version"));
    std::string version = "?";
    std::getline(file, version);
    return {
        "pytorch", true,
        fmt::format("ops, modules, memory and iterations of PyTorch {}; other versions {}", version, others)};
}

Ability counters() {
    const CounterAbility ability = check_counters(kAllCounters);
    return {"counters", ability.here != 0, "around ops, with --counters: " + ability.detail};
}

Ability nsys() {
    const std::string program = find_program("nsys");
    if (program.empty())
        return {"nsys", false, "Nsight Systems is not on PATH; with it there is --collector nsys"};
    return {"nsys", true, fmt::format("--collector nsys runs {}", program)};
}

// What stands in the way of anything that asks the driver; empty: nothing.
std::string driver_problem() {
    void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!driver) return "no NVIDIA driver (libcuda.so.1 is not found)";
    dlclose(driver);
    std::error_code ignored;
    if (!fs::exists("/dev/nvidiactl", ignored))
        return "an NVIDIA driver, but no device (/dev/nvidiactl is missing)";
    if (access("/dev/nvidiactl", R_OK | W_OK) != 0)
        return "no permission for /dev/nvidiactl: add this user to the group that owns it";
    return {};
}

// Empty where CUPTI works in a program like this one; else why not.
std::string cupti_problem(cuda::Cupti& cupti) {
    switch (cuda::open_cupti(cupti)) {
        case cuda::Opened::kNotFound:
            return "no CUPTI was found (libcupti.so.13 or .12): install the CUDA toolkit or the package "
                   "nvidia-cuda-cupti, or name the file with OPSIGHT_CUPTI. A program that brings its own, "
                   "as "
                   "PyTorch does, is recorded with that one";
        case cuda::Opened::kTooOld:
            return fmt::format("{} is older than CUDA 12; name a newer one with OPSIGHT_CUPTI", cupti.path);
        case cuda::Opened::kYes:
            break;
    }
    const cuda::Result result = cupti.cuptiActivityEnable(cuda::kConcurrentKernel);
    if (result == cuda::kSuccess) return {};
    if (result == cuda::kInsufficientPrivileges || result == cuda::kVirtualPrivileges)
        return fmt::format("{} may not trace the GPU: ask the administrator for the permission", cupti.path);
    return fmt::format("{} does not work with this driver (CUPTI error {})", cupti.path, result);
}

Ability cuda_activity(const Parts& parts) {
    if (parts.cuda.empty())
        return {"cuda", false, "libopsight_cuda.so is missing from this Opsight: install it again"};
    std::string problem = driver_problem();
    if (problem.empty()) problem = why_not_loadable(parts.cuda, "InitializeInjection");
    auto cupti = std::make_unique<cuda::Cupti>();
    if (problem.empty()) problem = cupti_problem(*cupti);
    if (!problem.empty()) return {"cuda", false, problem};
    std::string detail =
        fmt::format("calls, kernels and copies of any CUDA program; here with {}", cupti->path);
    if (const char* other = std::getenv("CUDA_INJECTION64_PATH"); other && *other)
        detail += fmt::format("; CUDA_INJECTION64_PATH={} is replaced for the run", other);
    return {"cuda", true, detail};
}

}  // namespace

std::string find_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "";
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(':'), rest.size());
        const std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
        std::error_code ignored;
        if (access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, ignored)) return candidate;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
}

std::vector<Ability> check_abilities(const Parts& parts) {
    return {nvtx(parts), pytorch(parts), counters(), cuda_activity(parts), nsys()};
}

}  // namespace opsight::collect
