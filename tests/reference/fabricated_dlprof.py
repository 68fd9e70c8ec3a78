"""Writes a small Nsight Systems export of a training run as DLProf recorded it: ranges that are Python dicts, with
autograd's ranges inside and on a thread of its own, over several steps."""

import random

import fabricated_export

PROCESS = 5 << 24
MAIN, ENGINE = PROCESS + 7, PROCESS + 8
OPS = {  # function: shapes of its tensors
    "conv2d": ((8, 3, 32, 32), (6, 3, 3, 3)),
    "relu": ((8, 6, 30, 30),),
    "linear": ((8, 64), (10, 64)),
    "cross_entropy": ((8, 10),),
}
NODES = {"conv2d": "CudnnConvolutionBackward0", "relu": "ReluBackward0", "linear": "AddmmBackward0",
         "cross_entropy": "NllLossBackward0"}
KERNELS = {"conv2d": ["void cudnn::fprop<float>(int)", "turing_fp16_s1688cudnn_fp16_128x128"], "relu": ["void relu()"],
           "linear": ["volta_h884gemm_64x128_ldg8_nn"], "cross_entropy": ["void nll<int>(int)"]}


class Run(fabricated_export.Writer):
    """Time goes on with every call: `now` is the host's, `gpu` is when the stream is free."""

    def __init__(self, path, seed=1):
        super().__init__(path, seed)
        self.now, self.gpu, self.sequence = 1000, 0, 0

    def push(self, thread, text, body=lambda: None, domain=0):
        start = self.now
        self.now += self.random.randint(200, 900)
        body()
        self.now += self.random.randint(100, 900)
        self.add("NVTX_EVENTS", start=start, end=self.now, eventType=59, globalTid=thread, text=text,
                 domainId=domain)
        self.now += self.random.randint(10, 300)

    def call(self, thread, name, kernel=None, copy=None):
        start = self.now
        self.now += self.random.randint(1000, 9000)
        self.correlation += 1
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=self.now, eventClass=0, globalTid=thread,
                 returnValue=0, correlationId=self.correlation, nameId=self.string(name))
        begin = max(self.now, self.gpu - self.random.randint(0, 500))  # kernels may overlap
        stop = begin + self.random.randint(1000, 30000)
        shared = {"start": begin, "end": stop, "deviceId": 0, "contextId": 1, "streamId": 7,
                  "correlationId": self.correlation, "globalPid": PROCESS}
        if kernel:
            short = kernel.removeprefix("void ").split("<")[0].split("(")[0].split("::")[-1]
            self.add("CUPTI_ACTIVITY_KIND_KERNEL", **shared, demangledName=self.string(kernel),
                     shortName=self.string(short), gridX=8, gridY=2, gridZ=1, blockX=128, blockY=1, blockZ=1)
        if copy:
            self.add("CUPTI_ACTIVITY_KIND_MEMCPY", **shared, bytes=copy, copyKind=1)
        if kernel or copy:
            self.gpu = max(self.gpu, stop)
        self.now += self.random.randint(10, 200)

    def work(self, thread, function):
        for kernel in KERNELS[function]:
            self.call(thread, "cudaLaunchKernel_v7000", kernel=kernel)

    def op(self, function, stack):
        """A marked call; returns what autograd needs."""
        self.sequence += 1
        sequence = self.sequence
        args = [{"name": "", "type": "tensor", "shape": shape, "dtype": "float32"} for shape in OPS[function]]
        if function == "conv2d":  # by place (no bias), then by name
            args += [{"name": "", "type": "NoneType", "value": None}, {"name": "", "type": "tuple", "value": (2, 1)},
                     {"name": "padding", "type": "int", "value": self.sequence // 2 % 2}]
        marker = str({"traceMarker": ["train.py:10", f"net.py:{len(stack)}"], "funcStack": stack})
        call = str({"mod": "torch.nn.functional", "op": function, "args": args})

        def inner():
            if function == "cross_entropy":  # a marked call that calls another one
                self.push(MAIN, str({"traceMarker": ["functional.py:9"], "funcStack": stack + "/nll_loss"}),
                          lambda: self.push(MAIN, str({"mod": "torch", "op": "nll_loss", "args": args}), leaf))
            else:
                leaf()

        def leaf():
            self.push(MAIN, f"aten::{function}, seq = {sequence}", lambda: self.work(MAIN, function))

        self.push(MAIN, marker, lambda: self.push(MAIN, call, inner))
        return function, sequence

    def backward(self, function, sequence):
        self.push(ENGINE, "torch::autograd::AccumulateGrad", lambda: self.work(ENGINE, "relu"))  # no op
        self.push(ENGINE, f"{NODES[function]}, seq = {sequence}",
                  lambda: self.push(ENGINE, f"aten::{function}_backward", lambda: self.work(ENGINE, function)))

    def step(self):
        loader = str({"mod": "torch.utils.data.dataloader", "op": "DataLoader", "args": []})
        stack = "/<module>/Net::_call_impl(2)/Net::forward"
        self.push(MAIN, loader, lambda: None)
        self.call(MAIN, "cudaMemcpyAsync_v3020", copy=4096)
        done = [self.op("conv2d", f"{stack}/conv2d"), self.op("relu", f"{stack}/relu"),
                self.op("conv2d", f"{stack}/conv2d(2)"), self.op("relu", f"{stack}/relu(2)"),
                self.op("linear", f"{stack}/linear"), self.op("cross_entropy", "/<module>/cross_entropy")]
        for function, sequence in reversed(done):
            self.backward(function, sequence)
        self.call(MAIN, "cudaDeviceSynchronize_v3020")
        self.push(MAIN, "aten::add_", lambda: self.work(MAIN, "relu"))  # no marked call around it


class TensorFlowRun(Run):
    """Ranges as NVIDIA's TensorFlow 1 makes them, in a domain of its own, with ranges of a user's domain around."""

    def node(self, kind, name, kernel=None):
        body = (lambda: self.call(MAIN, "cudaLaunchKernel_v7000", kernel=kernel)) if kernel else lambda: None
        self.push(MAIN, f"{kind}: {name}", body, domain=1)

    def inside(self):
        self.node("MatMul", "model/dense/MatMul", "volta_h884gemm_64x128_ldg8_nn")
        self.node("Relu", "model/dense/Relu", "void relu()")
        self.node("MatMul", "gradients/model/dense/MatMul_grad/MatMul_1", "volta_h884gemm_64x128_ldg8_nt")
        self.node("AssignAdd", "train/AssignAdd")

    def step(self):
        self.push(MAIN, "phase: train/step", self.inside, domain=2)
        self.node("VariableV2", "global_step")


def write_tensorflow(path, steps=3, seed=1):
    run = TensorFlowRun(path, seed)
    run.add("META_DATA_EXPORT", name="EXPORT_PRODUCT_VERSION", value="2021.5.1")
    run.add("TARGET_INFO_GPU", id=0, name="Tesla V100-SXM2-16GB", smCount=80, computeMajor=7, computeMinor=0)
    for number, name in ((1, "tensorflow-core"), (2, "my/app")):
        run.add("NVTX_EVENTS", start=0, eventType=75, globalTid=MAIN, text=name, domainId=number)
    for _ in range(steps):
        run.step()
    run.db.commit()
    run.db.close()


def write(path, steps=4, seed=1):
    run = Run(path, seed)
    run.add("META_DATA_EXPORT", name="EXPORT_PRODUCT_VERSION", value="2021.5.1")
    for gpu in (0, 1):
        run.add("TARGET_INFO_GPU", id=gpu, name="Tesla T4", smCount=40, computeMajor=7, computeMinor=5)
    for _ in range(steps):
        run.step()
    run.db.commit()
    run.db.close()
