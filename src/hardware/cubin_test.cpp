// Compares with expected.tsv of tests/data/cubins, and with nvdisasm where it is installed.
#include "hardware/cubin.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <regex>

#include "base/gzip_source.h"
#include "base/test_files.h"

namespace opsight::hardware {
namespace {

std::string folder() {
    return std::string(OPSIGHT_SOURCE_DIR) + "/tests/data/cubins/";
}

std::string load(const std::string& name) {
    auto file = open_file(folder() + name + ".cubin.gz");
    EXPECT_TRUE(file.has_value()) << name;
    if (!file) return {};
    const std::unique_ptr<ByteSource> plain = gunzip(std::move(*file));
    std::string bytes(1 << 20, '\0');
    bytes.resize(read_fully(*plain, bytes.data(), bytes.size()).value_or(0));
    return bytes;
}

using Kernels = std::map<std::string, std::string>;  // name -> instruction

std::map<std::string, Kernels> expected() {
    std::map<std::string, Kernels> result;
    std::ifstream file(folder() + "expected.tsv");
    std::string line;
    while (std::getline(file, line)) {
        const size_t first = line.find('\t'), second = line.find('\t', first + 1);
        result[line.substr(0, first)][line.substr(first + 1, second - first - 1)] = line.substr(second + 1);
    }
    return result;
}

TEST(Cubins, EveryProductIsFoundAndNoOrdinaryInstructionIs) {
    size_t products = 0, others = 0;
    for (const auto& [name, kernels] : expected()) {
        const std::string bytes = load(name);
        const Result<Cubin> cubin = read_cubin(bytes);
        ASSERT_TRUE(cubin.has_value()) << name << ": " << cubin.error().message();
        EXPECT_EQ(cubin->sm, std::stoi(name.substr(name.find("sm_") + 3)));
        Kernels found;
        for (const CubinKernel& kernel : cubin->kernels) {
            EXPECT_TRUE(kernel.judged) << name << " " << kernel.name;
            found[std::string(kernel.name)] = kernel.instruction;
            ++(kernel.instruction.empty() ? others : products);
        }
        EXPECT_EQ(found, kernels) << name;
    }
    EXPECT_GT(products, 190u);
    EXPECT_GT(others, 60u);
}

std::string output_of(const std::string& command) {
    std::string output;
    std::array<char, 4096> part{};
    FILE* pipe = ::popen(command.c_str(), "r");
    while (const size_t size = pipe ? std::fread(part.data(), 1, part.size(), pipe) : 0)
        output.append(part.data(), size);
    if (pipe && ::pclose(pipe) != 0) return {};
    return output;
}

std::string disassembler() {
    for (const char* candidate : {"nvdisasm", "/usr/local/cuda/bin/nvdisasm"})
        if (!output_of(std::string(candidate) + " --version 2>/dev/null").empty()) return candidate;
    return {};
}

// All code of a cubin, one section after the other.
std::string code_of(const std::string& cubin) {
    uint64_t sections = 0;
    uint16_t count = 0;
    std::memcpy(&sections, cubin.data() + 0x28, sizeof sections);
    std::memcpy(&count, cubin.data() + 0x3c, sizeof count);
    std::string code;
    for (uint16_t i = 0; i < count; ++i) {
        constexpr uint64_t kExecutable = 4;
        struct {
            uint64_t flags, address, offset, bytes;
        } section{};
        std::memcpy(&section, cubin.data() + sections + i * uint64_t{64} + 8, sizeof section);
        if ((section.flags & kExecutable) != 0) code += cubin.substr(section.offset, section.bytes);
    }
    return code;
}

TEST(Cubins, EveryInstructionIsWhatTheDisassemblerCallsIt) {
    const std::string program = disassembler();
    if (program.empty()) GTEST_SKIP() << "nvdisasm is not installed";
    const testing::TempFolder temp;
    const std::regex line(R"(/\*([0-9a-f]{4,})\*/\s+(?:\{\s*)?(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9]*)[^;]*;)");
    size_t compared = 0;
    for (const auto& [name, kernels] : expected()) {
        const int sm = std::stoi(name.substr(name.find("sm_") + 3));
        const std::string code = code_of(load(name));
        const std::string path = temp.write("code", code);
        const std::string text =
            output_of(program + " -b SM" + std::to_string(sm) + " " + path + " 2>/dev/null");
        for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
            const size_t offset = std::stoul((*at)[1], nullptr, 16);
            std::string mnemonic = (*at)[2];
            if (!mnemonic.ends_with("MMA")) mnemonic.clear();
            if (mnemonic.starts_with("UTC")) mnemonic = "UTCMMA";
            uint64_t low = 0;
            ASSERT_LE(offset + sizeof low, code.size());
            std::memcpy(&low, code.data() + offset, sizeof low);
            EXPECT_EQ(matrix_instruction(sm, low), mnemonic) << name << " " << (*at)[0];
            ++compared;
        }
    }
    EXPECT_GT(compared, 10000u);
}

TEST(Cubins, AFunctionThatIsCalledByItsAddressLeavesKernelsUnjudged) {
    std::string bytes = load("functions_sm_80");
    const size_t graph = bytes.find(".nv.callgraph");
    ASSERT_NE(graph, std::string::npos);
    bytes[graph + 1] = 'x';  // as if nobody called it by name
    const Result<Cubin> cubin = read_cubin(bytes);
    ASSERT_TRUE(cubin.has_value());
    ASSERT_EQ(cubin->kernels.size(), 2u);
    for (const CubinKernel& kernel : cubin->kernels) {
        EXPECT_FALSE(kernel.judged) << kernel.name;
        EXPECT_EQ(kernel.instruction, "");
    }
}

TEST(Cubins, OtherFilesAreRefusedWithWhatTheyAre) {
    const auto reason = [](std::string_view bytes) { return read_cubin(bytes).error().message(); };
    EXPECT_NE(reason("").find("not a cubin"), std::string::npos);
    EXPECT_NE(reason(std::string(100, 'x')).find("not a cubin"), std::string::npos);
    std::string bytes = load("products_sm_75");
    bytes[18] = 62;  // x86-64
    EXPECT_NE(reason(bytes).find("ELF machine 62"), std::string::npos);
    bytes = load("products_sm_70");  // the older form: the device in the lowest byte
    bytes[48] = 61;
    EXPECT_NE(reason(bytes).find("sm_61"), std::string::npos);
}

TEST(Cubins, DamageNeverLeadsOutOfTheBytes) {
    const std::string good = load("functions_sm_80");
    std::mt19937 random(7);
    size_t readable = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string bytes = good.substr(0, round % 4 == 0 ? random() % good.size() : good.size());
        uint64_t sections = 0;
        std::memcpy(&sections, good.data() + 0x28, 8);
        for (int i = 0; i < 3 && !bytes.empty(); ++i) {
            // The head and the table of sections, where numbers count.
            const size_t at = random() % 2 ? random() % 64 : sections + random() % (good.size() - sections);
            constexpr char kEdges[] = {0, 1, 2, 8, 64, 127, -128, -1};
            if (at < bytes.size()) bytes[at] = kEdges[random() % sizeof kEdges];
        }
        // In memory of its own, so that sanitizers see its end.
        const std::vector<char> exact(bytes.begin(), bytes.end());
        readable += read_cubin({exact.data(), exact.size()}).has_value();
    }
    EXPECT_GT(readable, 100u);
}

}  // namespace
}  // namespace opsight::hardware
