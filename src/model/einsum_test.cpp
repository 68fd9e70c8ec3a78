#include "model/einsum.h"

#include <gtest/gtest.h>

namespace opsight {
namespace {

std::string shape_of(std::string_view equation, const std::vector<Shape>& inputs) {
    const auto sizes = einsum_sizes(equation, inputs);
    return sizes ? shape_text(sizes->output) : "misfit";
}

TEST(Einsum, LettersDotsAndWhatComesOutByItself) {
    EXPECT_EQ(shape_of("ij, jk -> ik", {{2, 3}, {3, 4}}), "2x4");
    EXPECT_EQ(shape_of("ij,jk", {{2, 3}, {3, 4}}), "2x4");
    EXPECT_EQ(shape_of("ba", {{2, 3}}), "3x2") << "in the order of the alphabet";
    EXPECT_EQ(shape_of("...ij,...jk->...ik", {{7, 5, 2, 3}, {5, 3, 4}}), "7x5x2x4");
    EXPECT_EQ(shape_of("...ij,jk", {{7, 5, 2, 3}, {3, 4}}), "7x5x2x4");
    EXPECT_EQ(shape_of("...i->i", {{7, 5, 2}}), "2");
    EXPECT_EQ(shape_of("ii->i", {{3, 3}}), "3");
    EXPECT_EQ(einsum_sizes("bhqd,bhkd->bhqk", {{2, 4, 8, 16}, {2, 4, 32, 16}})->product,
              2.0 * 4 * 8 * 32 * 16);
}

TEST(Einsum, WhatDoesNotFit) {
    EXPECT_EQ(shape_of("ij,jk->ik", {{2, 3}, {5, 4}}), "misfit");
    EXPECT_EQ(shape_of("ij->ik", {{2, 3}}), "misfit");
    EXPECT_EQ(shape_of("ijk->ik", {{2, 3}}), "misfit");
    EXPECT_EQ(shape_of("ij->i", {{2, 3}, {2, 3}}), "misfit");
    EXPECT_EQ(shape_of("i.j->i", {{2, 3}}), "misfit");
    EXPECT_EQ(shape_of("ij,jk,kl->il", {{2, 3}, {3, 4}}), "misfit");
    EXPECT_EQ(shape_of("...", {{}}), "scalar");
}

}  // namespace
}  // namespace opsight
