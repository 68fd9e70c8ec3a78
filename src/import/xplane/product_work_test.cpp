#include "import/xplane/product_work.h"

#include <gtest/gtest.h>

namespace opsight::importer::xplane {
namespace {

constexpr int32_t kBf16 = 16, kTuple = 13;

void set_shape(hlo_file::Shape& shape, std::initializer_list<int64_t> sizes) {
    shape.set_element_type(kBf16);
    for (const int64_t size : sizes)
        shape.add_dimensions(size);
}

// Instructions by id, in a computation of their own.
class Program {
  public:
    hlo_file::Instruction& add(const char* opcode, std::initializer_list<int64_t> sizes,
                               std::initializer_list<int64_t> operands = {}) {
        hlo_file::Instruction& made = *computation.add_instructions();
        made.set_id(computation.instructions_size());
        made.set_opcode(opcode);
        set_shape(*made.mutable_shape(), sizes);
        for (const int64_t operand : operands)
            made.add_operand_ids(operand);
        return made;
    }
    Instructions all() const {
        Instructions known;
        for (const hlo_file::Instruction& each : computation.instructions())
            known[each.id()] = &each;
        return known;
    }
    hlo_file::Computation computation;
};

hlo_file::Instruction& add_dot(Program& program) {
    program.add("parameter", {64, 128});
    program.add("parameter", {128, 32});
    hlo_file::Instruction& dot = program.add("dot", {64, 32}, {1, 2});
    dot.mutable_dot_dimensions()->add_lhs_contracting(1);
    dot.mutable_dot_dimensions()->add_rhs_contracting(0);
    return dot;
}

constexpr int64_t kFlops = 2 * 64 * 128 * 32, kBytes = 2 * (64 * 128 + 128 * 32 + 64 * 32);

TEST(ProductWork, OfOneThatStandsAlone) {
    Program program;
    const int64_t id = add_dot(program).id();
    const Instructions all = program.all();
    const ProductWork work = product_work(*all.at(id), all);
    EXPECT_EQ(work.flops, kFlops);
    EXPECT_EQ(work.bytes, kBytes);
    EXPECT_EQ(product_work(*all.at(1), all).flops, -1) << "no product";
}

// A call's result stands before its workspace.
TEST(ProductWork, OfACallOfALibrary) {
    Program program;
    program.add("parameter", {1, 8, 32, 32});
    program.add("parameter", {16, 8, 3, 3});
    hlo_file::Instruction& call = program.add("custom-call", {}, {1, 2});
    call.set_custom_call_target("__cudnn$convForward");
    call.mutable_shape()->set_element_type(kTuple);
    set_shape(*call.mutable_shape()->add_tuple_shapes(), {1, 16, 32, 32});
    set_shape(*call.mutable_shape()->add_tuple_shapes(), {1 << 20});
    hlo_file::ConvolutionDimensions& axes = *call.mutable_convolution_dimensions();
    axes.add_input_spatial(2);
    axes.add_input_spatial(3);
    axes.set_kernel_input_feature(1);
    const ProductWork work = product_work(call, program.all());
    EXPECT_EQ(work.flops, 2LL * 16 * 32 * 32 * 8 * 9);
    EXPECT_EQ(work.bytes, 2LL * (8 * 32 * 32 + 16 * 8 * 9 + 16 * 32 * 32));
}

TEST(ProductWork, OfAFusion) {
    Program program;
    add_dot(program);
    program.add("tanh", {64, 32}, {3});
    Program outer;
    outer.add("parameter", {64, 128});
    outer.add("parameter", {128, 32});
    const hlo_file::Instruction& fusion = outer.add("fusion", {64, 32}, {1, 2});
    Instructions all = program.all();
    const auto work = [&] {
        // Ids are those of a module: here the inner ones are looked up first.
        return fusion_work(fusion, program.computation, all);
    };
    EXPECT_EQ(work().flops, kFlops);
    EXPECT_EQ(work().bytes, kBytes);
    program.add("dynamic-slice", {8, 32}, {4});
    all = program.all();
    EXPECT_EQ(work().flops, -1) << "how much of what it takes is read?";
}

}  // namespace
}  // namespace opsight::importer::xplane
