// Turns an HLO module into a ModelGraph: fusions, calls and loops written out, ops named as the rules of the
// cost model know them (cost/op_work.h), with what XLA calls them beside it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "import/hlo/hlo.pb.h"
#include "model/model_graph.h"

namespace opsight::importer::hlo {

// Tensors that a value consists of: one, or all of a tuple's.
using Value = std::vector<TensorId>;

class Builder {
  public:
    explicit Builder(const hlo_file::Module& module) : module_(module) {}
    Result<ModelGraph> build();

  private:
    struct Scope {
        std::string prefix;  // "fusion.3/"
        int64_t repeat = 1;
        int depth = 0;
        const std::vector<Value>* arguments = nullptr;
        absl::flat_hash_map<int64_t, Value> values;  // by instruction
    };

    Result<Value> add_computation(int64_t id, Scope& scope);
    Status add_instruction(const hlo_file::Instruction& from, Scope& scope);
    Result<Value> call(const hlo_file::Instruction& from, int64_t computation, std::vector<Value> arguments,
                       Scope& scope, int64_t repeat);
    Result<Value> value_of(const hlo_file::Instruction& from, Scope& scope);
    Result<Value> loop(const hlo_file::Instruction& from, std::vector<Value> operands, Scope& scope);
    Result<Value> branch(const hlo_file::Instruction& from, std::vector<Value> operands, Scope& scope);
    Result<Value> element(const hlo_file::Instruction& from, const std::vector<Value>& operands);
    Result<Value> plain(const hlo_file::Instruction& from, const std::vector<Value>& operands,
                        const Scope& scope);
    Result<Value> tensors_of(const hlo_file::Shape& shape, const std::string& name, int depth = 0);
    size_t leaves(const hlo_file::Shape& shape, int depth = 0) const;
    void note_counts();

    const hlo_file::Module& module_;
    ModelGraph graph_;
    absl::flat_hash_map<int64_t, const hlo_file::Computation*> computations_;
    absl::flat_hash_map<int64_t, const hlo_file::Instruction*> instructions_;
    size_t steps_ = 0;
    std::map<std::string, int64_t> notes_;  // how often something was assumed
};

// The op that the cost model counts for an instruction, with its attributes; its own name where it has no
// rule, so that it is said to be uncounted. Shapes of operands are those of `graph`.
void describe_op(const hlo_file::Instruction& from, const std::string& reduced_by, const ModelGraph& graph,
                 ModelNode& node);

}  // namespace opsight::importer::hlo
