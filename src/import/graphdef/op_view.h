// One op of a TensorFlow graph on its way into a ModelGraph. Rules translate it: they name the op with the
// words that the rooms behind know (ONNX's), turn inputs that only say how into attributes, and set output
// shapes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/graphdef/graphdef.pb.h"
#include "import/model/shapes.h"

namespace opsight::importer::graphdef {

namespace file = opsight::tf_file;

// Null where the node has no attribute of that name.
const file::AttrValue* attribute_of(const file::NodeDef& node, std::string_view name);

class OpView {
  public:
    OpView(ModelGraph& graph, const file::NodeDef& def, ModelNode& made)
        : shapes(graph, made), node(made), def_(def) {}

    model_import::NodeShapes shapes;
    ModelNode& node;

    const std::string& type() const { return def_.op(); }
    int64_t integer(std::string_view name, int64_t fallback) const;
    bool flag(std::string_view name, bool fallback = false) const;
    std::string text(std::string_view name, std::string_view fallback) const;
    std::vector<int64_t> integers(std::string_view name) const;
    std::vector<std::string> texts(std::string_view name) const;
    ElementType type_of(std::string_view name, ElementType fallback) const;

    // The only value of an input; nothing where it is not known.
    std::optional<int64_t> value(size_t input) const;
    size_t inputs() const { return node.inputs.size(); }
    void drop_inputs_from(size_t count) {
        if (node.inputs.size() > count) node.inputs.resize(count);
    }
    void drop_input(size_t index);
    // With ONNX's rule for what the op is named now; works out small values too.
    bool infer() { return model_import::infer_shapes(shapes); }
    // Sets the elements of output 0, whose shape is known.
    void set_values(std::vector<double> values);

  private:
    const file::NodeDef& def_;
};

// False where the output's shape is not known; `shapes.problem` may say why.
using OpRule = bool (*)(OpView&);
// Null where the op is not known.
OpRule plain_rule(std::string_view op);        // elementwise, reductions, products, losses
OpRule layout_rule(std::string_view op);       // what makes, moves, selects or reshapes data
OpRule convolution_rule(std::string_view op);  // windows: convolutions, pooling, images
OpRule recurrent_rule(std::string_view op);    // recurrent cells fused into one op

}  // namespace opsight::importer::graphdef
