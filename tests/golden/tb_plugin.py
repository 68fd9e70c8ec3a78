"""Definitions of PyTorch's TensorBoard plugin (torch-tb-profiler), from the rows of a profile of one rank.

- A step runs from the later of (its ProfilerStep mark, the end of the step before) to the later of (the mark's
  end, the last end of device work launched under the mark). The step before the first one ends with the last device
  work that no step launched and that was over when the first step's own began.
- Each moment of a step has one class, the first that fits: kernel, memcpy, memset, communication (`nccl:` ops of
  the kinds it knows, on the host; NCCL kernels are kernels), runtime call, data loader, CPU op, other.
- GPU utilization = union of kernels / all steps.
- Kernels without a launching call count in the kernel table, and in the step in whose time they run.
- Host self time = duration minus what nests in it: ops, known `nccl:` ops, runtime calls. What crosses the end of the
  span around it is left out of the table. An op alone in an op of the same name is one call with it.
- Device time and runtime calls belong to the op that the source's `External id` names. Where those ids are of
  another id space (PyTorch 1.11 to 2.2; `lost_ids`), no op has any device time, and no call is taken out.
- Tensor Cores are known by an old list of parts of kernel names.
- Times are doubles of us; a trace with decimals since 1970 loses all below 0.25 us (`coarse`).
"""

import collections
import math
import types

from intervals import intersect, length, merge, subtract

COMMUNICATION = {"nccl:broadcast", "nccl:reduce", "nccl:all_reduce", "nccl:all_gather", "nccl:reduce_scatter"}
LOADER = ("enumerate(DataLoader)#", "enumerate(DataPipe)#")
CLASSES = ("Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU Exec")
TENSOR_CORE_NAMES = ("h884", "s884", "h1688", "s1688", "hmma", "i8816", "16816", "dgrad_1x1_stride_2x2",
                     "first_layer_wgrad_kernel", "conv1x1", "conv2d_c1_k1", "direct_group", "xmma_implicit_gemm",
                     "xmma_sparse_conv", "xmma_warp_specialized_implicit_gemm", "xmma_gemm", "xmma_sparse_gemm",
                     "c1688")


def uses_tensor_cores(name):
    return any(part in name for part in TENSOR_CORE_NAMES)


class Plugin:
    def __init__(self, rows, coarse=False, lost_ids=False):
        self.rows, self.coarse, self.lost_ids = rows, coarse, lost_ids
        self.host = [row for row in rows.ops + rows.ranges if not row.name.startswith("ProfilerStep#")]

    def pair(self, row):
        """Begin and end in us, as the plugin's doubles hold them."""
        begin, dur = row.begin / 1000, row.dur / 1000
        if self.coarse:
            return begin, begin + dur
        base = self.rows.origin // 1000 * 1000  # near numbers keep all digits
        return (row.begin - base) / 1000, (row.begin - base + row.dur) / 1000

    def merged(self, rows):
        return merge(self.pair(row) for row in rows)

    def step_bounds(self):
        steps = self.rows.steps()
        work = [row for row in self.rows.work if row.kind != "sync"]

        def under(step, row):
            return row.call is not None and step.begin <= row.call <= step.begin + step.dur
        launched = [[row for row in work if under(step, row)] for step in steps]
        previous, bounds = -math.inf, []
        if steps and launched[0]:
            first = min(self.pair(row)[0] for row in launched[0])
            others = [row for row in work if not any(under(step, row) for step in steps)]
            previous = max([previous] + [self.pair(row)[1] for row in others if self.pair(row)[1] < first])
        for step, rows in zip(steps, launched):
            begin, end = self.pair(step)
            begin = max(begin, previous)
            previous = max([begin, end] + [self.pair(row)[1] for row in rows])
            bounds.append((step.name.split("#")[1], begin, previous))
        return bounds

    def layers(self):
        kinds = {kind: self.merged(work for work in self.rows.work if work.kind == kind)
                 for kind in ("kernel", "memcpy", "memset")}
        return {"Kernel": kinds["kernel"], "Memcpy": kinds["memcpy"], "Memset": kinds["memset"],
                "Communication": self.merged(row for row in self.host if row.name in COMMUNICATION),
                "Runtime": self.merged(self.rows.calls),
                "DataLoader": self.merged(row for row in self.host if row.name.startswith(LOADER)),
                "CPU Exec": self.merged(self.host)}

    def overview(self):
        """For each step: its number -> {class: us, "Other": us, "Total(us)": us}"""
        layers, steps = self.layers(), {}
        for number, begin, end in self.step_bounds():
            free, times = [[begin, end]], {}
            for name in CLASSES:
                times[name] = length(intersect(layers[name], free))
                free = subtract(free, layers[name])
            times["Other"], times["Total(us)"] = length(free), end - begin
            steps[number] = times
        return steps

    def communication(self):
        """For each step: computation, communication and overlap, in us. NCCL kernels count as computation."""
        layers, steps = self.layers(), {}
        nccl = [work for work in self.rows.kernels() if work.name.startswith("nccl") and
                self.op_by_external_id(work) is not None]
        both = merge([tuple(pair) for pair in layers["Communication"]] + [self.pair(work) for work in nccl])
        for number, begin, end in self.step_bounds():
            inside = intersect(both, [[begin, end]])
            steps[number] = {"computation": length(intersect(layers["Kernel"], [[begin, end]])),
                             "communication": length(inside), "overlap": length(intersect(inside, layers["Kernel"]))}
        return steps

    def kernels(self):
        """name -> (calls, sum, min, max) in us"""
        durations = collections.defaultdict(list)
        for kernel in self.rows.kernels():
            durations[kernel.name].append(kernel.dur / 1000)
        return {name: (len(values), sum(values), min(values), max(values)) for name, values in durations.items()}

    def tensor_core_ratio(self):
        kernels = self.rows.kernels()
        return sum(kernel.dur for kernel in kernels if uses_tensor_cores(kernel.name)) / \
            sum(kernel.dur for kernel in kernels)

    def utilization(self):
        steps = self.step_bounds()
        inside = merge((begin, end) for _, begin, end in steps)
        return 100 * length(intersect(self.layers()["Kernel"], inside)) / sum(end - begin for _, begin, end in steps)

    def op_by_external_id(self, work):
        if not hasattr(self, "by_external_id"):
            self.by_external_id = {op.external_id: op for op in self.rows.ops if op.external_id is not None}
        return self.by_external_id.get(work.external_id)

    def operators(self):
        """name -> {calls, host_self, host_total, device_self, device_total} in us"""
        device = collections.Counter()
        for work in self.rows.work:
            op = None if work.kind == "sync" or self.lost_ids else self.op_by_external_id(work)
            if op is not None:
                device[op.id] += self.duration(work)
        table = collections.defaultdict(collections.Counter)
        for root in self.trees():
            self.add_to_table(root, frozenset(), device, table)
        return table

    def add_to_table(self, node, names_above, device, table):
        row, merged = node.row, []
        while len(node.children) == 1 and node.is_op and node.children[0].is_op and node.children[0].row.name == row.name:
            merged.append(node.children[0].row.id)
            node.children = node.children[0].children
        names = names_above
        if node.is_op:
            own = sum(device[number] for number in [row.id] + merged)
            names = names_above | {row.name}
            for name in names:  # counts once for each name up the tree
                table[name]["device_total"] += own
            entry = table[row.name]
            entry["device_self"] += own
            entry["calls"] += 1
            entry["host_total"] += self.duration(row)
            # calls inside an nccl: op bear the id of the op around it, so they are taken out beside it
            taken = node.children + [call for child in node.children if not child.is_op for call in child.children]
            entry["host_self"] += self.duration(row) - sum(self.duration(child.row) for child in taken)
        for child in node.children:
            self.add_to_table(child, names, device, table)

    def trees(self):
        """What nests on each thread, as a tree of nodes (row, is_op, children)."""
        threads = collections.defaultdict(list)
        calls = [] if self.lost_ids else self.rows.calls
        collectives = [row for row in self.rows.ranges if row.name in COMMUNICATION]
        for is_op, rows in ((True, self.rows.ops), (False, collectives), (False, calls)):
            for row in rows:
                threads[row.track].append((*self.pair(row), types.SimpleNamespace(row=row, is_op=is_op, children=[])))
        for spans in threads.values():
            spans.sort(key=lambda span: (span[0], -span[1]))
            top = types.SimpleNamespace(row=None, is_op=False, children=[])
            around = [(math.inf, top)]
            for begin, end, node in spans:
                while around[-1][0] <= begin:
                    around.pop()
                if end <= around[-1][0]:
                    around[-1][1].children.append(node)
                    around.append((end, node))
            yield from top.children

    def duration(self, row):
        begin, end = self.pair(row)
        return end - begin if self.coarse else row.dur / 1000
