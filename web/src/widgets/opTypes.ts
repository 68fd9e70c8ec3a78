// Op types in words: "addmm" is "Matrix product, added". What the framework calls it stands beside it and stays what is
// sorted, filtered and exported.

const WORDS: Readonly<Record<string, string>> = {
  mm: "Matrix product",
  bmm: "Matrix products, batched",
  addmm: "Matrix product, added",
  baddbmm: "Matrix products, batched, added",
  matmul: "Matrix product, any shapes",
  mv: "Matrix times vector",
  t: "Transpose, 2-D",
  to: "Convert type or device",
  _to_copy: "Convert type or device, copy",
  cat: "Concatenate",
  eq: "Equal to",
  ne: "Not equal to",
  lt: "Less than",
  le: "Less than or equal to",
  gt: "Greater than",
  ge: "Greater than or equal to",
  neg: "Negate",
  sub: "Subtract",
  mul: "Multiply",
  div: "Divide",
  pow: "Power",
  exp: "Exponential",
  log: "Logarithm",
  abs: "Absolute value",
  sqrt: "Square root",
  rsqrt: "Reciprocal square root",
  addcmul: "Add a product",
  addcdiv: "Add a quotient",
  arange: "Range of numbers",
  linspace: "Evenly spaced numbers",
  rand: "Random, uniform",
  randn: "Random, normal",
  randperm: "Random permutation",
  unassociated: "Outside of all ops",
  unattributed: "Launched by none that is known",
  record_param_comms: "Collective, as called",
  scaled_dot_product_attention: "Attention",
  threshold: "Threshold (ReLU)",
  clamp_min: "Clamp from below",
  clamp_max: "Clamp from above",
  nll_loss: "Negative log likelihood",
  mse_loss: "Mean squared error",
  linear: "Linear layer",
  item: "Read a number",
  _local_scalar_dense: "Read a number, from the device",
};

// Parts of names that are not plain English.
const PARTS: Readonly<Record<string, string>> = {
  cudnn: "cuDNN",
  miopen: "MIOpen",
  mkldnn: "oneDNN",
  cublas: "cuBLAS",
  nccl: "NCCL",
  fft: "FFT",
  conv: "convolution",
  conv1d: "convolution 1-D",
  conv2d: "convolution 2-D",
  conv3d: "convolution 3-D",
  pool2d: "pooling 2-D",
  pool3d: "pooling 3-D",
  max: "maximum",
  min: "minimum",
  avg: "average",
  norm: "normalization",
  relu: "ReLU",
  gelu: "GELU",
  silu: "SiLU",
  lstm: "LSTM",
  gru: "GRU",
  rnn: "RNN",
  softmax: "softmax",
  impl: "(implementation)",
  alltoall: "all-to-all",
  allreduce: "all-reduce",
  allgather: "all-gather",
};

// "cuDNN" keeps its own way.
const upper = (text: string): string => (/^[a-z]+[A-Z]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));

// "NativeBatchNormBackward0" is a node of autograd's graph.
function ofAutograd(type: string): string | null {
  const name = /^([A-Z][A-Za-z0-9]*?)Backward\d*$/.exec(type)?.[1];
  if (name === undefined) return null;
  const snake = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase().replace(/([123])_d/g, "$1d");
  return `${opTypeWords(snake) ?? upper(snake)}, backward (autograd)`;
}

// null where the name is not an op's in the framework's manner: it stands for itself.
export function opTypeWords(type: string): string | null {
  const autograd = ofAutograd(type);
  if (autograd !== null) return autograd;
  const known = WORDS[type];
  if (known !== undefined) return known;
  if (!/^_?[a-z][a-z0-9_]*$/.test(type)) return null;
  if (type.endsWith("_")) return opTypeWords(type.slice(0, -1))?.concat(", in place") ?? null;
  const backward = /^(.+?)_backward(?:_(input|weight|data))?$/.exec(type);
  if (backward?.[1] !== undefined) return `${opTypeWords(backward[1]) ?? backward[1]}, backward${backward[2] === undefined ? "" : ` (${backward[2]})`}`;
  const inner = type.startsWith("_");
  const words = type.replace(/^_/, "").split("_").filter(Boolean).map((part) => PARTS[part] ?? part).join(" ");
  return `${upper(words)}${inner ? " (internal)" : ""}`;
}
