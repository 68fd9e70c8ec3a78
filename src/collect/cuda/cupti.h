// CUPTI as a table of functions, opened while the program runs: nothing of CUDA is linked.
#pragma once

#include "collect/cuda/abi.h"

namespace opsight::cuda {

struct Cupti {
#define OPSIGHT_FUNCTION(name, arguments) Result(*name) arguments = nullptr;
    OPSIGHT_CUPTI_CALLS(OPSIGHT_FUNCTION)
    OPSIGHT_CUPTI_OPTIONAL_CALLS(OPSIGHT_FUNCTION)
#undef OPSIGHT_FUNCTION
    uint32_t version = 0;   // 130001: CUDA 13.0, as CUPTI counts it; 18 to 24 were CUDA 12's
    char path[1024] = "";   // of the library
    char missing[64] = "";  // the function that it lacks
};

enum class Opened { kYes, kNotFound, kTooOld };

// Looks in this order: OPSIGHT_CUPTI (a file, and then nothing else), what the program has loaded, the CUDA
// that it has loaded or that CUDA_HOME names, /usr/local/cuda, the loader's path.
Opened open_cupti(Cupti& cupti);

}  // namespace opsight::cuda
