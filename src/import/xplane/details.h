// Texts of XPlane profiles that hold several facts: launch configurations, copies, HLO instructions, and what
// TraceMe ends names with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/entities.h"

namespace opsight::importer::xplane {

// "regs:32 static_shared:0 dynamic_shared:16 grid:1,1,1 block:256,1,1 occ_pct:50", and of ROCm
// " grid:1,1,1 block:256,1,1 private_mem:0 group_mem:2112 occ_pct:0". A number of registers that no kernel
// can have (older ROCm) is left out, and `odd` set.
LaunchConfig read_launch(std::string_view details, bool& odd);

// Shapes and types of operands as Signature has them, one after another.
class OperandShapes {
  public:
    // `type` as XLA names it: "f32".
    template <class Sizes>
    void add(std::string_view type, const Sizes& sizes) {
        begin(type);
        int64_t count = 1;
        for (const int64_t size : sizes)
            size_is(size, count);
        end(count);
    }
    bool any() const { return any_; }
    // Empty where there are none.
    std::string shapes() const { return any_ ? shapes_ + "]" : std::string(); }
    std::string dtypes() const { return any_ ? dtypes_ + "]" : std::string(); }
    int64_t elements() const { return elements_; }

  private:
    void begin(std::string_view type);
    void size_is(int64_t size, int64_t& count);
    void end(int64_t count);

    std::string shapes_ = "[", dtypes_ = "[";
    int64_t elements_ = 0;
    bool any_ = false, first_size_ = true;
};

struct Copy {
    Transfer transfer;
    int64_t bytes = -1;
};
// "kind_src:pageable kind_dst:device size:4096 dest:0 async:1" of an event "MemcpyH2D", or of ROCm's
// "CopyDeviceToDevice".
Copy read_copy(std::string_view name, std::string_view details);

// "%add.1 = f32[2,3]{1,0} add(f32[2,3]{1,0} %a, f32[] %b), metadata=...": what an event of the line "XLA Ops"
// is called.
struct Instruction {
    std::string_view name, opcode;
    std::string shapes, dtypes;  // of its operands, as in Signature; empty: not told
    int64_t out_elements = -1, in_elements = -1;
};
std::optional<Instruction> read_instruction(std::string_view text);

// A name of TraceMe without "#key=value,...#", and the value of a key of those.
std::string_view without_metadata(std::string_view name);
std::string_view metadata_value(std::string_view name, std::string_view key);

// "net/dense/MatMul:MatMul" on a host thread: an op of TensorFlow's executor.
bool is_tensorflow_op(std::string_view name);

}  // namespace opsight::importer::xplane
