// Names that XLA and the frameworks above it give to compiled work, in its own profiles (XPlane) and in NVTX
// ranges.
#pragma once

#include <string>
#include <string_view>

namespace opsight::marks {

// Where an op stands in its framework, read from the name that the framework gave it.
struct Scope {
    std::string layer;      // "Net/layers_0/attention"; empty: none
    std::string_view op;    // the last part: "dot_general", "MatMul"
    std::string_view type;  // of TensorFlow: "MatMul"
};
// "jit(step)/jit(main)/transpose(jvp(Net))/layers_0/dot_general:" of JAX; "net/dense/MatMul:MatMul" of
// TensorFlow.
Scope read_scope(std::string_view name);

// Whether such a name is of the backward pass: JAX transposes what it has linearized.
bool is_transposed(std::string_view name);

// A stem without the number that tells instructions apart: "fusion.12" -> "fusion".
std::string_view without_number(std::string_view name);
// The same of what may be the name of an instruction, "custom-call.3"; another text stays ("lr 0.001",
// "my.op.v1.5").
std::string_view stem_of_instruction(std::string_view name);

// Ranges of the NVTX domain TSL: "XlaModule:#prefix=jit(step)/jit(main),hlo_module=jit_step,program_id=4#",
// and inside it "Thunk:#name=transpose(jvp(Net))/dense/dot_general,hlo_op=gemm_fusion.1,unique_hlo_op_id=7#".
// The prefix that all names of a module share is left out of those. Empty: the text has no such part.
// Source: XLA, xla/backends/gpu/runtime/annotation.cc.
struct XlaRange {
    std::string_view module;       // of a module: "jit_step"
    std::string_view instruction;  // of a thunk: "gemm_fusion.1"
    // The prefix of a module: "jit(step)/jit(main)"; a thunk's name: "transpose(jvp(Net))/dense/dot_general".
    std::string_view scope;
};
XlaRange read_xla_range(std::string_view text);

struct XlaPlace {
    std::string layer;  // "Net/dense"; empty: none
    bool backward = false;
};
// Where a thunk of this name stands whose module has this prefix: a name that begins as the prefix does is
// whole.
XlaPlace place_of_thunk(std::string_view prefix, std::string_view name);

}  // namespace opsight::marks
