// Which API calls are recorded. Tracing a call costs about as much as the cheapest calls themselves, so those
// that programs make all the time and that do nothing on the device are left out.
#include <algorithm>
#include <array>

#include "collect/cuda/stream.h"

namespace opsight::cuda {
namespace {

// Of the runtime all calls but these.
constexpr std::array<std::string_view, 27> kLeftOut = {"cudaGetLastError",
                                                       "cudaPeekAtLastError",
                                                       "cudaGetError",
                                                       "cudaGetDevice",
                                                       "cudaSetDevice",
                                                       "cudaChooseDevice",
                                                       "cudaDeviceGet",
                                                       "cudaDeviceCanAccessPeer",
                                                       "cudaDriverGetVersion",
                                                       "cudaRuntimeGetVersion",
                                                       "cudaGetDriverEntryPoint",
                                                       "cudaGetExportTable",
                                                       "cudaGetSymbol",
                                                       "cudaGetFuncBySymbol",
                                                       "cudaPointerGetAttributes",
                                                       "cudaFuncGet",
                                                       "cudaFuncSet",
                                                       "cudaOccupancy",
                                                       "cudaStreamIsCapturing",
                                                       "cudaStreamGet",
                                                       "cudaThreadExchangeStreamCaptureMode",
                                                       "cudaEventQuery",
                                                       "cudaStreamQuery",
                                                       "cudaEventElapsedTime",
                                                       "cudaEventCreate",
                                                       "cudaEventDestroy",
                                                       "cudaMemPoolGet"};

// Of the driver these only. Its calls from within the runtime are the runtime's business.
constexpr std::array<std::string_view, 36> kKept = {"cuInit",
                                                    "cuLaunch",
                                                    "cuMemcpy",
                                                    "cuMemset",
                                                    "cuMemAlloc",
                                                    "cuMemFree",
                                                    "cuMemHost",
                                                    "cuMemCreate",
                                                    "cuMemRelease",
                                                    "cuMemMap",
                                                    "cuMemUnmap",
                                                    "cuMemSetAccess",
                                                    "cuMemPrefetch",
                                                    "cuMemPoolCreate",
                                                    "cuMemPoolDestroy",
                                                    "cuMemPoolTrim",
                                                    "cuMemAddress",
                                                    "cuMemBatch",
                                                    "cuMemDiscard",
                                                    "cuStreamSynchronize",
                                                    "cuStreamWait",
                                                    "cuStreamWrite",
                                                    "cuStreamBatch",
                                                    "cuStreamBeginCapture",
                                                    "cuStreamEndCapture",
                                                    "cuEventRecord",
                                                    "cuEventSynchronize",
                                                    "cuCtxSynchronize",
                                                    "cuCtxCreate",
                                                    "cuCtxDestroy",
                                                    "cuDevicePrimaryCtx",
                                                    "cuGraphLaunch",
                                                    "cuGraphInstantiate",
                                                    "cuModuleLoad",
                                                    "cuLibraryLoad",
                                                    "cuProfiler"};

template <size_t N>
bool any_prefix(const std::array<std::string_view, N>& prefixes, std::string_view name) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

bool worth_recording(wire::CudaDomain domain, std::string_view name) {
    if (domain == wire::CudaDomain::kDriver) return any_prefix(kKept, name);
    return !any_prefix(kLeftOut, name) && name.find("CallConfiguration") == name.npos;
}

std::string_view plain_name(std::string_view name) {
    constexpr size_t kShortestVersion = 4;  // "3020"; the "2" of "cuMemAlloc_v2" belongs to the name
    const size_t mark = name.rfind("_v");
    if (mark != name.npos && name.size() - mark - 2 >= kShortestVersion &&
        name.find_first_not_of("0123456789", mark + 2) == name.npos)
        name = name.substr(0, mark);
    // How streams are meant when none is named: the same function.
    for (const std::string_view suffix : {"_ptsz", "_ptds"})
        if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    return name;
}

void ApiNames::fill(const Cupti& cupti) {
    for (const auto domain : {wire::CudaDomain::kDriver, wire::CudaDomain::kRuntime}) {
        const auto row = static_cast<size_t>(domain) - 1;
        const uint32_t theirs = domain == wire::CudaDomain::kDriver ? kDriverApi : kRuntimeApi;
        for (uint32_t cbid = 1; cbid < kMost; ++cbid) {
            const char* found = nullptr;
            wanted[row][cbid] = true;  // a call that CUPTI cannot name is not thrown away
            if (cupti.cuptiGetCallbackName(theirs, cbid, &found) != kSuccess || !found) continue;
            name[row][cbid] = found;
            wanted[row][cbid] = worth_recording(domain, found);
        }
    }
}

}  // namespace opsight::cuda
