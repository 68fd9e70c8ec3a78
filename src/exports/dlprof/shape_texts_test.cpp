#include "exports/dlprof/shape_texts.h"

#include <gtest/gtest.h>

#include "query/dlprof/marks.h"

namespace opsight::exports {
namespace {

TEST(ShapeTexts, WhatReportsShowComesBack) {
    for (const auto& [json, letters] :
         {std::pair("[[32,3,32,32],[6,3,3,3],[6]]", "N,C,H,W;K,C,R,S"), std::pair("[[2,3],[3,4]]", "M,K;K,N"),
          std::pair("[[7]]", ""), std::pair("[[1],[2,3]]", ";A,B"), std::pair("[[],[5]]", "")}) {
        const std::string shown = query::dlprof::lettered(json, letters);
        const ShapeTexts texts = shape_texts(shown);
        EXPECT_EQ(texts.json, std::string(json) + "\n") << shown;
        EXPECT_EQ(texts.letters, letters) << shown;
        EXPECT_EQ(query::dlprof::lettered(texts.json, texts.letters), shown);
    }
}

TEST(ShapeTexts, WhatIsNoListOfShapesIsNotTold) {
    for (const char* text : {"", "x", "<a>", "<1, x>", "<1", "<[2, 3]>", "<-1>", "<1>; 2"})
        EXPECT_EQ(shape_texts(text).json, "null\n") << text;
}

}  // namespace
}  // namespace opsight::exports
