// What the text of an NVTX range says, in the dialects that frameworks write.
//
//   PyTorch emit_nvtx     "aten::conv2d, seq = 5, op_id = 7, sizes = [[1, 3], []]"
//   PyProf, DLProf        "{'mod': 'torch', 'op': 'relu', 'args': [...]}", "{'traceMarker': [...], ...}"
//   hooks (vLLM, SGLang)  "{'Module': 'top.model.layers.0', 'Inputs': [[8, 4096]]}"
//   users                 "layer:block1/conv", "/model/layers/0/attention", "nn.Module: Linear"
//   by domain             TensorRT (layers), TensorFlow ("MatMul: model/dense/MatMul"), XLA (xla_names.h),
//   NCCL, MPI
//
// All others are annotations under the name as it stands.
#pragma once

#include <string>
#include <string_view>

#include "model/spans.h"

namespace opsight::marks {

enum class NvtxDomain : uint8_t { kOther, kTensorRt, kTensorFlow, kNccl, kXla, kCount };
NvtxDomain nvtx_domain(std::string_view name);

struct NvtxMeaning {
    HostKind kind = HostKind::kAnnotation;
    std::string name;
    int64_t sequence = -1, id = -1;
    std::string shapes, dtypes, concrete;  // JSON lists; empty: not told
    std::string module_path;               // of an op
    std::string stack;                     // call stack, for the ops inside the range
    std::string marked;                    // function of a call that PyProf or DLProf marked
    bool program = false;                  // a compiled program, in which the paths of its ops begin
    std::string scope;      // of XLA: the program's prefix; the op's name within it (xla_names.h)
    bool backward = false;  // an op of the backward pass
};
// "/<module>/Net::_call_impl/Net::forward/Conv2d::_call_impl(2)/Conv2d::forward/conv2d" -> "Net/Conv2d(2)":
// modules are the classes whose forward was called. The count, which tells calls of one class in one function
// apart, is that of the step or of the one before; DLProf's own names have it in square brackets.
std::string modules_of_stack(std::string_view stack);

NvtxMeaning read_nvtx_text(std::string_view text, NvtxDomain domain);

}  // namespace opsight::marks
