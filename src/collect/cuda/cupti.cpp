#include "collect/cuda/cupti.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace opsight::cuda {
namespace {

// What the program has loaded of CUDA.
struct Loaded {
    char runtime[PATH_MAX] = "";  // folder of libcudart
    char torch[PATH_MAX] = "";    // folder of libtorch_cuda
    int runtime_major = 0;        // by the name of libcudart
    int driver = 0;               // 580 of libcuda.so.580.65.06
};

void folder_of(const char* file, char* folder, size_t room) {
    const char* slash = std::strrchr(file, '/');
    std::snprintf(folder, room, "%.*s", slash ? static_cast<int>(slash - file) : 0, file);
}

int number_after(const char* text, const char* mark) {
    const char* found = std::strstr(text, mark);
    return found ? std::atoi(found + std::strlen(mark)) : 0;
}

int note(dl_phdr_info* info, size_t, void* to) {
    Loaded& loaded = *static_cast<Loaded*>(to);
    const char* path = info->dlpi_name ? info->dlpi_name : "";
    if (std::strstr(path, "/libcudart.so")) {
        folder_of(path, loaded.runtime, sizeof loaded.runtime);
        loaded.runtime_major = number_after(path, "/libcudart.so.");
    } else if (std::strstr(path, "/libtorch_cuda.so")) {
        folder_of(path, loaded.torch, sizeof loaded.torch);
    } else if (std::strstr(path, "/libcuda.so")) {
        char real[PATH_MAX];
        loaded.driver = number_after(realpath(path, real) ? real : path, "/libcuda.so.");
    }
    return 0;
}

// Opens libcupti.so.MAJOR in a folder.
void* open_in(const char* folder, const char* below, int major) {
    char path[PATH_MAX];
    const int length = std::snprintf(path, sizeof path, "%s%s/libcupti.so.%d", folder, below, major);
    if (length >= static_cast<int>(sizeof path) || access(path, R_OK) != 0) return nullptr;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void* open_major(const Loaded& loaded, int major) {
    char name[32];
    std::snprintf(name, sizeof name, "libcupti.so.%d", major);
    if (void* found = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return found;
    if (*loaded.runtime)
        for (const char* below : {"", "/../../cuda_cupti/lib", "/../extras/CUPTI/lib64"})
            if (void* found = open_in(loaded.runtime, below, major)) return found;
    if (*loaded.torch)
        for (const char* below : {"/../../nvidia/cuda_cupti/lib", "/../../nvidia/cu13/lib", ""})
            if (void* found = open_in(loaded.torch, below, major)) return found;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* home = std::getenv(variable); home && *home)
            for (const char* below : {"/lib64", "/lib", "/extras/CUPTI/lib64"})
                if (void* found = open_in(home, below, major)) return found;
    for (const char* folder : {"/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64"})
        if (void* found = open_in(folder, "", major)) return found;
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

void* open_library() {
    if (const char* path = std::getenv("OPSIGHT_CUPTI"); path && *path)
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    Loaded loaded;
    dl_iterate_phdr(&note, &loaded);
    // A CUPTI newer than the driver does not work: the driver of CUDA 13 has number 580.
    constexpr int kDriver13 = 580;
    const bool try13 = loaded.driver == 0 || loaded.driver >= kDriver13;
    const int first = loaded.runtime_major == 12 || !try13 ? 12 : 13;
    if (void* found = open_major(loaded, first)) return found;
    if (first == 13 || try13)
        if (void* found = open_major(loaded, 25 - first)) return found;
    return dlopen("libcupti.so", RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

Opened open_cupti(Cupti& cupti) {
    void* library = open_library();
    if (!library) return Opened::kNotFound;
    link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name)
        std::snprintf(cupti.path, sizeof cupti.path, "%s", map->l_name);
#define OPSIGHT_FIND(name, arguments) \
    cupti.name = reinterpret_cast<Result(*) arguments>(dlsym(library, #name));
#define OPSIGHT_REQUIRE(name, arguments) \
    OPSIGHT_FIND(name, arguments)        \
    if (!cupti.name && !*cupti.missing) std::snprintf(cupti.missing, sizeof cupti.missing, "%s", #name);
    OPSIGHT_CUPTI_CALLS(OPSIGHT_REQUIRE)
    OPSIGHT_CUPTI_OPTIONAL_CALLS(OPSIGHT_FIND)
#undef OPSIGHT_REQUIRE
#undef OPSIGHT_FIND
    if (*cupti.missing) return Opened::kTooOld;
    cupti.cuptiGetVersion(&cupti.version);
    constexpr uint32_t kOldest = 18;  // CUDA 12.0
    return cupti.version < kOldest ? Opened::kTooOld : Opened::kYes;
}

}  // namespace opsight::cuda
