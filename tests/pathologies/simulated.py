"""Made-up GPU runs with planted faults, as Kineto traces.

No GPU is needed and none is used: a host thread that launches and a device that works off streams in order are
simulated, with durations as traces of the corpus have them (an op of PyTorch some 20 us, a launch 5 us, an A100's
products in half precision). So what a fix gains is known exactly: it is the difference of two simulations.
"""
import json

LAUNCH = 5.0  # us of the host
START = 4.0  # us from a launch to the work, where the stream is free
BETWEEN = 1.0  # us between pieces of work of a stream
OP = 18.0  # us of the host for an op, beside its launches
QUEUE = 1000  # pieces of work that a host can be ahead
STEPS = 12

DEVICE = {"id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42505273344, "computeMajor": 8, "computeMinor": 0,
          "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536,
          "regsPerMultiprocessor": 65536, "warpSize": 32, "sharedMemPerBlock": 49152,
          "sharedMemPerMultiprocessor": 167936, "numSms": 108, "sharedMemPerBlockOptin": 166912}

PRODUCT = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_nn"
PRODUCT_FP32 = "ampere_sgemm_128x128_nn"
ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<float>, at::detail::Array<char*, 3> >(int)"
HALVES = (["[4096, 4096]", "[4096, 4096]"], ["c10::Half", "c10::Half"])


class Machine:
    """A host thread and a device. Times in us."""

    def __init__(self):
        self.now = 1000.0
        self.free = {}  # when each stream has done all that it has
        self.ends = []  # of all work, in the order of launches
        self.events = []
        self.number = 0
        self.step_begins = []

    def event(self, name, category, begin, duration, tid, pid=1, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": round(begin, 3),
                            "dur": round(duration, 3), "args": args})

    def call(self, name, duration, correlation=None):
        args = {} if correlation is None else {"correlation": correlation}
        self.event(name, "cuda_runtime", self.now, duration, 1, **args)
        self.now += duration

    def device(self, name, category, duration, stream=7, after=0.0, **args):
        """Launches work; returns when it ends."""
        self.number += 1
        ahead = self.ends[-QUEUE] if len(self.ends) >= QUEUE else 0.0
        launch = "cudaMemcpyAsync" if category == "gpu_memcpy" else "cudaLaunchKernel"
        self.call(launch, max(LAUNCH, ahead - self.now), self.number)
        begin = max(self.now + START - LAUNCH, self.free.get(stream, 0.0) + BETWEEN, after)
        end = begin + duration
        self.free[stream] = end
        self.ends.append(end)
        self.event(name, category, begin, duration, stream, 0, correlation=self.number, device=0, context=1,
                   stream=stream, **args)
        return end

    def kernel(self, name, duration, stream=7, after=0.0, blocks=4096, **args):
        launch = {"grid": [blocks, 1, 1], "block": [256, 1, 1], "registers per thread": 32, "shared memory": 0}
        return self.device(name, "kernel", duration, stream, after, **{**launch, **args})

    def op(self, name, kernels=(), shapes=("[4096, 4096]",), types=("float",), host=OP, stream=7):
        """An op that launches kernels: (name, us) each."""
        place = len(self.events)
        begin = self.now
        self.now += host / 2
        end = 0.0
        for kernel, duration in kernels:
            end = self.kernel(kernel, duration, stream)
        self.now += host / 2
        dims = [json.loads(shape) for shape in shapes]
        self.event(name, "cpu_op", begin, self.now - begin, 1, **{"External id": place + 1, "Input Dims": dims,
                                                                 "Input type": list(types)})
        return end

    def wait(self, name="cudaStreamSynchronize", until=None):
        until = max(self.free.values(), default=0.0) if until is None else until
        self.call(name, max(until + 2 - self.now, 2.0))

    def copy(self, kind, size, stream=7, wait=False):
        """kind: as in "Memcpy HtoD (Pageable -> Device)". wait: the call returns when the copy is done."""
        rate = 6e3 if "Pageable" in kind else 20e3  # bytes per us
        begin = len(self.events)
        end = self.device(kind, "gpu_memcpy", 2 + size / rate, stream, bytes=size)
        if wait:
            call = self.events[begin]
            call["dur"] = round(max(end + 2 - call["ts"], call["dur"]), 3)
            self.now = call["ts"] + call["dur"]
        return end

    def mark(self, name, begin):
        self.event(name, "user_annotation", begin, self.now - begin, 1)


class Training:
    """A step of a network whose time is that of the device, and the places where a fault can be."""

    layers = 20
    rules = ()  # ids of the findings that name the fault truly
    suppose = ()  # of opsight whatif: what the fix comes to, where the command can say it

    def __init__(self, fixed):
        self.fixed = fixed
        self.machine = Machine()

    def products(self, duration):
        self.machine.op("aten::mm", [(PRODUCT, duration)], *HALVES)

    def load(self):
        pass

    def forward(self, layer):
        self.products(150)

    def loss(self):
        pass

    def backward(self, layer):
        self.products(300)

    def exchange(self):
        pass

    def optimizer(self):
        for _ in range(4):
            self.machine.op("aten::_foreach_addcdiv_", [("void at::native::multi_tensor_apply_kernel<1>", 60)])

    def step(self):
        m = self.machine
        self.load()
        for layer in range(self.layers):
            self.forward(layer)
        self.loss()
        for layer in range(self.layers):
            self.backward(layer)
        self.exchange()
        begin = m.now
        self.optimizer()
        m.mark("Optimizer.step#Adam.step", begin)

    def run(self):
        """The trace, and the time of an iteration in ms, once it is steady."""
        m = self.machine
        done = []
        for number in range(STEPS):
            begin = m.now
            self.step()
            m.mark("ProfilerStep#%d" % number, begin)
            done.append(max(m.now, max(m.free.values(), default=0.0)))
        trace = {"schemaVersion": 1, "deviceProperties": [DEVICE], "traceEvents": m.events}
        return trace, (done[-1] - done[1]) / (len(done) - 2) / 1000


class ReadsEachLoss(Training):
    """Fault: each layer's norm is read by the program while it runs. Fix: not at all."""

    rules = ("scalar_reads", "synchronization")
    suppose = ("--scale", "op:aten::item=0")

    def forward(self, layer):
        super().forward(layer)
        if self.fixed:
            return
        m = self.machine
        begin, place = m.now, len(m.events)
        m.now += 10
        m.copy("Memcpy DtoH (Device -> Pageable)", 4, wait=True)
        m.now += 5
        m.event("aten::_local_scalar_dense", "cpu_op", begin + 4, m.now - begin - 6, 1, **{"External id": place + 1})
        m.event("aten::item", "cpu_op", begin, m.now - begin, 1, **{"External id": place + 2})
        m.now += 60  # what Python does with it


class AllocatesEachStep(Training):
    """Fault: memory is allocated and freed in each step. Fix: before."""

    rules = ("memory_calls",)

    def loss(self):
        if self.fixed:
            return
        m = self.machine
        m.wait("cudaFree")
        m.call("cudaMalloc", 900.0)
        m.now += 20


class PageableBatch(Training):
    """Fault: a batch of 60 MB is copied from memory that is not pinned. Fix: pinned, by a stream of its own."""

    rules = ("pageable_copies", "copies")

    def load(self):
        if self.fixed:
            self.machine.copy("Memcpy HtoD (Pinned -> Device)", 60_000_000, stream=20)
        else:
            self.machine.copy("Memcpy HtoD (Pageable -> Device)", 60_000_000, wait=True)


class ManySmallCopies(Training):
    """Fault: 300 small tensors are made on the host and copied. Fix: on the device."""

    rules = ("small_copies", "copies", "host")

    def load(self):
        for _ in range(0 if self.fixed else 300):
            self.machine.copy("Memcpy HtoD (Pinned -> Device)", 4096)
            self.machine.now += 6


class TinyKernels(Training):
    """Fault: each layer is 40 elementwise kernels more, shorter than their launches. Fix: one."""

    rules = ("host", "repeated_ops", "elementwise_chains")

    def forward(self, layer):
        super().forward(layer)
        for _ in range(1 if self.fixed else 40):
            self.machine.op("aten::mul", [(ELEMENTWISE, 3.0)])


class PlainProducts(Training):
    """Fault: products of 32-bit floats without TF32. Fix: half precision."""

    rules = ("tensor_cores",)
    suppose = ("--scale", "kernel:*sgemm*=0.142857")

    def products(self, duration):
        if self.fixed:
            super().products(duration)
        else:
            self.machine.op("aten::mm", [(PRODUCT_FP32, 7 * duration)], HALVES[0], ("float", "float"))


class LayoutConversions(Training):
    """Fault: each convolution converts its input and back. Fix: channels last."""

    rules = ("layout_conversions",)
    suppose = ("--scale", "kernel:~nchwToNhwc|nhwcToNchw=0")

    def forward(self, layer):
        kernels = [("void cudnn::ops::nchwToNhwcKernel<__half, __half, float>", 45), (PRODUCT, 150),
                   ("void cudnn::ops::nhwcToNchwKernel<__half, __half, float>", 45)]
        self.machine.op("aten::cudnn_convolution", kernels[1:2] if self.fixed else kernels, *HALVES)


class ContiguousCopies(Training):
    """Fault: each layer copies its input to be contiguous. Fix: not."""

    rules = ("contiguous_copies",)
    suppose = ("--scale", "op:aten::contiguous=0")

    def forward(self, layer):
        if not self.fixed:
            self.machine.op("aten::contiguous", [("void at::native::elementwise_kernel<128, 4, copy>", 70)])
        super().forward(layer)


class PlainAttention(Training):
    """Fault: attention writes its scores. Fix: a fused kernel."""

    rules = ("unfused_attention",)
    suppose = ("--scale", "op:aten::_softmax=0")

    def forward(self, layer):
        super().forward(layer)
        scores = ("[8, 12, 2048, 2048]", "[]", "[]")
        if not self.fixed:
            self.machine.op("aten::_softmax", [("void (anonymous namespace)::softmax_warp_forward<float, float, float, 10>", 220)],
                            scores, ("c10::Half", "Scalar", "Scalar"))


class LateExchange(Training):
    """Fault: gradients are exchanged when all of them are there. Fix: beside the backward pass."""

    rules = ("communication",)
    name = "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"

    def backward(self, layer):
        super().backward(layer)
        if self.fixed and layer % 5 == 4:
            self.machine.kernel(self.name, 450, stream=30, after=self.machine.free[7], blocks=24)

    def exchange(self):
        if not self.fixed:
            for _ in range(4):
                self.machine.kernel(self.name, 450, stream=7, blocks=24)


class SmallExchanges(Training):
    """Fault: each of 160 gradients is exchanged by itself. Fix: four buckets."""

    rules = ("small_collectives", "communication")

    def exchange(self):
        for _ in range(4 if self.fixed else 160):
            self.machine.kernel(LateExchange.name, 60 if self.fixed else 22, stream=7, blocks=24)


class OptimizerByTensor(Training):
    """Fault: the optimizer takes ten ops for each of 160 tensors. Fix: foreach."""

    rules = ("optimizer_loop", "host")

    def optimizer(self):
        if self.fixed:
            return super().optimizer()
        for _ in range(1600):
            self.machine.op("aten::addcdiv_", [(ELEMENTWISE, 2.0)], host=6)


class LoadsItself(Training):
    """Fault: the training process loads its data. Fix: workers do."""

    rules = ("data_loading",)

    def load(self):
        m = self.machine
        kind = "_MultiProcessing" if self.fixed else "_SingleProcess"
        begin = m.now
        m.now += 150 if self.fixed else 14_000
        m.mark("enumerate(DataLoader)#%sDataLoaderIter.__next__" % kind, begin)


class DoublePrecision(Training):
    """Fault: a loss in 64-bit floats. Fix: 32 bits."""

    rules = ("double_precision",)
    suppose = ("--scale", "kernel:*double*=0.0625")

    def loss(self):
        kernel = ELEMENTWISE.replace("float", "float" if self.fixed else "double")
        for _ in range(10):
            self.machine.op("aten::mul", [(kernel, 15 if self.fixed else 240)], types=("float" if self.fixed else "double",))


class PythonBetween(Training):
    """Fault: the program does something else for 15 ms in each step. Fix: elsewhere."""

    rules = ("program", "outside")

    def load(self):
        self.machine.now += 20 if self.fixed else 15_000


CASES = (ReadsEachLoss, AllocatesEachStep, PageableBatch, ManySmallCopies, TinyKernels, PlainProducts, LayoutConversions,
         ContiguousCopies, PlainAttention, LateExchange, SmallExchanges, OptimizerByTensor, LoadsItself, DoublePrecision,
         PythonBetween)


def name_of(case):
    """ReadsEachLoss as gpu_reads_each_loss."""
    return "gpu" + "".join("_" + c.lower() if c.isupper() else c for c in case.__name__)


def write(case, fixed, path):
    """Writes the trace; returns the ms of an iteration."""
    trace, iteration_ms = case(fixed).run()
    with open(path, "w", encoding="utf-8") as file:
        json.dump(trace, file)
    return iteration_ms
