// Ranges that say what a call is: the Python dicts of PyProf and of DLProf's PyTorch package, and the JSON of
// NVIDIA's TensorFlow.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/marks/nvtx_text.h"

namespace opsight::query::dlprof {

struct Mark {
    bool is_op = false;  // {'mod': ..., 'op': ...}; else {'traceMarker': ..., 'funcStack': ...}
    std::string text;    // op, or path of functions
    std::string node;    // whole name of a node of TensorFlow
    std::string stack;   // of trace markers: a frame a line
    std::string dtype;   // of ops: of the first tensor
    std::string shapes, parameters, outputs;  // of ops, with their letters: see geometry.h
};

// `domain`: nodes of TensorFlow are those of its own. No value: the text is something else.
std::optional<Mark> read_mark(std::string_view text, marks::NvtxDomain domain);

// "[[1, 3], [6]]" with the letters "N,C;K" -> "<N:1, C:3>; <K:6>". A shape of another length, or one that the
// letters do not reach, has its bare numbers. Empty where the text is not a JSON list of shapes.
std::string lettered(std::string_view json, std::string_view letters);

// The letters of an op's input and output: "N,C,H,W;K,C,R,S" and "N,K,P,Q" of PyTorch's conv2d. Others order
// their sizes in other ways (TensorFlow's Conv2D, transposed convolutions), so that they have none. Products
// of TensorFlow have letters where they are marked, which tells what is transposed.
std::string_view input_letters(std::string_view type);
std::string_view output_letters(std::string_view type);
inline constexpr std::string_view kParameterLetters = "SH,SW;PH,PW;DH,DW;G";

// Whether a function or operator of PyTorch is a convolution: "conv2d", "cudnn_convolution".
bool is_convolution(std::string_view type);

}  // namespace opsight::query::dlprof
