// Makes a ModelGraph of a TensorFlow graph: what the outputs need is put in order, calls of functions and
// loops are written out, open dimensions are bound, and shapes are inferred on the way. Control flow and ops
// that hand a tensor on unchanged leave no trace: their outputs are their inputs.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_map>

#include "import/graphdef/graphdef.pb.h"
#include "import/graphdef/op_view.h"
#include "import/model/given_tensors.h"
#include "import/model/shape_problems.h"

namespace opsight::importer::graphdef {

// The graph of a file and what is asked of it.
struct Source {
    const file::GraphDef* graph = nullptr;
    const file::SignatureDef* signature = nullptr;  // null: the file names none
    std::string signature_name, format, producer;
};

// "name:2" in a graph; "name:output:2" in a function; "^name" only orders.
struct TensorRef {
    std::string node;
    size_t output = 0;
    bool control = false;
};

// A graph or the body of a function while it is written out.
struct Scope {
    std::string prefix;  // of node names
    int depth = 0;
    int frame = 0;  // the loop around it, see Builder::frames_
    bool in_function = false;
    std::unordered_map<std::string, const file::NodeDef*> nodes;
    std::unordered_map<std::string, std::vector<TensorId>> made;  // outputs of nodes, and arguments
    std::unordered_map<std::string, size_t> outputs;              // how many of a node are asked for
    std::unordered_map<std::string, int> frame_of;                // loops of TensorFlow 1, by node
    std::map<std::string, int> frame_names;
};

class Builder {
  public:
    Builder(const Source& source, const ModelOptions& options);
    Result<ModelGraph> build();

  private:
    // Loops, each inside another; 0: none. A loop's nodes run `turns` times for each run of the loop.
    struct Frame {
        int parent = -1;
        double turns = 1;
        bool known = false;
        std::string name;
    };
    struct TensorList {
        std::optional<Shape> item;
        std::optional<int64_t> length;
        ElementType type = ElementType::kFloat32;
        TensorId source = kNoTensor;  // what was put in last
    };

    using Nodes = google::protobuf::RepeatedPtrField<file::NodeDef>;
    using Ids = std::vector<TensorId>;
    using NodeList = std::vector<const file::NodeDef*>;

    TensorRef reference(const std::string& text, const Scope& scope) const;
    Status open_scope(const Nodes& nodes, Scope& scope) const;
    std::vector<TensorRef> wanted() const;  // of the main graph
    Result<std::vector<TensorRef>> ends(const Nodes& nodes, const Scope& scope) const;
    const file::NodeDef* closing_of(const file::NodeDef& node, const Scope& scope) const;
    // Nodes that these outputs need, each after those that make its inputs.
    Result<NodeList> run_order(const std::vector<TensorRef>& outputs, const Scope& scope) const;
    Result<NodeList> nodes_before(const file::NodeDef& node, const Scope& scope, NodeList& late) const;
    Result<Ids> add_nodes(const std::vector<TensorRef>& outputs, Scope& scope);
    Result<Ids> add_node(const file::NodeDef& node, const Ids& inputs, Scope& scope);
    Ids input_ids(const file::NodeDef& node, const Scope& scope) const;

    Result<Ids> add_constant(const file::NodeDef& node, const Scope& scope);
    Result<Ids> add_variable(const file::NodeDef& node, const Scope& scope);
    Result<Ids> add_input(const file::NodeDef& node, const Scope& scope);
    const file::TensorShapeProto* input_shape(const file::NodeDef& node, int at) const;
    Result<ModelTensor> input_tensor(const file::NodeDef& node, int at);
    Result<Ids> add_plain(const file::NodeDef& node, const Ids& inputs, const Scope& scope);
    Status note_problems(const OpView& op);

    Result<Ids> call(const file::NodeDef& node, const std::string& function, const Ids& inputs,
                     const Scope& scope, int frame);
    Result<Ids> add_if(const file::NodeDef& node, const Ids& inputs, const Scope& scope);
    Result<Ids> add_while(const file::NodeDef& node, const Ids& inputs, const Scope& scope);
    const file::FunctionDef* function(const std::string& name) const;
    // The same tensor in later turns of a loop: its value is another one.
    TensorId loop_state(TensorId first, const std::string& name, const Scope& scope);
    int enter_frame(const file::NodeDef& node, Scope& scope);
    void note_frame(const file::NodeDef& node, Scope& scope);
    // Turns of a loop as the comparison that ends it tells; nothing where its bounds are not in the file.
    std::optional<double> turns(TensorId counter, TensorId limit) const;
    void count_turns(const file::NodeDef& comparison, const Ids& inputs, int frame);
    int64_t repeats(int frame) const;

    // Lists of tensors (TensorArray of TensorFlow 1, TensorList of 2); null where the op is none.
    using ListOp = Result<Ids> (Builder::*)(const file::NodeDef&, const Ids&, const Scope&);
    static ListOp list_op(const std::string& type);
    Result<Ids> make_list(const file::NodeDef& node, const Ids& inputs, const Scope& scope);
    Result<Ids> list_of_parts(const file::NodeDef& node, const Ids& inputs, const Scope& scope);
    Result<Ids> put_item(const file::NodeDef& node, const Ids& inputs, const Scope& scope);
    Result<Ids> take_item(const file::NodeDef& node, const Ids& inputs, const Scope& scope);
    Result<Ids> join_items(const file::NodeDef& node, const Ids& inputs, const Scope& scope);
    // A node whose output has what comes out of a list.
    Ids add_taken(const file::NodeDef& node, std::string_view op_type, const TensorList& list,
                  std::optional<Shape> shape, const Scope& scope);
    Result<Ids> list_size(const file::NodeDef& node, const Ids& inputs, const Scope& scope);

    TensorId add_tensor(ModelTensor tensor);
    TensorId tensor_of(std::string name, std::optional<Shape> shape, ElementType type);
    const ModelTensor* tensor(const Ids& ids, size_t index) const;
    Result<Shape> bind(const file::TensorShapeProto& shape, const std::string& name);
    void add_notes();

    const Source& source_;
    const ModelOptions& options_;
    ModelGraph graph_;
    std::unordered_map<std::string, const file::FunctionDef*> functions_;
    std::deque<Frame> frames_;
    std::vector<int> node_frames_;                     // of graph_.nodes
    std::unordered_map<TensorId, TensorList> lists_;   // by the handle
    std::unordered_map<TensorId, TensorId> first_of_;  // a loop's state: what it is at first
    model_import::GivenTensors given_;
    std::map<std::string, int64_t> bound_;  // open dimensions met
    model_import::ShapeProblems problems_;
    int64_t own_backward_ = 0, open_branches_ = 0;
    size_t written_out_ = 0;
};

// True for ops that hand their first input on: control flow, variables read, checks.
bool hands_on(const std::string& type);

}  // namespace opsight::importer::graphdef
