// Arguments of a node, in the form in which Kineto's traces tell them.
#pragma once

#include <simdjson.h>

#include <string>

#include "model/execution_trace.h"

namespace opsight::importer {

struct ArgumentTexts {
    std::string shapes, dtypes, concrete, strides;
};

// "Tensor(float)" of [2, 3] becomes the shape "[2, 3]" and the type "float"; a list of tensors the list of
// their shapes and types; numbers, truth values and lists of them stand among the values. False where the
// lists are not of one length, or a shape is not one.
bool read_arguments(const simdjson::dom::array& types, const simdjson::dom::array& shapes,
                    const simdjson::dom::array& values, const simdjson::dom::array* strides,
                    ArgumentTexts& to);
// Of a node without arguments all are empty texts.
void set_arguments(const ArgumentTexts& from, StringPool& strings, ExecutedOp& to);

}  // namespace opsight::importer
