// Where CUDA comes in: the driver loads the library that CUDA_INJECTION64_PATH names while it starts, and
// calls this function.
#include "collect/cuda/session.h"

#define OPSIGHT_EXPORT extern "C" __attribute__((visibility("default")))

// The driver goes on whatever we answer; 1 says that all is well.
OPSIGHT_EXPORT int InitializeInjection() {
    opsight::cuda::Session::start();
    return 1;
}

// Called by the PyTorch observer of this process when its window of iterations opens and closes.
OPSIGHT_EXPORT void opsight_cuda_window(int open) {
    if (auto* session = opsight::cuda::Session::current()) session->framework_window(open != 0);
}
