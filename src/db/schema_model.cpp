// The tables and views of a network's file that was imported beside the trace, and what ran of it.
#include "db/schema.h"
#include "db/view_parts.h"

namespace opsight::db {
namespace {

using enum duck::Type;

View model_nodes_view() {
    return {
        "model_nodes",
        "Ops of the network that was imported with --model. Work is that of one forward pass.",
        {{"id", kInteger, "", "row number, in an order in which they can run", "n.id"},
         {"name", kVarchar, "", "name in the model's file", "n.name"},
         {"op_type", kVarchar, "", "type in the model's file", "n.op_type"},
         {"module", kVarchar, "", "module or scope that its name or its weights tell", filled("n.module")},
         {"layer", kVarchar, "", "path of the profile's layer of that name", "l.path"},
         {"matched", kVarchar, "", "how it was found among the ops: name or order", match_text("n.how")},
         {"output_shape", kVarchar, "", "sizes of its first output", filled("n.output_shape")},
         {"kind", kVarchar, "", "free, matrix, vector, move or uncounted", "n.kind"},
         {"macs", kDouble, "", "multiply-adds of products", known("n.macs")},
         {"flops", kDouble, "", "a multiply-add counted as two", known("n.flops")},
         {"bytes_min", kDouble, "bytes", "each input and output once", known("n.bytes_min")},
         {"parameters", kDouble, "", "elements of its weights", "n.parameters"},
         {"bound_ns", kDouble, "ns", "least time that the device needs", known("n.bound_ns")},
         {"limiter", kVarchar, "", "what sets the bound: math or memory", work_limiter_text("n.limiter")}},
        "raw.model_nodes n LEFT JOIN raw.layers l ON l.id = n.layer"};
}

}  // namespace

std::string match_text(std::string_view column) {
    return fmt::format("CASE {} WHEN 1 THEN 'name' WHEN 2 THEN 'order' END", column);
}
std::string work_limiter_text(std::string_view column) {
    return fmt::format("CASE {} WHEN 1 THEN 'math' WHEN 2 THEN 'memory' END", column);
}

std::vector<Table> model_tables() {
    return {
        {"models",
         "The network that was imported with --model: at most one.",
         {{"name", kVarchar, "", "name of its file"},
          {"format", kVarchar, "", "kind of the file"},
          {"producer", kVarchar, "", "what wrote it"},
          {"batch", kDouble, "",
           "batch that the work of its nodes is for: that of the run where it is known"},
          {"precision", kVarchar, "", "number format that it is for; empty: those of the file"},
          {"device", kVarchar, "", "device of the bounds; empty: it is not known"},
          {"nodes", kBigint, "", "nodes that run: those that constants alone decide are left out"},
          {"matched", kBigint, "", "those that were found among the ops"},
          {"notes", kVarchar, "", "what was assumed, a sentence a line"}}},
        {"model_groups",
         "Modules and scopes of the network; parents before children.",
         {{"id", kInteger, "", "row number"},
          {"parent", kInteger, "", "model_groups.id"},
          {"name", kVarchar, "", "name within its parent"},
          {"path", kVarchar, "", "path of the module"},
          {"part", kBoolean, "", "cut from a module that holds very many"},
          {"layer", kInteger, "", "layers.id of the layer of that name"}}},
        {"model_nodes",
         "Ops of the network, in an order in which they can run.",
         {{"id", kInteger, "", "row number"},
          {"grp", kInteger, "", "model_groups.id"},
          {"name", kVarchar, "", "name in the file"},
          {"label", kVarchar, "", "name within its group"},
          {"op_type", kVarchar, "", "type in the file"},
          {"module", kVarchar, "", "path of the module"},
          {"layer", kInteger, "", "layers.id of the layer of that name"},
          {"how", kTinyint, "", "found among the ops: 0 no, 1 by name, 2 by type and order"},
          {"output_shape", kVarchar, "", "sizes of its first output"},
          {"kind", kVarchar, "", "free, matrix, vector, move or uncounted"},
          {"macs", kDouble, "", "multiply-adds of products; -1: not counted"},
          {"flops", kDouble, "", "a multiply-add counted as two; -1: not counted"},
          {"bytes_min", kDouble, "bytes", "each input and output once; -1: not counted"},
          {"parameters", kDouble, "", "elements of its weights"},
          {"bound_ns", kDouble, "ns", "least time that the device needs; -1: not known"},
          {"limiter", kTinyint, "", "of the bound: 0 none, 1 math, 2 memory"},
          {"folded", kBoolean, "", "depends on constants alone: not part of a run"}}},
        {"model_edges",
         "Tensors from node to node.",
         {{"from_node", kInteger, "", "model_nodes.id"},
          {"to_node", kInteger, "", "model_nodes.id"},
          {"shape", kVarchar, "", "sizes of the tensor"}}},
        {"model_calls",
         "Ops that ran nodes.",
         {{"node", kInteger, "", "model_nodes.id"},
          {"op", kInteger, "", "ops.id"},
          {"backward", kBoolean, "", "an op of its backward pass"}}},
    };
}

std::vector<View> model_views() {
    return {model_nodes_view(),
            {"model_edges",
             "Tensors from node to node of the network.",
             {{"from_node", kInteger, "", "model_nodes.id"},
              {"to_node", kInteger, "", "model_nodes.id"},
              {"shape", kVarchar, "", "sizes of the tensor", filled("shape")}},
             "raw.model_edges"},
            {"model_calls",
             "Ops that ran nodes of the network.",
             {{"node", kInteger, "", "model_nodes.id"},
              {"op", kInteger, "", "ops.id"},
              {"backward", kBoolean, "", "an op of its backward pass"}},
             "raw.model_calls"}};
}

}  // namespace opsight::db
