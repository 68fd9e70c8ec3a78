// Captures of CUDA that tests make up.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/test_files.h"
#include "import/capture/importer.h"
#include "import/capture/test_capture.h"

namespace opsight::importer::capture {

inline constexpr uint64_t kBase = 1'000'000;

class CudaCapture : public ::testing::Test {
  protected:
    CudaCapture() {
        cuda.thread(900);
        device(0, "NVIDIA H100", 7);
        wire::CudaContextRecord context{};
        context.context = 1;
        context.null_stream = 7;
        context.parent = wire::kNoCudaId;
        cuda.put(wire::RecordType::kCudaContext, context);
    }
    void device(uint32_t number, std::string_view name, uint8_t uuid) { device(cuda, number, name, uuid); }
    static void device(testing::FabricatedCapture& to, uint32_t number, std::string_view name, uint8_t uuid) {
        wire::CudaDeviceRecord record{};
        record.device = number;
        record.compute_major = 9;
        record.sm_count = 132;
        record.threads_per_warp = 32;
        record.threads_per_sm = 2048;
        record.registers_per_sm = record.registers_per_block = 65536;
        record.shared_per_sm = 233472;
        record.clock_hz = 1'980'000'000;
        record.memory_bytes_per_s = 3'350'000'000'000;
        record.uuid[0] = uuid;
        record.length = static_cast<uint16_t>(name.size());
        to.put(wire::RecordType::kCudaDevice, record, name);
    }
    static void api(testing::FabricatedCapture& to, std::string_view name, uint64_t begin, uint64_t end,
                    uint32_t id, wire::CudaDomain domain = wire::CudaDomain::kRuntime) {
        wire::CudaApiRecord call{};
        call.name = to.text(name);
        call.begin = begin ? kBase + begin : 0;
        call.end = end ? kBase + end : 0;
        call.thread = 101;
        call.correlation = id;
        call.domain = domain;
        to.put(wire::RecordType::kCudaApi, call);
    }
    void api(std::string_view name, uint64_t begin, uint64_t end, uint32_t id) {
        api(cuda, name, begin, end, id);
    }
    static uint32_t kind(testing::FabricatedCapture& to, std::string_view name) {
        wire::CudaKernelKindRecord record{};
        record.id = 1000 + to.text(name);
        record.name = record.id - 1000;
        std::fill(std::begin(record.grid), std::end(record.grid), 2u);
        std::fill(std::begin(record.block), std::end(record.block), 4u);
        record.cluster[0] = 2;
        record.registers = 168;
        record.static_shared = 1024;
        record.dynamic_shared = 2048;
        record.launch = wire::CudaLaunch::kCooperative;
        to.put(wire::RecordType::kCudaKernelKind, record);
        return record.id;
    }
    static wire::CudaKernelRecord kernel(uint32_t kind, uint64_t begin, uint64_t end, uint32_t id) {
        wire::CudaKernelRecord record{};
        record.kind = kind;
        record.begin = begin ? kBase + begin : 0;
        record.end = end ? kBase + end : 0;
        record.context = 1;
        record.stream = 7;
        record.correlation = id;
        return record;
    }
    void run(std::string_view name, uint64_t begin, uint64_t end, uint32_t id) {
        cuda.put(wire::RecordType::kCudaKernel, kernel(kind(cuda, name), begin, end, id));
    }

    Profile imported() {
        ProfileBuilder builder;
        const auto facts = import_capture(cuda.bytes(), "cuda.opcap", builder);
        EXPECT_TRUE(facts.has_value());
        return std::move(builder).finish();
    }
    static Profile imported(const std::vector<std::string>& captures) {
        const testing::TempFolder folder;
        std::vector<std::string> paths;
        for (const std::string& bytes : captures)
            paths.push_back(folder.write(std::to_string(paths.size()) + ".opcap", bytes));
        ProfileBuilder builder;
        EXPECT_TRUE(import_captures(paths, false, builder).has_value());
        return std::move(builder).finish();
    }
    static std::vector<std::string> names(const Profile& p) {
        std::vector<std::string> result;
        for (const StringId name : p.device.name)
            result.emplace_back(p.strings.view(name));
        return result;
    }
    static int64_t count(const Profile& p, Diag diag) { return p.diagnostics.count(diag); }

    testing::FabricatedCapture cuda;
};

}  // namespace opsight::importer::capture
