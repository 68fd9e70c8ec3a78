#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

// A short name looks like generated code; a source may tell what it is. A name of a matrix kernel knows
// better.
TEST(Kernels, ASourceMayTellThatAKernelUsesNoTensorCores) {
    for (const bool told : {true, false}) {
        TestProfile t;
        t.gpu(0, "NVIDIA A100", 8, 0);
        int64_t at = 0;
        for (const char* name : {"cunn_SoftMaxForward", "ampere_h16816gemm"}) {
            t.kernel(name, at += 100, 50, t.stream());
            if (told) t.builder.add_kernel_without_tc(t.builder.text(name));
        }
        Profile profile = t.finish();
        const Analysis analysis = analyze(profile, {});
        ASSERT_EQ(analysis.kernels.size(), 2u);
        EXPECT_EQ(analysis.kernels[0].uses_tc, told ? TensorCoreUse::kNo : TensorCoreUse::kUnknown);
        EXPECT_EQ(analysis.kernels[1].uses_tc, TensorCoreUse::kYes);
        EXPECT_EQ(profile.diagnostics.count(Diag::kUnknownTensorCoreUse), told ? 0 : 1);
    }
}

}  // namespace
}  // namespace opsight::analyze
