// Shape inference: what a node's outputs look like, from its inputs, attributes and the values of small
// tensors. Rules are written from the operator documentation of ONNX (opsets 1 to 25) and of the ONNX
// Runtime's com.microsoft ops; attributes that became inputs are taken in either form.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "model/model_graph.h"

namespace opsight::importer::model_import {

inline constexpr int64_t kNewestOpset = 25;  // of ONNX, that the rules were written from

// Values of tensors with more elements are not followed.
inline constexpr int64_t kMostValues = 4096;

// One node at work: its tensors, and setters that keep sizes in bounds.
class NodeShapes {
  public:
    NodeShapes(ModelGraph& graph, const ModelNode& node) : graph_(graph), node_(node) {}

    const ModelNode& node() const { return node_; }
    size_t inputs() const { return node_.inputs.size(); }
    size_t outputs() const { return node_.outputs.size(); }
    // Null where the input is missing.
    const ModelTensor* in(size_t index) const;
    ModelTensor* out(size_t index) const;
    // The shape of an input; null where it is missing or not known.
    const Shape* shape(size_t index) const;
    // The whole numbers in an input whose elements are known; nothing otherwise.
    std::optional<std::vector<int64_t>> values(size_t index) const;
    // Axes or sizes that are an attribute in old opsets and an input in new ones.
    std::optional<std::vector<int64_t>> list(std::string_view attribute, size_t input) const;

    // False where the size is out of bounds; then `problem` says how.
    bool set(size_t output, Shape shape, ElementType type);
    bool set(size_t output, Shape shape);  // with the type of input 0
    // For input tensors of unknown shape the answer is no; this says that the shapes do not fit together.
    bool misfit(std::string what);

    std::string problem;     // does not fit together
    bool too_large = false;  // the problem is a size that no machine has

  private:
    ModelGraph& graph_;
    const ModelNode& node_;
};

// True where every output got a shape. Values are worked out where they are small and known.
bool infer_shapes(NodeShapes& node);

using ShapeRule = bool (*)(NodeShapes&);
// Null where the op is not known.
ShapeRule layout_rule(std::string_view op);
ShapeRule math_rule(std::string_view op);
ShapeRule network_rule(std::string_view op);

// Works out the elements of outputs from known elements of inputs, where that is possible.
void fold_values(NodeShapes& node);

// An error where a size was given for an open dimension that the model does not have. `open`: those that it
// has.
Status check_dims(const std::map<std::string, int64_t>& given, const std::map<std::string, int64_t>& open);

// Both shapes broadcast against each other; nothing where they do not fit.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);
// -1 is the last axis. Out of range: nothing.
std::optional<size_t> axis_of(int64_t axis, size_t rank);

}  // namespace opsight::importer::model_import
