// What the text of an NVTX range says, in the dialects that frameworks write.
//
//   PyTorch emit_nvtx     "aten::conv2d, seq = 5, op_id = 7, sizes = [[1, 3], []]"
//   PyProf, DLProf        "{'mod': 'torch', 'op': 'relu', 'args': [...]}", "{'traceMarker': [...],
//   'funcStack': ...}" users                 "layer:block1/conv", "/model/layers/0/attention", "nn.Module:
//   Linear" by domain             TensorRT (layers), TensorFlow ("MatMul: model/dense/MatMul"), NCCL, MPI
//
// All others are annotations under the name as it stands.
#pragma once

#include <string>
#include <string_view>

#include "model/spans.h"

namespace opsight::nsys {

enum class NvtxDomain : uint8_t { kOther, kTensorRt, kTensorFlow, kNccl, kCount };
NvtxDomain nvtx_domain(std::string_view name);

struct NvtxMeaning {
    HostKind kind = HostKind::kAnnotation;
    std::string name;
    int64_t sequence = -1, id = -1;
    std::string shapes, dtypes, concrete;  // JSON lists; empty: not told
    std::string module_path;               // of an op
    std::string stack;                     // call stack, for the ops inside the range
};
// "/<module>/Net::_call_impl/Net::forward/relu(3)" -> "Net": modules are the classes whose forward was
// called.
std::string modules_of_stack(std::string_view stack);

NvtxMeaning read_nvtx_text(std::string_view text, NvtxDomain domain);

}  // namespace opsight::nsys
