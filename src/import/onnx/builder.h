// Makes a ModelGraph of an ONNX model: open dimensions are bound, functions and subgraphs are written out,
// nodes are put in order, and shapes are inferred on the way.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "import/model/given_tensors.h"
#include "import/model/shape_problems.h"
#include "import/onnx/tensor_data.h"

namespace opsight::importer::onnx {

inline constexpr int kDeepest = 32;  // functions and subgraphs inside each other

// Names that a graph sees: its own, and those of the graphs around it.
struct Scope {
    const Scope* outer = nullptr;
    std::string prefix;  // of node names
    int64_t repeat = 1;
    int depth = 0;
    std::unordered_map<std::string, TensorId> names;
    // Inside a function: what its attributes are at this call.
    std::unordered_map<std::string, const file::Attribute*> attributes;
    bool in_function = false;

    TensorId find(const std::string& name) const;
};

class Builder {
  public:
    Builder(const file::Model& model, std::string folder, const ModelOptions& options);
    Result<ModelGraph> build();

  private:
    Status add_inputs(const file::Graph& graph, Scope& scope);
    Status add_initializers(const file::Graph& graph, Scope& scope);
    Status add_nodes(const google::protobuf::RepeatedPtrField<file::Node>& nodes, Scope& scope);
    Status add_node(const file::Node& node, Scope& scope);
    Status add_constant(const file::Node& node, Scope& scope);
    Status add_plain(const file::Node& node, Scope& scope);
    Status call_function(const file::Node& node, const file::Function& function, Scope& scope);
    Status add_if(const file::Node& node, Scope& scope);
    Status add_loop(const file::Node& node, Scope& scope);
    Status add_scan(const file::Node& node, Scope& scope);
    Status set_outputs(const file::Node& node, const std::vector<TensorId>& ids, Scope& scope);
    Status add_body(const file::Graph& body, Scope& scope, std::vector<TensorId>& outputs);

    Status read_attributes(const file::Node& node, const Scope& scope, ModelNode& to);
    // The attribute of that name, as the call of a function gives it; null: none.
    const file::Attribute* attribute(const file::Node& node, std::string_view name, const Scope& scope) const;
    Result<std::vector<TensorId>> input_ids(const file::Node& node, const Scope& scope) const;
    Status note_shapes(ModelNode& node);
    int64_t bind(const file::TensorShape::Dimension& dim, const std::string& input, size_t axis);
    Result<ModelTensor> input_tensor(const file::ValueInfo& info);
    TensorId add_tensor(ModelTensor tensor);
    // A tensor for one run of a loop's body, with the type and a part of the shape of another.
    TensorId body_tensor(const std::string& name, const ModelTensor& like, size_t drop_axes);
    void learn_value_infos(const file::Graph& graph);

    const file::Model& model_;
    const std::string folder_;
    const ModelOptions& options_;
    model_import::GivenTensors given_;
    ModelGraph graph_;
    std::unordered_map<std::string, const file::Function*> functions_;
    std::unordered_map<std::string, const file::ValueInfo*> infos_;  // of the main graph
    std::map<std::string, int64_t> bound_;                           // open dimensions met
    model_import::ShapeProblems problems_;
    size_t written_out_ = 0;  // nodes, and calls of functions that may hold none
};

std::string node_label(const file::Node& node);
// Node numbers so that each comes after those that make its inputs.
Result<std::vector<int>> run_order(const google::protobuf::RepeatedPtrField<file::Node>& nodes);

}  // namespace opsight::importer::onnx
