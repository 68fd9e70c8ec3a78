#include "model/engine_paths.h"

#include <gtest/gtest.h>

namespace opsight {
namespace {

TEST(EnginePaths, StandAmongTheLayersOfTheNetwork) {
    EXPECT_EQ(engine_path("/a/b/Conv + /a/b/Relu"), "/a/b/Conv");
    EXPECT_EQ(engine_path("PWN(PWN(/a/act/Sigmoid), /a/act/Mul)"), "/a/act/Sigmoid");
    // The time of branches side by side is none of theirs alone.
    EXPECT_EQ(engine_path("/i/b1/Conv + /i/b1/Relu || /i/b2/Conv + /i/b2/Relu"), "/i/b1:Conv || b2:Conv");
    EXPECT_EQ(engine_path("Conv_1 + Relu_2 || Conv_3"), "Conv_1 || Conv_3");
    EXPECT_EQ(engine_path("m/a || m/b || m/c || m/d || m/e || m/f"), "m/a || b || c || d || 2 more");
    EXPECT_EQ(engine_path("ab/x || a/x"), "ab:x || a:x") << "folders, not letters";
    EXPECT_EQ(engine_path("Reformatting CopyNode for Input Tensor 0 to /a/Conv + /a/Relu"),
              "/a/Reformatting CopyNode for Input Tensor 0 to Conv");
    EXPECT_EQ(engine_path("Reformatting CopyNode for Input Tensor 0 to Conv_0 + Relu_1"),
              "Reformatting CopyNode for Input Tensor 0 to Conv_0");
    EXPECT_EQ(engine_path("Reformatting CopyNode for Network Output /fc/Gemm_output_0"),
              "/fc/Reformatting CopyNode for Network Output Gemm_output_0");
    EXPECT_EQ(engine_path("Reformatting CopyNode"), "Reformatting CopyNode");
    EXPECT_EQ(engine_path("{ForeignNode[/enc/l.0/Add.../enc/l.3/MatMul]}"),
              "/enc/ForeignNode[l:0:Add to l:3:MatMul]");
    EXPECT_EQ(engine_path("{ForeignNode[x]}"), "{ForeignNode[x]}");
    EXPECT_EQ(engine_path("{ForeignNode[]}"), "{ForeignNode[]}");
    EXPECT_EQ(engine_path(" || "), " || ");
    EXPECT_EQ(engine_path("layer_7", {"w.weight", "/a/Conv"}), "/a/Conv") << "as metadata tells it";
    EXPECT_EQ(engine_path("m/a || m/b", {"m/a", "m/b"}), "m/a || b")
        << "metadata does not tell branches apart";
}

}  // namespace
}  // namespace opsight
