// Python literals as PyProf and DLProf write them into NVTX ranges: {'op': 'conv2d', 'args': [{'shape': (1,
// 3)}]}. Nothing is evaluated. Depth and number of values are limited.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opsight::marks {

struct PythonValue {
    enum class Kind { kNone, kBool, kNumber, kText, kList, kDict };
    Kind kind = Kind::kNone;
    std::string text;                // of texts without quotes and escapes; of numbers and bools as written
    std::vector<PythonValue> items;  // of lists and tuples; the values of dicts
    std::vector<std::string> keys;   // of dicts, one for each item

    const PythonValue* find(std::string_view key) const;
    std::string_view text_of(std::string_view key) const;  // of a text entry; else empty
    std::string lines() const;                             // of a list of texts: one a line
    // As JSON; None becomes null.
    std::string json() const;
};

// No value: not a whole literal.
std::optional<PythonValue> parse_python_literal(std::string_view text);

}  // namespace opsight::marks
