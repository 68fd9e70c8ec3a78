// The work of one op of a ModelGraph: multiply-adds, FLOPs, and how its tensors are used. docs/COST-MODEL.md
// lists every formula with its source.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/model_graph.h"

namespace opsight::cost {

enum class WorkKind : uint8_t {
    kFree,       // nothing at run time: views, sizes, what depends on constants alone
    kMatrix,     // products that matrix units can do
    kVector,     // counted, on the ordinary units
    kMove,       // moves data, no arithmetic
    kUncounted,  // not known, or shapes are not known
};
std::string_view name_of(WorkKind kind);

// How an op may be fused: into what comes before, or only with ops of its own kind.
enum class FuseKind : uint8_t { kNever, kElementwise, kReduction };

struct OpWork {
    WorkKind kind = WorkKind::kUncounted;
    FuseKind fuse = FuseKind::kNever;
    bool is_view = false;  // its output lies in its input's memory
    bool passes = false;   // whoever reads its output can read its input instead: see flow.h
    // At the batch of the graph, one run. Whole numbers below 2^53 are exact.
    double macs = 0;          // multiply-adds of products, without bias
    double flops = 0;         // a multiply-add counted as two; bias and elementwise parts included
    double matrix_flops = 0;  // the part of it that matrix units do
    double saved_macs = 0;    // those that Winograd's convolutions do without
    double state_macs = 0;    // those whose gradient goes through a recurrent state, whatever the input needs
    // FLOPs of the backward pass for each FLOP here, in ops without products.
    double backward_rest = 1;
    bool saves_inputs = true;   // what the backward pass needs kept: the inputs,
    bool saves_output = false;  // the output
    double weights_part = 1;    // of stacked weights, what is read: that of the experts that are chosen
    // Inputs of which only as much is read as the output holds: rows of a table, parts of a slice.
    bool partial_first_input = false;
};

// Never fails: an op that is not known is kUncounted.
OpWork op_work(const ModelGraph& graph, const ModelNode& node);

}  // namespace opsight::cost
