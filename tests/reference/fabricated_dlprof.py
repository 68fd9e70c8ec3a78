"""Writes a small Nsight Systems export of a training run as DLProf recorded it: ranges that are Python dicts, with
autograd's ranges inside and on a thread of its own, over several steps. And the database that DLProf would have made of
an export, from what dlprof_export.py finds in it."""

import json
import os
import sqlite3

import dlprof_export
import fabricated_export

SYSTEM = {"gpuCount": 1, "driverVersion": "515.43.04", "cudaVersion": "11.7", "cudnnVersion": "", "framework":
          "PyTorch 1.10.1+cu102", "nsysVersion": "2021.5.1", "cpuModel": "Intel(R) Xeon(R) CPU @ 2.30GHz"}
OPS = {  # function: shapes of its tensors
    "conv2d": ((8, 3, 32, 32), (6, 3, 3, 3)),
    "relu": ((8, 6, 30, 30),),
    "linear": ((8, 64), (10, 64)),
    "cross_entropy": ((8, 10),),
    "cuda": ((8, 3, 32, 32),),
    "fused_dense": ((8, 64), (10, 64)),  # not known to be one that Tensor Cores take
}
NODES = {"conv2d": "CudnnConvolutionBackward0", "relu": "ReluBackward0", "linear": "AddmmBackward0",
         "cross_entropy": "NllLossBackward0"}
KERNELS = {"conv2d": ["void cudnn::fprop<float>(int)", "turing_fp16_s1688cudnn_fp16_128x128"], "relu": ["void relu()"],
           "linear": ["volta_h884gemm_64x128_ldg8_nn"], "cuda": [], "cross_entropy": ["void nll<int>(int)"],
           "fused_dense": ["volta_h884gemm_fused_nn"]}


class Run(fabricated_export.Writer):
    """Time goes on with every call: `now` is the host's, `gpu` is when the stream is free."""

    def __init__(self, path, seed=1):
        super().__init__(path, seed)
        self.now, self.gpu, self.sequence, self.steps = 1000, 0, 0, 0
        self.be(5, 0)

    def be(self, pid, device):
        """The process that does what follows, on the device of its own with this number."""
        self.process, self.device = pid << 24, device
        self.main, self.engine = self.process + 7, self.process + 8

    def machine(self, gpus, **told):
        system = {**SYSTEM, "gpuCount": len(gpus), **told}
        self.add("META_DATA_EXPORT", name="EXPORT_PRODUCT_VERSION", value="2021.5.2")
        self.db.execute("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs)")
        self.db.execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1645000000123456789)")
        self.db.execute(f"CREATE TABLE SystemInfo ({', '.join(system)})")
        self.db.execute(f"INSERT INTO SystemInfo VALUES ({', '.join('?' * len(system))})", list(system.values()))
        for number, (name, multiprocessors, version) in enumerate(gpus):
            self.add("TARGET_INFO_GPU", id=number, name=name, smCount=multiprocessors, computeMajor=version[0],
                     computeMinor=version[1], busLocation=f"0000:{number:02x}:00.0")

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
        shared = {"start": begin, "end": stop, "deviceId": self.device, "contextId": 1, "streamId": 7,
                  "correlationId": self.correlation, "globalPid": self.process}
        if kernel:
            short = kernel.removeprefix("void ").split("<")[0].split("(")[0].split("::")[-1]
            self.add("CUPTI_ACTIVITY_KIND_KERNEL", **shared, demangledName=self.string(kernel),
                     shortName=self.string(short), gridX=8, gridY=2, gridZ=1, blockX=128, blockY=1, blockZ=1)
        if copy:
            self.add("CUPTI_ACTIVITY_KIND_MEMCPY", **shared, bytes=copy, copyKind=1)
        if kernel or copy:
            self.gpu = max(self.gpu, stop)
        self.now += self.random.randint(10, 200)

    def finish(self):
        """In the order of real exports: ranges by begin."""
        self.db.execute("CREATE TABLE sorted AS SELECT * FROM NVTX_EVENTS ORDER BY start, end DESC")
        self.db.execute("DROP TABLE NVTX_EVENTS")
        self.db.execute("ALTER TABLE sorted RENAME TO NVTX_EVENTS")
        self.db.commit()
        self.db.close()

    def work(self, thread, function):
        for kernel in KERNELS[function]:
            self.call(thread, "cudaLaunchKernel_v7000", kernel=kernel)

    def op(self, function, stack, tells=True, line=10, dtype="float32"):
        """A marked call; returns what autograd needs. `tells`: a convolution its padding by name."""
        self.sequence += 1
        sequence = self.sequence
        args = [{"name": "", "type": "tensor", "shape": shape, "dtype": dtype} for shape in OPS[function]]
        if function == "conv2d" and not tells:  # as a module passes them: by place
            args += [{"name": "", "type": "NoneType", "value": None}] + [
                {"name": "", "type": "tuple", "value": value} for value in ((1, 1), (0, 0), (1, 1))]
            args += [{"name": "", "type": "int", "value": 1}]
        elif function == "conv2d":  # by place (no bias), then by name
            args += [{"name": "", "type": "NoneType", "value": None}, {"name": "", "type": "tuple", "value": (2, 1)},
                     {"name": "padding", "type": "int", "value": self.sequence // 2 % 2}]
        marker = str({"traceMarker": [f"train.py:{line}", f"net.py:{len(stack)}, \"forward\""], "funcStack": stack})
        call = str({"mod": "torch.nn.functional", "op": function, "args": args})

        def inner():
            if function == "cross_entropy":  # a marked call that calls another one
                self.push(self.main, str({"traceMarker": ["functional.py:9"], "funcStack": stack + "/nll_loss"}),
                          lambda: self.push(self.main, str({"mod": "torch", "op": "nll_loss", "args": args}), leaf))
            else:
                leaf()

        def leaf():
            self.push(self.main, f"aten::{function}, seq = {sequence}", lambda: self.work(self.main, function))

        self.push(self.main, marker, lambda: self.push(self.main, call, inner))
        return function, sequence

    def backward(self, function, sequence):
        self.push(self.engine, "torch::autograd::AccumulateGrad", lambda: self.work(self.engine, "relu"))  # no op
        self.push(self.engine, f"{NODES[function]}, seq = {sequence}",
                  lambda: self.push(self.engine, f"aten::{function}_backward", lambda: self.work(self.engine, function)))

    def copy_to_device(self):
        """A call that outlives its range."""
        start = self.now
        args = [{"name": "", "type": "tensor", "shape": OPS["cuda"][0], "dtype": "float32"}]
        self.now += 100
        self.call(self.main, "cudaMemcpy_v3020", copy=4096)
        for text, extra in ((str({"traceMarker": ["train.py:9"], "funcStack": "/<module>/<lambda>/cuda"}), 60),
                            (str({"mod": "Tensor", "op": "cuda", "args": args}), 50)):
            self.add("NVTX_EVENTS", start=start + 100 - extra, end=start + 200 + extra, eventType=59, globalTid=self.main,
                     text=text, domainId=0)

    def step(self):
        loader = str({"mod": "torch.utils.data.dataloader", "op": "DataLoader", "args": []})
        stack = "/<module>/Net::_call_impl/Net::forward"
        conv = f"{stack}/Conv2d::_call_impl{{}}/Conv2d::forward/conv2d"
        self.steps += 1
        self.push(self.main, loader, lambda: None)
        self.call(self.main, "cudaMemcpyAsync_v3020", copy=4096)
        self.copy_to_device()
        done = [self.op("conv2d", conv.format(""), tells=False), self.op("relu", f"{stack}/relu"),
                self.op("conv2d", conv.format("(2)")), self.op("relu", f"{stack}/relu(2)"),
                # One function from two lines, with two data types.
                self.op("relu", f"{stack}/relu(2)", line=12, dtype="float16"), self.op("linear", f"{stack}/linear"),
                self.op("cross_entropy", "/<module>/cross_entropy", dtype=("float16", "float32")[self.steps % 2])]
        self.op("fused_dense", f"{stack}/fused_dense")
        for function, sequence in reversed(done):
            self.backward(function, sequence)
        for name in ("cudaDeviceSynchronize_v3020", "cudaFuncGetAttributes_v3020", "cuMemHostAlloc_v2"):
            self.call(self.main, name)
        self.push(self.main, "aten::add_", lambda: self.work(self.main, "relu"))  # no marked call around it


class TensorFlowRun(Run):
    """Ranges as NVIDIA's TensorFlow 1 makes them, in a domain of its own, with ranges of a user's domain around.
    `details`: as it writes them with TF_ENABLE_NVTX_RANGES_DETAILED."""
    details = False

    def node(self, kind, name, kernel=None):
        body = (lambda: self.call(self.main, "cudaLaunchKernel_v7000", kernel=kernel)) if kernel else lambda: None
        text = f"{kind}: {name}"
        if self.details:
            turned = "gradients" in name  # of weights that the product had as they are
            shapes = {"MatMul": ((32, 10), (64, 10)) if turned else ((32, 64), (64, 10)),
                      "Conv2D": ((32, 28, 28, 1), (3, 3, 1, 6))}.get(kind, ((32, 10),))
            args = [{"name": "x", "shape": list(shape)} for shape in shapes]
            attributes = {"T": "float32"}
            if kind == "MatMul":
                attributes.update(transpose_a=False, transpose_b=turned)
            text = json.dumps({"op": kind, "name": name, "args": args, "attrs": attributes}, separators=(",", ":"))
        self.push(self.main, text, body, domain=1)

    def inside(self):
        self.node("Conv2D", "model/conv/Conv2D", "turing_fp16_s1688cudnn_fp16_128x128")
        self.node("MatMul", "model/dense/MatMul", "volta_h884gemm_64x128_ldg8_nn")
        self.node("Relu", "model/dense/Relu", "void relu()")
        self.node("MatMul", "gradients/model/dense/MatMul_grad/MatMul_1", "volta_h884gemm_64x128_ldg8_nt")
        self.node("AssignAdd", "train/AssignAdd")

    def step(self):
        self.push(self.main, "phase: train/step", self.inside, domain=2)
        self.node("VariableV2", "global_step")


def write_tensorflow(path, steps=3, seed=1, details=False):
    run = TensorFlowRun(path, seed)
    run.details = details
    run.machine([("Tesla V100-SXM2-16GB", 80, (7, 0))], framework="TensorFlow 1.15.5", cudnnVersion="8.3.2")
    for number, name in ((1, "tensorflow-core"), (2, "my/app")):
        run.add("NVTX_EVENTS", start=0, eventType=75, globalTid=run.main, text=name, domainId=number)
    for _ in range(steps):
        run.step()
    run.finish()


def write(path, steps=4, seed=1, settings=None, processes=1, tells=True):
    """`processes`: each works on a GPU of its own, which it calls 0 where the export `tells` which one that is."""
    run = Run(path, seed)
    run.machine([("Tesla T4", 40, (7, 5))] * (2 if processes == 1 else 2 * processes))
    if processes > 1 and tells:
        run.db.execute("CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid)")
        run.db.executemany("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (?, 0, ?)", [(i, 5 + i) for i in range(processes)])
    if settings:
        run.push(run.main, json.dumps({"model_config": settings}))
    for _ in range(steps):
        for process in range(processes):
            if processes > 1:
                run.be(5 + process, 0 if tells else process)
            run.step()
    run.finish()


DATABASE = """
CREATE TABLE db_version (current_version TEXT, original_version TEXT);
CREATE TABLE dictionary (id INTEGER PRIMARY KEY, string TEXT);
CREATE TABLE read_only_ops (id INTEGER PRIMARY KEY, domain_id INT, op_id_id INT, op_id INT, op_name TEXT, op_type_id INT,
    device_id INT, tc_support_status INT, data_type_id INT, data_format_id INT, output_format_id INT,
    parameters_format_id INT, direction_id INT, stack_trace TEXT);
CREATE TABLE read_only_op_instances (id INTEGER PRIMARY KEY, read_only_ops_id TEXT, cpu_start INT, cpu_stop INT,
    process_id INT, thread_id INT, input_names_id INT, input_shapes_id INT, output_names_id INT, output_shapes_id INT,
    parameters_id INT);
CREATE TABLE read_only_kernels (id INTEGER PRIMARY KEY, read_only_ops_id TEXT, op_instance TEXT, name_id INT,
    long_name_id INT, uses_tc INT, api_start INT, api_stop INT, gpu_start INT, gpu_stop INT, grid_id INT, block_id INT,
    device_id INT, process_id INT, thread_id INT);
CREATE TABLE read_only_memcpys (id INTEGER PRIMARY KEY, read_only_ops_id TEXT, op_instance TEXT, name_id INT, api_start
    INT, api_stop INT, gpu_start INT, gpu_stop INT, device_id INT, process_id INT, thread_id INT, num_bytes INT, copy_kind INT);
CREATE TABLE read_only_memsets (id INTEGER PRIMARY KEY, read_only_ops_id TEXT, op_instance TEXT, name_id INT, api_start
    INT, api_stop INT, gpu_start INT, gpu_stop INT, device_id INT, process_id INT, thread_id INT, num_bytes INT);
CREATE TABLE read_only_cuda_syncs (id INTEGER PRIMARY KEY, read_only_ops_id TEXT, op_instance TEXT, name_id INT, api_start
    INT, api_stop INT, gpu_start INT, gpu_stop INT, device_id INT, process_id INT, thread_id INT, sync_type INT, event_id INT);
CREATE TABLE read_only_cuda_calls (id INTEGER PRIMARY KEY, read_only_ops_id TEXT, op_instance TEXT, name_id INT,
    api_start INT, api_stop INT, process_id INT, thread_id INT);
CREATE TABLE read_only_grid_block (id INTEGER PRIMARY KEY, x INT, y INT, z INT);
CREATE TABLE read_only_gpu_infos (id INTEGER PRIMARY KEY, device_id INT, gpu_name TEXT, compute_capability_major INT,
    compute_capability_minor INT, sm_count INT);
CREATE TABLE gpu_memories (id INTEGER PRIMARY KEY, total INT, used INT);
CREATE TABLE read_only_system_config (num_gpus INT, cpu_model TEXT, driver_version TEXT, framework TEXT, cuda_version
    TEXT, cudnn_version TEXT, nsys_version TEXT, dlprof_version TEXT, dlprof_build TEXT, mode_enum INT, mode_string TEXT);
CREATE TABLE iteration_list (id INTEGER PRIMARY KEY, aggr_id INT, iter_value INT, start_time INT, stop_time INT);
CREATE TABLE iteration_key (id INTEGER PRIMARY KEY, aggr_id INT, key_node_id INT);
CREATE TABLE model_summary (aggr_id INT, wall_time INT, iter_total INT, iter_start INT, iter_stop INT);
CREATE TABLE expert_systems_feedback (id INTEGER PRIMARY KEY, aggr_id INT, exp_sys_id TEXT, problem TEXT, recommendation
    TEXT);
"""


class Database:
    """What DLProf would have made of a run; `found`: the Files of dlprof_reports.py, whose range is aggregated."""

    def __init__(self, path, found):
        if os.path.exists(path):
            os.unlink(path)
        self.db, self.found, self.run = sqlite3.connect(path), found, found.run
        self.texts, self.sizes = {}, {}
        self.db.executescript(DATABASE)
        self.insert("db_version", current_version="1.8.0", original_version="1.8.0")
        self.ops()
        self.work()
        self.machine()
        self.aggregation()
        self.db.commit()
        self.db.close()

    def insert(self, table, **values):
        self.db.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
                        list(values.values()))

    def text(self, text):
        if text not in self.texts:
            self.texts[text] = len(self.texts) + 1
            self.insert("dictionary", id=self.texts[text], string=text)
        return self.texts[text]

    def size(self, size):
        if size not in self.sizes:
            self.sizes[size] = len(self.sizes) + 1
            self.insert("read_only_grid_block", id=self.sizes[size], **dict(zip("xyz", size)))
        return self.sizes[size]

    def json(self, shapes):
        return self.text(json.dumps(shapes, separators=(",", ":")) + "\n")

    def ops(self):
        self.op_ids, self.instance_ids = {}, {}
        for number, i in enumerate(self.run.instances, 1):
            op, kind = i.op, i.op.kind
            if op not in self.op_ids:
                self.op_ids[op] = len(self.op_ids) + 1
                letters = lambda told: self.text(told) if told else None
                self.insert("read_only_ops", id=self.op_ids[op], domain_id=1, op_id_id=self.text(op.id), op_name=kind.name,
                            op_type_id=self.text(kind.type), tc_support_status=0 if op.eligible else 2 if kind.pseudo else 3,
                            data_type_id=self.text(op.dtype), direction_id=self.text(kind.direction), stack_trace=op.stack,
                            data_format_id=letters(op.letters[0]), output_format_id=letters(op.letters[1]),
                            parameters_format_id=self.text(dlprof_export.PARAMETER_LETTERS) if kind.type == "conv2d" else None)
            self.instance_ids[i] = number
            self.insert("read_only_op_instances", id=number, read_only_ops_id=str(self.op_ids[op]), cpu_start=i.begin,
                        cpu_stop=i.end, process_id=i.thread >> 24, thread_id=i.thread & 0xffffff, input_shapes_id=self.json(i.shapes),
                        output_shapes_id=self.json(i.outputs), parameters_id=self.json(i.parameters))

    def call(self, call):
        i = call.instance
        return {"read_only_ops_id": str(self.op_ids[i.op]), "op_instance": str(self.instance_ids[i]), "api_start": call.begin,
                "api_stop": call.end, "process_id": call.thread >> 24, "thread_id": call.thread & 0xffffff}

    def work(self):
        launches = set()
        for w in self.run.work:
            launches.add(w.call)
            facts = {**self.call(w.call), "gpu_start": w.begin, "gpu_stop": w.end, "device_id": w.device}
            if w.kind == "KERNEL":
                self.insert("read_only_kernels", **facts, name_id=self.text(w.short), long_name_id=self.text(w.kernel),
                            uses_tc=int(w.tc), grid_id=self.size(w.size[:3]), block_id=self.size(w.size[3:]))
            else:
                self.insert("read_only_memcpys", **facts, name_id=self.text(w.call.name), num_bytes=w.bytes, copy_kind=1)
        for call in self.run.all_calls:
            if call in launches:
                continue
            if "Synchronize" in call.name:
                self.insert("read_only_cuda_syncs", **self.call(call), name_id=self.text(call.name), gpu_start=0, gpu_stop=0,
                            device_id=0, sync_type=4)
            else:
                self.insert("read_only_cuda_calls", **self.call(call), name_id=self.text(call.name))

    def machine(self):
        s = self.run.system()
        for number, name in zip(s["ids"], s["gpus"]):
            self.insert("read_only_gpu_infos", device_id=number, gpu_name=name, compute_capability_major=7,
                        compute_capability_minor=5, sm_count=40)
            self.insert("gpu_memories", total=0, used=0)
        self.insert("read_only_system_config", num_gpus=len(s["gpus"]), cpu_model=s["cpu"], driver_version=s["driver"],
                    framework=s["framework"], cuda_version=s["cuda"], cudnn_version=s["cudnn"], nsys_version=s["nsys"],
                    dlprof_version=s["dlprof"], dlprof_build=s["build"], mode_enum=4, mode_string="pytorch")

    def aggregation(self):
        found = self.found
        # An older aggregation: the whole run as one.
        self.insert("iteration_list", aggr_id=1, iter_value=0, start_time=0, stop_time=self.run.iterations[-1][1])
        self.insert("iteration_key", aggr_id=1, key_node_id=self.text(""))
        self.insert("expert_systems_feedback", aggr_id=1, problem="old", recommendation="old")
        for number, (start, stop) in enumerate(self.run.iterations):
            self.insert("iteration_list", aggr_id=2, iter_value=found.first + number, start_time=start, stop_time=stop)
        self.insert("iteration_key", aggr_id=2, key_node_id=self.text(self.run.key_op))
        self.insert("model_summary", aggr_id=2, wall_time=found.wall, iter_total=len(self.run.iterations),
                    iter_start=found.first + found.start, iter_stop=found.first + found.stop)
        for problem, recommendation in found.findings():
            self.insert("expert_systems_feedback", aggr_id=2, problem=problem, recommendation=recommendation)
