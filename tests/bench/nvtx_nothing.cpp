// The least that an NVTX tool can do: functions that return at once. What remains is the cost of any tool.
#include "collect/nvtx/abi.h"

namespace {

using namespace opsight::nvtx;

template <class Call>
void fill(Function** slots, unsigned id, Call* call) {
    *slots[id] = reinterpret_cast<Function>(call);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(GetTable get_table) {
    const auto* callbacks = static_cast<const CallbackTable*>(get_table(kCallbackTable));
    Slots slots = nullptr;
    unsigned count = 0;
    if (!callbacks->module(kCore, &slots, &count)) return 0;
    fill(
        slots, kRangePushA, +[](const char*) { return 0; });
    fill(
        slots, kRangePop, +[]() { return 0; });
    fill(
        slots, kRangeStartA, +[](const char*) { return uint64_t{1}; });
    fill(
        slots, kRangeEnd, +[](uint64_t) {});
    if (!callbacks->module(kCore2, &slots, &count)) return 0;
    fill(
        slots, kDomainRangePushEx, +[](const void*, const Attributes*) { return 0; });
    fill(
        slots, kDomainRangePop, +[](const void*) { return 0; });
    return 1;
}
