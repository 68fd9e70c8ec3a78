// Reads compiled code of CUDA kernels (cubins) as far as needed to tell which kernels use Tensor Cores.
//
// Instructions since Volta have 16 bytes, whose lowest 12 bits are the opcode and the form of its operands.
// The table of opcodes was derived from compiled products of every shape and from disassembly; see
// tests/data/cubins. Nothing in the bytes is trusted. Cost: one pass over the code.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"

namespace opsight::hardware {

struct CubinKernel {
    std::string_view name;  // mangled; points into the cubin
    // True where its code, and that of the functions which it calls, is known.
    bool judged = true;
    std::string_view instruction;  // the first matrix instruction, "HMMA"; empty: none
};

struct Cubin {
    int sm = 0;  // 90 for sm_90a
    std::vector<CubinKernel> kernels;
};

// The matrix instruction that the low half of an encoded instruction is; empty: none.
std::string_view matrix_instruction(int sm, uint64_t low);

// Fails where the bytes are not a cubin, are damaged, or are of a device before Volta.
Result<Cubin> read_cubin(std::string_view bytes);

}  // namespace opsight::hardware
