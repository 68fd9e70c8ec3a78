#include "import/text/demangle.h"

#include <gtest/gtest.h>

namespace opsight::importer {
namespace {

TEST(Demangle, NamesOfKernels) {
    EXPECT_EQ(demangle("_ZN2at6native13reduce_kernelILi512ELi1EEEvi"),
              "void at::native::reduce_kernel<512, 1>(int)");
    EXPECT_EQ(demangle("triton_poi_fused_add_0"), "triton_poi_fused_add_0");
    EXPECT_EQ(demangle(""), "");
    EXPECT_EQ(demangle("_Z"), "_Z");
    EXPECT_EQ(demangle("_ZN"), "_ZN");
}

// Names of library kernels are longer than some demanglers go.
TEST(Demangle, LongNames) {
    std::string arguments;
    for (int i = 0; i < 400; ++i)
        arguments += "Li16E";
    const std::string name = demangle("_Z4gemmI" + arguments + "Evi");
    EXPECT_EQ(name.substr(0, 17), "void gemm<16, 16,");
}

TEST(Demangle, AFewBytesThatStandForEndlessText) {
    // Each pair holds the one before it twice.
    std::string name = "_Z1fSt4pairIiiE";
    const auto substitution = [](int i) {
        constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        return i < 36 ? std::string("S") + kDigits[i] + "_" : std::string("S0_");
    };
    for (int i = 0; i < 35; ++i)
        name += "S_I" + substitution(i) + substitution(i) + "E";
    EXPECT_EQ(demangle(name), name);
    EXPECT_EQ(demangle("_Z1f" + std::string(500, 'P') + "i").substr(0, 5), "f(int");
    EXPECT_EQ(demangle("_Z1f" + std::string(40000, 'P') + "i").substr(0, 5), "_Z1fP");
}

}  // namespace
}  // namespace opsight::importer
