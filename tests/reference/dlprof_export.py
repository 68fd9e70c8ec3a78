"""What DLProf finds in an export of Nsight Systems, in plain Python: ops, their calls, work and iterations. Rules:
docs/DLPROF.md. Exports with marked calls (Python dicts), with the ranges of PyTorch's emit_nvtx, or with TensorFlow's."""

import ast
import collections
import json
import re
import sqlite3

ELIGIBLE = {"conv2d", "linear", "einsum", "matmul", "mm", "bmm", "addmm", "baddbmm", "scaled_dot_product_attention",
            "MatMul", "Conv2D"}
TC = re.compile("s884|h884|s1688|h1688|16816")
LETTERS = {"conv2d": ("N,C,H,W;K,C,R,S", "N,K,P,Q"), "linear": ("N,K;M,K", "N,M")}  # inputs, outputs
PARAMETER_LETTERS = "SH,SW;PH,PW;DH,DW;G"


class Kind:
    """What the calls of one function have in common."""

    def __init__(self, name, direction, kind, pseudo=False, by_name=False):
        self.name, self.direction, self.type, self.pseudo, self.by_name = name, direction, kind, pseudo, by_name


class Op:
    """`first`: its first call, whose data type and stack it has."""

    def __init__(self, kind, number, first):
        self.kind, self.id = kind, f"{kind.type.upper()}_{number}"
        self.dtype, self.stack, self.letters = first.dtype, first.stack, first.letters
        self.uses_tc, self.eligible = False, kind.type in ELIGIBLE


class Instance:
    def __init__(self, kind, begin, end, dtype="", stack="", shapes=None, parameters=None, outputs=None, letters=("", "")):
        self.kind, self.begin, self.end = kind, begin, end
        self.dtype, self.stack, self.letters = dtype, stack, letters
        self.shapes, self.parameters, self.outputs = shapes, parameters, outputs  # lists; None: not told
        self.api, self.work, self.iteration, self.op, self.thread = 0, [], 0, None, None

    def times(self):
        covered, last = 0, -1
        for begin, end in sorted((w.begin, w.end) for w in self.work):
            covered += max(0, end - max(begin, last))
            last = max(last, end)
        span = max(w.end for w in self.work) - min(w.begin for w in self.work) if self.work else 0
        return self.end - self.begin, covered, max(0, self.end - self.begin - self.api), span - covered


class Work:
    def __init__(self, kind, begin, end, device):
        self.kind, self.begin, self.end, self.device = kind, begin, end, device
        self.kernel = self.short = self.call = self.instance = self.bytes = None
        self.size, self.tc = ("",) * 6, False

    def call_ns(self):
        return self.call.end - self.call.begin if self.call else 0


class Call:
    def __init__(self, name, begin, end, thread):
        self.name, self.begin, self.end, self.thread = name, begin, end, thread
        self.instance = None


def conv_geometry(args, tensors):
    told = {a["name"] or {3: "stride", 4: "padding", 5: "dilation", 6: "groups"}.get(i): a["value"]
            for i, a in enumerate(args) if "value" in a and a["value"] is not None}
    told = {key: value for key, value in told.items() if key in ("stride", "padding", "dilation", "groups")}
    pair = lambda name, otherwise: [told[name]] * 2 if isinstance(told.get(name), int) else list(told.get(name, otherwise))
    stride, padding, dilation = pair("stride", (1, 1)), pair("padding", (0, 0)), pair("dilation", (1, 1))
    n, k, sizes, filters = tensors[0][0], tensors[1][0], tensors[0][2:], tensors[1][2:]
    out = [(sizes[i] + 2 * padding[i] - dilation[i] * (filters[i] - 1) - 1) // stride[i] + 1 for i in (0, 1)]
    named = any(a["name"] in told for a in args if "value" in a)
    return [stride, padding, dilation, [told.get("groups", 1)]] if named else None, [[n, k, *out]]


class Export:
    def __init__(self, path, key_op="", writer=""):
        self.writer = writer  # who counts, where it was not DLProf
        self.db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        self.db.row_factory = sqlite3.Row
        self.tables = {name for name, in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.strings = dict(self.db.execute("SELECT id, value FROM StringIds").fetchall())
        self.kinds, self.by_sequence, self.settings = {}, {}, {}
        self.key_op, self.tensorflow = key_op, False
        self.read_ranges()
        self.read_calls()
        self.read_work()
        self.cut()
        self.number()
        for w in self.work:
            if w.tc:
                w.instance.op.uses_tc = w.instance.op.eligible = True

    def rows(self, table, order="start"):
        return self.db.execute(f"SELECT * FROM {table} ORDER BY {order}").fetchall() if table in self.tables else []

    def kind(self, *facts):
        return self.kinds.setdefault(facts, Kind(*facts))

    def pseudo(self, name, begin, end, thread=None):
        instance = Instance(self.kind("unassociated" + (name and "_" + name), "", name or "unassociated", True), begin, end)
        instance.thread = thread
        self.instances.append(instance)
        return instance

    # Ranges -> instances by thread.
    def read_ranges(self):
        threads = collections.defaultdict(list)
        domains = {r["domainId"]: r["text"] for r in self.rows("NVTX_EVENTS") if r["eventType"] == 75}
        for order, row in enumerate(self.rows("NVTX_EVENTS")):
            if row["eventType"] != 59 or row["end"] is None:
                continue
            text = row["text"] if row["text"] is not None else self.strings[row["textId"]]
            domain = domains.get(row["domainId"]) or ""
            self.tensorflow |= domain.startswith("tensorflow")
            if text.startswith('{"model_config"'):
                self.settings.update(json.loads(text)["model_config"])
            threads[row["globalTid"]].append((row["start"], -row["end"], order, text, domain))
        self.marked = any(text.startswith("{") and "'op'" in text and not domain for r in threads.values() for *_, text, domain in r)
        self.by_thread, later = {}, []
        for thread, ranges in threads.items():
            self.by_thread[thread] = []
            open_ranges, end_of_op = [], -1
            for begin, negative_end, _, text, domain in sorted(ranges):
                end = -negative_end
                open_ranges = [r for r in open_ranges if r[0] > begin]
                instance = self.instance_of(text, domain, begin, end, open_ranges) if begin >= end_of_op else None
                if instance:
                    instance.thread, end_of_op = thread, end
                    self.by_thread[thread].append(instance)
                    if instance.kind is None:
                        later.append((instance, *re.match(r"(\w+Backward\d*), seq = (\d+)", text).groups()))
                sequence = re.search(r", seq = (\d+)", text)
                if sequence and "Backward" not in text and begin < end_of_op:
                    self.by_sequence[thread >> 24, int(sequence[1])] = self.by_thread[thread][-1]
                open_ranges.append((end, text))
        for instance, node, sequence in later:
            forward = self.by_sequence.get((instance.thread >> 24, int(sequence)))
            if forward:
                instance.kind = self.kind(forward.kind.name, "bprop", forward.kind.type)
                for told in ("dtype", "stack", "letters", "shapes", "parameters", "outputs"):
                    setattr(instance, told, getattr(forward, told))
            else:
                instance.kind = self.kind("/" + node, "bprop", node)
        self.pytorch = self.marked or any(i.kind.name.startswith("/aten::") for t in self.by_thread.values() for i in t)

    def instance_of(self, text, domain, begin, end, open_ranges):
        if domain.startswith("tensorflow"):
            if text.startswith("{"):
                node = json.loads(text)
                shapes = [arg["shape"] for arg in node["args"]]
                outputs, letters = None, ("", "")
                if node["op"] == "MatMul":
                    turned = [node["attrs"].get(f"transpose_{side}") for side in "ab"]
                    outputs = [[shapes[0][1 if turned[0] else 0], shapes[1][0 if turned[1] else 1]]]
                    letters = f'{"K,M" if turned[0] else "M,K"};{"N,K" if turned[1] else "K,N"}', "M,N"
                kind = self.kind(node["name"], "", node["op"], False, True)
                return Instance(kind, begin, end, node["attrs"].get("T", ""), "", shapes or None, None, outputs, letters)
            kind, name = text.split(": ", 1)
            return Instance(self.kind(name, "", kind, False, True), begin, end)
        if text.startswith("{"):
            call = ast.literal_eval(text) if "'op'" in text else {}
            if not call:
                return None
            marker = ast.literal_eval(open_ranges[-1][1]) if open_ranges and "funcStack" in open_ranges[-1][1] else {}
            tensors = [list(a["shape"]) for a in call["args"] if "shape" in a]
            dtypes = [a["dtype"] for a in call["args"] if "shape" in a]
            name = re.sub(r"\((\d+)\)(?=/|$)", r"[\1]", re.sub("[<>]", "", marker.get("funcStack", "/" + call["op"])))
            kind = self.kind(name, "fprop", call["op"])
            parameters = outputs = None
            if call["op"] == "conv2d":
                parameters, outputs = conv_geometry(call["args"], tensors)
            elif call["op"] == "linear":
                outputs = [[tensors[0][0], tensors[1][0]]]
            return Instance(kind, begin, end, dtypes[0] if dtypes else "", "\n".join(marker.get("traceMarker", ())),
                            tensors or None, parameters, outputs, LETTERS.get(call["op"], ("", "")))
        if re.match(r"(\w+Backward\d*), seq = (\d+)", text):
            return Instance(None, begin, end)
        plain = re.match(r"(\w+::(\w+))(, op_id = |$)", text)
        is_op = plain and not self.marked and (plain[3] or text.startswith("aten::"))
        return Instance(self.kind("/" + plain[1], "fprop", plain[2]), begin, end) if is_op else None

    def read_calls(self):
        self.calls, self.instances = {}, [i for thread in self.by_thread.values() for i in thread]
        self.all_calls = []
        last = {}
        for row in self.rows("CUPTI_ACTIVITY_KIND_RUNTIME"):
            thread, begin, end = row["globalTid"], row["start"], row["end"]
            call = last.get(thread)
            if not call or begin >= call.end:  # a call inside another one is part of it
                call = last[thread] = Call(self.strings[row["nameId"]], begin, end, thread)
                call.instance = next((i for i in self.by_thread.get(thread, ()) if i.begin <= begin < i.end), None)
                if not call.instance:
                    call.instance = self.pseudo(call.name, begin, end, thread)
                call.instance.api += end - begin
                self.all_calls.append(call)
            self.calls[thread >> 24, row["correlationId"]] = call

    def read_work(self):
        self.work = []
        # GPUs of the machine, by process and its own number.
        seen = {(row["pid"], row["cudaId"]): row["gpuId"] for row in self.rows("TARGET_INFO_CUDA_DEVICE", "gpuId")}
        for table in ("KERNEL", "MEMCPY", "MEMSET"):
            for row in self.rows("CUPTI_ACTIVITY_KIND_" + table):
                process = (row["globalPid"] >> 24) & 0xffffff
                w = Work(table, row["start"], row["end"], seen.get((process, row["deviceId"]), row["deviceId"]))
                if table == "KERNEL":
                    w.kernel, w.short = self.strings[row["demangledName"]], self.strings[row["shortName"]]
                    w.size = tuple(row[f"{which}{axis}"] for which in ("grid", "block") for axis in "XYZ")
                    w.tc = bool(TC.search(w.kernel))
                else:
                    w.bytes = row["bytes"]
                w.call = self.calls.get((row["globalPid"] >> 24, row["correlationId"]))
                if w.call:
                    w.instance = w.call.instance
                else:
                    w.instance = self.pseudo("", w.begin, w.begin)
                w.instance.work.append(w)
                self.work.append(w)

    # The key op's calls end the iterations; the first begins with the session.
    def cut(self):
        on_cpu = [i for i in self.instances if i.end > i.begin]
        key = self.key_op or ("global_step" if self.tensorflow else "")
        if key and not self.tensorflow:  # as an id, of the profile as one iteration
            self.number()
            key = next(i.kind for i in self.instances if i.op.id == key)
        ends = sorted({i.end for i in self.instances if key and key in (i.kind, i.kind.name)})
        self.split = bool(ends)
        last = max(i.end for i in on_cpu)
        if not ends or any(i.begin >= ends[-1] for i in on_cpu):
            ends.append(last)
        self.iterations = list(zip([0, *ends], ends))
        for i in self.instances:
            i.iteration = min(sum(end <= i.begin for end in ends), len(ends) - 1)

    # Calls of one kind are ops by their place in the iteration; ids count up by first call.
    def number(self):
        places, ops, counts = collections.Counter(), {}, collections.Counter()
        for i in sorted(self.instances, key=lambda i: i.begin):
            place = 0 if i.kind.by_name else places[i.iteration, i.kind]
            places[i.iteration, i.kind] += 1
            if (i.kind, place) not in ops:
                counts[i.kind.type.upper()] += 1
                ops[i.kind, place] = Op(i.kind, counts[i.kind.type.upper()], i)
            i.op = ops[i.kind, place]

    # What databases of DLProf may have, and exports do not.

    def add_inside(self):
        """Pseudo-ops inside calls and inside ops, each of which is recorded as an op of its own."""
        for call in [c for c in self.all_calls if "DeviceSynchronize" in c.name]:
            self.add_call("cuCtxSynchronize", call.begin + 10, call.end - 10, call.thread)
        for op in [i for i in self.instances if i.kind.type == "relu" and i.kind.direction == "fprop"]:
            self.add_call("cudaEventQuery_v3020", op.begin + 5, op.begin + 15, op.thread)
        self.cut()
        self.number()
        for w in self.work:
            if w.tc:
                w.instance.op.uses_tc = w.instance.op.eligible = True

    def add_call(self, name, begin, end, thread):
        call = Call(name, begin, end, thread)
        call.instance = self.pseudo(name, begin, end, thread)
        call.instance.api = end - begin
        self.all_calls.append(call)

    def rule_out(self, *types):
        """Ops that are recorded as not eligible, though they may use Tensor Cores."""
        for op in {i.op for i in self.instances if i.kind.type in types}:
            op.eligible = False

    def system(self):
        gpus = {row["id"]: row["name"] for row in self.rows("TARGET_INFO_GPU", "id")} or {w.device: "" for w in self.work}
        info = dict(self.rows("SystemInfo", "rowid")[0]) if "SystemInfo" in self.tables else {}
        env = {row["name"]: row["value"] for row in self.rows("TARGET_INFO_SYSTEM_ENV", "name")}
        product = [row["value"] for row in self.rows("META_DATA_EXPORT", "name") if row["name"] == "EXPORT_PRODUCT_VERSION"]
        cuda = env.get("CudaDriverVersion", "")
        return {"gpus": [name for _, name in sorted(gpus.items()) if name], "ids": sorted(gpus),
                "cpu": info.get("cpuModel") or env.get("CpuDescription", ""),
                "driver": info.get("driverVersion") or env.get("NvDriverVersion", ""),
                "framework": info.get("framework") or ("PyTorch" if self.pytorch else "TensorFlow" if self.tensorflow else ""),
                "cuda": info.get("cudaVersion") or (f"{cuda[:2]}.{int(cuda[2:]) // 10}" if cuda else ""),
                "cudnn": info.get("cudnnVersion", ""), "nsys": info.get("nsysVersion") or "".join(product),
                "dlprof": "v1.8.0" if info else self.writer, "build": "r21.12" if info else ""}
