// What the driver tells of its devices and CUPTI does not. Asked on our own thread, once a context is there.
#include <dlfcn.h>

#include <cstdio>
#include <initializer_list>
#include <string>

#include "collect/cuda/devices.h"
#include "collect/cuda/session.h"

namespace opsight::cuda {
namespace {

struct Driver {
    int (*count)(int*) = nullptr;
    int (*get)(int*, int) = nullptr;
    int (*attribute)(int*, uint32_t, int) = nullptr;
    int (*name)(char*, int, int) = nullptr;
    int (*memory)(size_t*, int) = nullptr;
    int (*uuid)(Uuid*, int) = nullptr;
    int (*version)(int*) = nullptr;

    bool open() {
        void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        if (!library) return false;
        find(library, "cuDeviceGetCount", count);
        find(library, "cuDeviceGet", get);
        find(library, "cuDeviceGetAttribute", attribute);
        find(library, "cuDeviceGetName", name);
        find(library, "cuDeviceTotalMem_v2", memory);
        find(library, "cuDeviceGetUuid_v2", uuid);
        find(library, "cuDriverGetVersion", version);
        dlclose(library);  // the program keeps it open
        return count && get && attribute;
    }
    template <class Function>
    static void find(void* library, const char* symbol, Function& function) {
        function = reinterpret_cast<Function>(dlsym(library, symbol));
    }
};

wire::CudaDeviceRecord describe(const Driver& driver, int device) {
    wire::CudaDeviceRecord record{};
    const auto ask = [&](Attribute attribute) {
        int value = 0;
        return driver.attribute(&value, attribute, device) == 0 && value > 0 ? static_cast<uint32_t>(value)
                                                                             : 0u;
    };
    record.compute_major = ask(kMajor);
    record.compute_minor = ask(kMinor);
    record.sm_count = ask(kSmCount);
    record.copy_engines = ask(kCopyEngines);
    record.threads_per_warp = ask(kWarpSize);
    record.blocks_per_sm = ask(kBlocksPerSm);
    record.threads_per_sm = ask(kThreadsPerSm);
    record.warps_per_sm = record.threads_per_warp ? record.threads_per_sm / record.threads_per_warp : 0;
    record.threads_per_block = ask(kThreadsPerBlock);
    record.registers_per_sm = ask(kRegistersPerSm);
    record.registers_per_block = ask(kRegistersPerBlock);
    record.shared_per_sm = ask(kSharedPerSm);
    record.shared_per_block = ask(kSharedPerBlock);
    record.shared_per_block_optin = ask(kSharedPerBlockOptin);
    record.shared_reserved = ask(kSharedReserved);
    for (uint32_t i = 0; i < 3; ++i) {
        record.max_block[i] = ask(static_cast<Attribute>(kBlockX + i));
        record.max_grid[i] = ask(static_cast<Attribute>(kGridX + i));
    }
    record.constant_bytes = ask(kConstant);
    record.l2_bytes = ask(kL2);
    record.memory_bus_bits = ask(kMemoryBus);
    record.clock_hz = uint64_t{ask(kClockKhz)} * 1000;
    record.memory_clock_hz = uint64_t{ask(kMemoryClockKhz)} * 1000;
    record.pci_domain = ask(kPciDomain);
    record.pci_bus = ask(kPciBus);
    record.pci_device = ask(kPciDevice);
    record.has_pci = 1;
    record.ecc_known = 1;
    record.ecc = ask(kEcc) != 0;
    if (size_t bytes = 0; driver.memory && driver.memory(&bytes, device) == 0) record.memory_bytes = bytes;
    if (Uuid uuid{}; driver.uuid && driver.uuid(&uuid, device) == 0)
        std::memcpy(record.uuid, uuid.bytes, sizeof record.uuid);
    return record;
}

}  // namespace

void Session::ask_devices() {
    static bool asked = false;
    Driver driver;
    int count = 0;
    if (asked || !driver.open() || driver.count(&count) != 0) return;
    asked = true;
    const auto version = [this](const char* key, int value) {
        const Stream::Held held(stream_);
        stream_.raw().property(key, std::to_string(value));
    };
    int value = 0;
    if (driver.version && driver.version(&value) == 0) version("cuda_driver_version", value);
    if (auto* runtime = reinterpret_cast<int (*)(int*)>(dlsym(RTLD_DEFAULT, "cudaRuntimeGetVersion")))
        if (runtime(&value) == 0) version("cuda_runtime_version", value);
    for (int i = 0; i < count; ++i) {
        int device = 0;
        if (driver.get(&device, i) != 0) continue;
        wire::CudaDeviceRecord record = describe(driver, device);
        char name[256] = "";
        if (driver.name) driver.name(name, sizeof name - 1, device);
        const std::string_view text(name);
        record.device = static_cast<uint32_t>(i);
        record.length = static_cast<uint16_t>(text.size());
        const Stream::Held held(stream_);
        stream_.put(wire::RecordType::kCudaDevice, record, text);
    }
}

void Session::configure_unified_memory() {
    if (!options_.unified_memory) return;
    Result result = kNotSupported;
    constexpr uint32_t kCounters[] = {1, 2, 3, 4, 5, 6, 7, 8};  // see wire::CudaUnified
    UnifiedConfig configs[std::size(kCounters)];
    for (size_t i = 0; i < std::size(kCounters); ++i)
        configs[i] = {kOneDevice, kCounters[i], 0, 1};
    if (cupti_.cuptiActivityConfigureUnifiedMemoryCounter) {
        result = cupti_.cuptiActivityConfigureUnifiedMemoryCounter(configs, std::size(kCounters));
        // Some of them only some devices have.
        if (result != kSuccess) result = cupti_.cuptiActivityConfigureUnifiedMemoryCounter(configs, 4);
        if (result == kSuccess) result = cupti_.cuptiActivityEnable(kUnifiedMemory);
    }
    if (result == kSuccess) return;
    const Stream::Held held(stream_);
    stream_.state(wire::CudaState::kPart, result, "unified memory cannot be recorded on this device");
}

}  // namespace opsight::cuda
