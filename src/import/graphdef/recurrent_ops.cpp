// Recurrent cells fused into one op. They keep their names: their weights lie in other forms than ONNX's.
#include <unordered_map>

#include "import/graphdef/op_view.h"

namespace opsight::importer::graphdef {
namespace {

const Shape* of_rank(const OpView& op, size_t input, size_t rank) {
    const Shape* shape = op.shapes.shape(input);
    return shape && shape->size() == rank ? shape : nullptr;
}

bool set_all(OpView& op, const Shape& shape) {
    bool done = true;
    for (size_t i = 0; i < op.shapes.outputs(); ++i)
        done &= op.shapes.set(i, shape, op.shapes.in(op.type().starts_with("Block") ? 1 : 0)->type);
    return done;
}

// (seq_len_max, x [time, batch, in], c, h, w [in + hidden, 4 hidden], …) -> seven of [time, batch, hidden]
bool block_lstm(OpView& op) {
    const Shape *x = of_rank(op, 1, 3), *w = of_rank(op, 4, 2);
    return x && w && set_all(op, {(*x)[0], (*x)[1], (*w)[1] / 4});
}

// (x [batch, in], c, h [batch, hidden], …): one step
bool lstm_cell(OpView& op) {
    const Shape* state = of_rank(op, 2, 2);
    return op.shapes.shape(0) && state && set_all(op, *state);
}
bool gru_cell(OpView& op) {
    const Shape* state = of_rank(op, 1, 2);
    return op.shapes.shape(0) && state && set_all(op, *state);
}

// (x [time, batch, in], h [layers · directions, batch, hidden], c, params) -> y, h, c, and what a backward
// pass would want, of which an inference needs nothing
bool cudnn_rnn(OpView& op) {
    const Shape *x = of_rank(op, 0, 3), *h = of_rank(op, 1, 3);
    const bool by_time = op.flag("time_major", true);
    if (!x || !h) return false;
    if (op.integer("num_proj", 0) > 0) {
        op.shapes.problem = "cells with a projection are not known";
        return false;
    }
    const int64_t directions = op.text("direction", "unidirectional") == "bidirectional" ? 2 : 1;
    op.node.attributes["directions"] = directions;
    op.node.attributes["cell"] = op.text("rnn_mode", "lstm");
    const size_t state_axis = by_time ? 0 : 1;
    op.node.attributes["layers"] = (*h)[state_axis] / directions;
    const ElementType type = op.shapes.in(0)->type;
    bool done = op.shapes.set(0, {(*x)[0], (*x)[1], directions * (*h)[2]}, type);
    done &= op.shapes.set(1, *h, type);
    done &= op.shapes.set(2, op.text("rnn_mode", "lstm") == "lstm" ? *h : Shape{0}, type);
    for (size_t i = 3; i < op.shapes.outputs(); ++i)
        done &= op.shapes.set(i, {0}, type);
    return done;
}

const std::unordered_map<std::string_view, OpRule> kRecurrentRules = {
    {"BlockLSTM", block_lstm},  {"BlockLSTMV2", block_lstm}, {"LSTMBlockCell", lstm_cell},
    {"GRUBlockCell", gru_cell}, {"CudnnRNN", cudnn_rnn},     {"CudnnRNNV2", cudnn_rnn},
    {"CudnnRNNV3", cudnn_rnn},
};

}  // namespace

OpRule recurrent_rule(std::string_view op) {
    const auto found = kRecurrentRules.find(op);
    return found == kRecurrentRules.end() ? nullptr : found->second;
}

}  // namespace opsight::importer::graphdef
