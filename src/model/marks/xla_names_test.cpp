#include "model/marks/xla_names.h"

#include <gtest/gtest.h>

#include "model/marks/nvtx_text.h"

namespace opsight::marks {
namespace {

NvtxMeaning read_tsl(std::string_view text) {
    return read_nvtx_text(text, nvtx_domain("TSL"));
}

TEST(XlaRanges, ThunksAreOpsOfTheirLayer) {
    const NvtxMeaning thunk = read_tsl(
        "Thunk:#name=transpose(jvp(Net))/dense/bd,de->be/"
        "dot_general,hlo_op=gemm_fusion_dot.1,unique_hlo_op_id=7#");
    EXPECT_EQ(thunk.kind, HostKind::kOp);
    EXPECT_EQ(thunk.name, "gemm_fusion_dot.1");
    EXPECT_EQ(thunk.module_path, "Net/dense");
    EXPECT_TRUE(thunk.backward);
    const NvtxMeaning forward = read_tsl("Thunk:#name=jvp(Net)/dense/add,hlo_op=loop_add_fusion#");
    EXPECT_EQ(forward.module_path, "Net/dense");
    EXPECT_FALSE(forward.backward);
    const NvtxMeaning plain = read_tsl("Thunk:#hlo_op=copy.3,unique_hlo_op_id=9#");
    EXPECT_EQ(plain.name, "copy.3");
    EXPECT_EQ(plain.module_path, "");
    EXPECT_TRUE(read_tsl("Thunk:#name=transpose(jvp(Net))/mul,hlo_op=fusion.2#").backward);
}

TEST(XlaRanges, NamesGoOnWhereThePrefixOfTheirModuleEnds) {
    const auto layer = [](const char* prefix, const char* name) {
        return place_of_thunk(prefix, name).layer;
    };
    EXPECT_EQ(read_tsl("XlaModule:#prefix=jit(f)/jit(main)/Net,hlo_module=jit_f,program_id=4#").scope,
              "jit(f)/jit(main)/Net");
    EXPECT_EQ(layer("jit(f)/jit(main)/Net", "dense/dot_general"), "Net/dense");
    EXPECT_EQ(layer("jit(f)/jit(main)/Net", "dot_general"), "Net");
    EXPECT_EQ(layer("jit(f)/jit(main)/Net", "jit(relu)/max"), "Net");
    EXPECT_EQ(layer("jit(f)/jit(main)/Net", "jit(f)/jit(main)/Other/add"), "Other") << "a whole name";
    EXPECT_EQ(layer("", "jit(f)/jit(main)/Net/add"), "Net");
    EXPECT_EQ(layer("jit(f)/jit(main)/Net", ""), "");
    EXPECT_TRUE(place_of_thunk("jit(b)/jit(main)/transpose(jvp(Net))", "dense/dot_general").backward);
    EXPECT_FALSE(place_of_thunk("jit(b)/jit(main)/jvp(Net)", "dense/dot_general").backward);
    EXPECT_TRUE(place_of_thunk("jit(b)/jit(main)", "transpose(f)/mul").backward);
}

TEST(XlaRanges, ModulesAreProgramsAndAllElseIsAnnotation) {
    for (const char* text :
         {"XlaModule:#prefix=jit(step)/jit(main),hlo_module=jit_step,program_id=4#",
          "XlaModule:#hlo_module=jit_step,program_id=4#", "XlaModule:#hlo_module=jit_step#"}) {
        EXPECT_EQ(read_tsl(text).kind, HostKind::kModule);
        EXPECT_EQ(read_tsl(text).name, "jit_step");
        EXPECT_TRUE(read_tsl(text).program);
        EXPECT_EQ(read_nvtx_text(text, NvtxDomain::kOther).kind, HostKind::kAnnotation)
            << "of another domain";
    }
    for (const char* text : {"XlaModule:#module=jit_f#", "XlaModule:#hlo_module=cut", "Thunk:#hlo_op=",
                             "Thunk:##", "XlaCompile:#module=jit_f,program_id=1#", "Thunk:#name=a/b#"})
        EXPECT_EQ(read_tsl(text).kind, HostKind::kAnnotation) << text;
}

}  // namespace
}  // namespace opsight::marks
