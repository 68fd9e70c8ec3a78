// Loads the collector's library as the driver would, and finds the fake CUPTI that it opened.
#pragma once

#include <dlfcn.h>

#include <cstdlib>

#include "collect/cuda/abi.h"
#include "fake_cupti.h"

namespace fake {

using namespace opsight::cuda;

inline decltype(&fake_put) put;
inline decltype(&fake_callback) call_back;
inline decltype(&fake_now) now;
inline decltype(&fake_drop) drop;
inline decltype(&fake_break) put_nonsense;
inline decltype(&fake_event_times) event_times;

// As cuInit does. Without a fake CUPTI the program goes on like any other.
inline bool start_cuda() {
    if (const char* path = std::getenv("CUDA_INJECTION64_PATH"); path && *path) {
        void* tool = dlopen(path, RTLD_NOW);
        auto* begin = tool ? reinterpret_cast<int (*)()>(dlsym(tool, "InitializeInjection")) : nullptr;
        if (begin) begin();
    }
    const char* fake = std::getenv("OPSIGHT_CUPTI");
    void* library = fake ? dlopen(fake, RTLD_NOW) : nullptr;
    if (!library || !dlsym(library, "fake_put")) return false;
    put = reinterpret_cast<decltype(put)>(dlsym(library, "fake_put"));
    call_back = reinterpret_cast<decltype(call_back)>(dlsym(library, "fake_callback"));
    now = reinterpret_cast<decltype(now)>(dlsym(library, "fake_now"));
    drop = reinterpret_cast<decltype(drop)>(dlsym(library, "fake_drop"));
    event_times = reinterpret_cast<decltype(event_times)>(dlsym(library, "fake_event_times"));
    put_nonsense = reinterpret_cast<decltype(put_nonsense)>(dlsym(library, "fake_break"));
    ResourceData data{};
    call_back(kResource, kInitFinished, &data);
    data.context = reinterpret_cast<Handle>(1);
    call_back(kResource, kContextCreated, &data);
    return true;
}

}  // namespace fake
