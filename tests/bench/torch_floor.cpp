// The least that any recording of PyTorch's ops can cost: PyTorch's own callback, which does nothing, as
// bench_profile.py loads it. Layout as libtorch's, see src/collect/CMakeLists.txt (NDEBUG).
#include <ATen/record_function.h>

namespace {

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction&) {
    return nullptr;
}

void end(const at::RecordFunction&, at::ObserverContext*) {}

const at::CallbackHandle installed =
    at::addGlobalCallback(at::RecordFunctionCallback(&begin, &end)
                              .needsInputs(true)
                              .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                                       at::RecordScope::TORCHSCRIPT_FUNCTION, at::RecordScope::USER_SCOPE}));

}  // namespace
