// The programs that a profile holds in its plane "/host:metadata": what XLA compiled, instruction by
// instruction.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <string_view>

#include "import/xplane/plane.h"

namespace opsight::importer::xplane {

// What a program tells of one of its instructions.
struct ProgramOp {
    std::string type;            // "loop fusion", "convolution", "__cublas$gemm"
    std::string framework;       // "jit(step)/jvp(Net)/dense/dot_general"
    std::string shapes, dtypes;  // of its operands, as in Signature
    bool is_product = false;
    int64_t flops = -1, bytes = -1;  // of products, by the shapes of the program; -1: they do not tell
};

class Programs {
  public:
    // Programs that cannot be read are left out; gives back how many.
    int64_t read(const Plane& metadata);
    // Null where the program, or the instruction in it, is not there.
    const ProgramOp* find(int64_t program, std::string_view instruction) const;

  private:
    bool read_program(int64_t number, std::string_view bytes);

    absl::flat_hash_map<int64_t, absl::flat_hash_map<std::string, ProgramOp>> ops_;
};

// "jit_step(15)": the name of a program and its number; an empty name where it is none.
std::pair<std::string_view, int64_t> program_of(std::string_view name);

}  // namespace opsight::importer::xplane
