// Shapes and parameters as DLProf's database has them: JSON with a line feed, and the letters beside it.
#pragma once

#include <string>
#include <string_view>

namespace opsight::exports {

struct ShapeTexts {
    std::string json;     // "[[32,3,32,32],[6]]\n"; "null\n": not told
    std::string letters;  // "N,C,H,W;K"
};

// Of a text of the reports: "<N:32, C:3, H:32, W:32>; <6>". What is not of that form is not told.
ShapeTexts shape_texts(std::string_view lettered);

}  // namespace opsight::exports
