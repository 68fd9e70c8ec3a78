#include "wire/signature.h"

#include <gtest/gtest.h>

#include <random>

namespace opsight::wire {
namespace {

void tensor(SignatureEncoder& out, uint8_t dtype, std::initializer_list<uint64_t> sizes) {
    out.tag(ArgTag::kTensor);
    out.byte(dtype);
    out.byte(static_cast<uint8_t>(sizes.size()));
    for (uint64_t size : sizes)
        out.number(size);
}

TEST(Signature, GivesTheTextsOfAConvolution) {
    SignatureEncoder out;
    tensor(out, 6, {32, 3, 224, 224});
    tensor(out, 5, {64, 3, 7, 7});
    out.tag(ArgTag::kUndefinedTensor);
    out.tag(ArgTag::kIntList);
    out.number(2);
    out.signed_number(2);
    out.signed_number(-3);
    out.tag(ArgTag::kBool);
    out.byte(0);
    out.tag(ArgTag::kInt);
    out.signed_number(-9'000'000'000);
    const SignatureText text = decode_signature(out.view());
    EXPECT_TRUE(text.whole);
    EXPECT_EQ(text.shapes, "[[32, 3, 224, 224], [64, 3, 7, 7], [], [], [], []]");
    EXPECT_EQ(text.dtypes, R"(["float", "c10::Half", "", "ScalarList", "Scalar", "Scalar"])");
    EXPECT_EQ(text.concrete, R"(["", "", "", "[2, -3]", "False", "-9000000000"])");
}

TEST(Signature, NestsTheShapesOfATensorList) {
    SignatureEncoder out;
    out.tag(ArgTag::kTensorList);
    out.number(2);
    tensor(out, 6, {2});
    out.tag(ArgTag::kUndefinedTensor);
    out.tag(ArgTag::kNone);
    const SignatureText text = decode_signature(out.view());
    EXPECT_TRUE(text.whole);
    EXPECT_EQ(text.shapes, "[[[2], []], []]");
    EXPECT_EQ(text.dtypes, R"(["TensorList", ""])");
}

TEST(Signature, ACutOneSaysSo) {
    SignatureEncoder out;
    tensor(out, 6, {5});
    out.tag(ArgTag::kCut);
    const SignatureText text = decode_signature(out.view());
    EXPECT_FALSE(text.whole);
    EXPECT_EQ(text.shapes, "[[5], []]");
}

TEST(Signature, AnyBytesAreSafeAndBounded) {
    std::mt19937 random(7);
    for (int round = 0; round < 20'000; ++round) {
        std::string bytes(random() % 200, '\0');
        for (char& byte : bytes)
            byte = static_cast<char>(random() % 4 ? random() % 14 : random());
        const SignatureText text = decode_signature(bytes);
        EXPECT_EQ(text.shapes.front(), '[');
        EXPECT_EQ(text.shapes.back(), ']');
        EXPECT_LT(text.shapes.size(), 8000u);
    }
}

TEST(Signature, TheEmptyOneHasNoInputs) {
    EXPECT_EQ(decode_signature("").shapes, "[]");
}

}  // namespace
}  // namespace opsight::wire
