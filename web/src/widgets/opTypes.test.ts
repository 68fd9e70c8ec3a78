import { describe, expect, it } from "vitest";
import { opTypeWords } from "./opTypes";

describe("op types in words", () => {
  it.each([
    ["mm", "Matrix product"],
    ["add_", "Add, in place"],
    ["conv2d", "Convolution 2-D"],
    ["cudnn_convolution_backward_weight", "cuDNN convolution, backward (weight)"],
    ["native_batch_norm_backward", "Native batch normalization, backward"],
    ["NativeBatchNormBackward0", "Native batch normalization, backward (autograd)"],
    ["AddmmBackward0", "Matrix product, added, backward (autograd)"],
    ["max_pool2d_with_indices", "Maximum pooling 2-D with indices"],
    ["_softmax", "Softmax (internal)"],
    ["threshold_backward", "Threshold (ReLU), backward"],
  ])("%s is “%s”", (type, words) => {
    expect(opTypeWords(type)).toBe(words);
  });
  it("stand for themselves where the framework does not name them so", () => {
    for (const type of ["All2All_Pooled_Wait", "CppNode<SplitLookupFunction_Dense_Op>", "AccumulateGrad", "volta::kernel"]) expect(opTypeWords(type)).toBeNull();
  });
  it("tell apart what differs", () => {
    const types = ["add", "add_", "_add", "softmax", "_softmax", "conv2d", "convolution", "_convolution", "mm", "bmm", "matmul", "MmBackward0", "relu", "relu_", "ReluBackward0", "copy_", "_to_copy", "to"];
    expect(new Set(types.map(opTypeWords)).size).toBe(types.length);
  });
});
