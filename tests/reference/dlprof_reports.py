"""DLProf's eight reports, in plain Python: what `opsight report --style dlprof` has to write, byte for byte, of a run that
dlprof_export.py read. Rules: docs/DLPROF.md."""

import collections
import math
import statistics

from dlprof_export import PARAMETER_LETTERS

TIMES = [f"{part} {what} (ns)" for what in ("CPU Time", "GPU Time", "CPU Overhead", "GPU Idle")
         for part in ("Total", "Avg.", "Min", "Max")]


def quoted(text):
    return '"' + str(text).replace('"', '""') + '"'


def decimal(value):
    return f"{value:.1f}"


def yes(value):
    return "yes" if value else "no"


def metric(values):
    return [sum(values), decimal(sum(values) / len(values)), min(values), max(values)]


def sixteen(samples):
    return [cell for column in zip(*samples) for cell in metric(column)]


def lettered(shapes, letters):
    if shapes is None:
        return ""
    groups = [group.split(",") for group in (letters or "").split(";")]
    parts = []
    for index, shape in enumerate(shapes):
        names = groups[index] if index < len(groups) and len(groups[index]) == len(shape) and groups[index] != [""] else None
        parts.append("<" + ", ".join(f"{names[i]}:{n}" if names else str(n) for i, n in enumerate(shape)) + ">")
    return "; ".join(parts)


def length(pieces):
    return sum(end - begin for begin, end in pieces)


def without(pieces, spans):
    """What of the sorted pieces no span covers."""
    left, spans, next_span = [], sorted(spans), 0
    for begin, end in pieces:
        while next_span < len(spans) and spans[next_span][0] < end:
            first, last = spans[next_span]
            if first > begin:
                left.append((begin, first))
            begin = max(begin, last)
            if last > end:  # the next piece meets it, too
                break
            next_span += 1
        if begin < end:
            left.append((begin, end))
    return left


def table(title, heads, rows):
    return "".join(",".join(map(str, row)) + "\n" for row in [[title], heads, *rows])


class Files:
    """Of a run (Export, or what looks like one) and a range of iterations, both ends taken. `first`: what the first
    iteration is numbered."""

    def __init__(self, run, start=0, stop=None, first=0):
        self.run, self.start, self.first = run, start, first
        self.stop = len(run.iterations) - 1 if stop is None else stop
        self.instances = [i for i in run.instances if self.start <= i.iteration <= self.stop]
        self.work = [w for w in run.work if self.start <= w.instance.iteration <= self.stop]
        self.ids = run.system()["ids"]
        self.begin, self.end = run.iterations[self.start][0], run.iterations[self.stop][1]
        self.wall = self.end - self.begin

    def all(self):
        return {name: getattr(self, name)() for name in
                ("summary", "detailed", "iteration", "kernel", "tensor_core", "op_type", "group_op", "expert_systems")}

    def by(self, key, items):
        groups = collections.defaultdict(list)
        for item in items:
            groups[key(item)].append(item)
        return groups

    def detailed(self):
        rows = []
        for op, of in self.by(lambda i: i.op, self.instances).items():
            k = op.kind
            rows.append((op.id, [quoted(op.id), quoted(k.name), k.direction, quoted(k.type), len(of), yes(op.eligible),
                                 yes(op.uses_tc), *sixteen([i.times() for i in of]), op.dtype, quoted(op.stack)]))
        heads = ["Op ID", "Op Name", "Direction", "Op Type", "No. Calls", "TC Eligible", "Using TC", *TIMES, "Data Type", "Stack Trace"]
        return table("All Iterations", heads, [row for _, row in sorted(rows)])

    def iteration(self):
        rows = []
        for w in self.work:
            if w.kind != "KERNEL":
                continue
            i, op, k = w.instance, w.instance.op, w.instance.kind
            rows.append(((k.name, op.id, w.short, w.begin), [
                self.first + i.iteration, quoted(op.id), quoted(k.name), k.direction, quoted(k.type), quoted(w.short), w.device, w.begin,
                w.end - w.begin, w.call.begin if w.call else "", w.call_ns(), yes(w.tc), *w.size, op.dtype,
                quoted(lettered(i.shapes, i.letters[0])), quoted(lettered(i.parameters, PARAMETER_LETTERS)),
                quoted(lettered(i.outputs, i.letters[1])), quoted(w.kernel)]))
        heads = ("Iteration,Op ID,Op Name,Direction,Op Type,Kernel Name,Device ID,GPU Start Time (ns),GPU Duration (ns),"
                 "API Call Start (ns),API Call Time (ns),Uses TC,Grid X,Grid Y,Grid Z,Block X,Block Y,Block Z,Data Types,"
                 "Input Shapes,Parameters,Output Shapes,Long Kernel Name")
        return table("Iteration Report", [heads], [row for _, row in sorted(rows)])

    def kernels(self):
        return [w for w in self.work if w.kind == "KERNEL"]

    def kernel(self):
        rows = []
        for (op, short), of in self.by(lambda w: (w.instance.op, w.short), self.kernels()).items():
            rows.append(((op.kind.name, op.id, short), [
                quoted(short), quoted(op.id), quoted(op.kind.name), op.kind.direction, yes(any(w.tc for w in of)),
                *metric([w.end - w.begin for w in of]), *metric([w.call_ns() for w in of])]))
        heads = ["Kernel Name", "Op ID", "Op Name", "Direction", "Uses TC"]
        heads += [f"{part} {what} (ns)" for what in ("GPU Time", "API Time") for part in ("Total", "Avg", "Min", "Max")]
        return table("Kernel Report", heads, [row for _, row in sorted(rows)])

    def tensor_core(self):
        rows = []
        for op, of in self.by(lambda i: i.op, self.instances).items():
            if not op.eligible:
                continue
            kernels = [w for i in of for w in i.work if w.kind == "KERNEL"]
            tc, other = (sum(w.end - w.begin for w in kernels if w.tc == use) for use in (True, False))
            names = [sorted({w.short for w in kernels if w.tc == use}) for use in (True, False)]
            rows.append((op.id, [quoted(op.id), quoted(op.kind.name), op.kind.direction, quoted(op.kind.type), yes(tc > 0),
                                 tc + other, tc, other, decimal(100 * tc / (tc + other) if kernels else 0),
                                 len(names[0]) + len(names[1]), len(names[0]), quoted(", ".join(names[0])), len(names[1]),
                                 quoted(", ".join(names[1]))]))
        heads = ("Op ID,Op Name,Direction,Op Type,Uses TC,Total GPU Time (ns),TC GPU Time (ns),Non-TC GPU Time (ns),"
                 "TC Utilization (%),Total Kernel Count,TC Kernel Count,TC Kernel Names,Non-TC Kernel Count,Non-TC Kernel Names")
        return table("Tensor Core Report", [heads], [row for _, row in sorted(rows)])

    def op_type(self):
        rows = [[quoted(kind), len({i.op for i in of}), len(of), *sixteen([i.times() for i in of])]
                for kind, of in sorted(self.by(lambda i: i.kind.type, self.instances).items())]
        return table("Op Type Summary Report", ["Op Type", "# Ops", "# Calls", *TIMES], rows)

    def group_op(self):
        groups = collections.defaultdict(list)
        for i in self.instances:
            groups["_CompleteModel_"].append(i)
            for place, letter in enumerate(i.kind.name):
                if letter == "/" and not i.kind.pseudo:
                    groups[i.kind.name[:place + 1]].append(i)
        rows = []
        for name, of in sorted(groups.items()):
            samples = [[sum(column) for column in zip(*(i.times() for i in one))] for one in self.by(lambda i: i.iteration, of).values()]
            ops = {i.op for i in of}
            rows.append([quoted(name), len(of), sum(o.eligible for o in ops), sum(o.uses_tc for o in ops), *sixteen(samples)])
        return table("Group Op Report", ["Name", "Num Calls Aggregated", "Num TC Eligible Ops", "Num Ops Using TC", *TIMES], rows)

    def shares(self):
        """TC kernels, other kernels, memory, loading, I/O, CPU, other: in percent, each what the ones before left, on each
        GPU; the mean of all of them."""
        run = self.run
        loads = [(i.begin, i.end) for i in self.instances if i.kind.type == "DataLoader"]
        cpu = [(i.begin, i.end) for i in self.instances if i.kind.type != "DataLoader"]
        sums = [0.0] * 7
        for gpu in self.ids:
            on = [w for w in self.work if w.device == gpu]
            spans = lambda fits: [(w.begin, w.end) for w in on if fits(w)]
            left = [(self.begin, self.end)]
            for place, of in enumerate([spans(lambda w: w.tc), spans(lambda w: w.kind == "KERNEL" and not w.tc),
                                        spans(lambda w: w.kind != "KERNEL"), loads, [], cpu]):
                rest = without(left, of)
                sums[place] += 100 * (length(left) - length(rest)) / self.wall
                left = rest
            sums[6] += 100 * length(left) / self.wall
        return [s / len(self.ids) for s in sums]

    def gpu_utilization(self):
        total = 0.0
        for gpu in self.ids:
            covered, last = 0, self.begin
            for begin, end in sorted((w.begin, min(w.end, self.end)) for w in self.kernels() if w.device == gpu):
                covered += max(0, end - max(begin, last))
                last = max(last, end)
            total += 100 * covered / self.wall
        return total / len(self.ids)

    def summary(self):
        s = self.run.system()
        lines = ["System Config", f"GPU Count,{len(s['ids'])}", f"GPU Name(s),{', '.join(s['gpus'])}", f"CPU Model,{s['cpu']}",
                 f"GPU Driver Version,{s['driver']}", f"Framework,{s['framework']}", f"CUDA Version,{s['cuda']}"]
        lines += [f"cuDNN Version,{s['cudnn']}"] if s["cudnn"] else []
        lines += [f"NSys Version,{s['nsys']}", f"DLProf Version,{s['dlprof']}", f"DLProf Build,{s['build']}", "", "Summary Report",
                  f"Wall Clock Time (ns),{self.wall}"]
        eligible = [w for w in self.kernels() if w.instance.op.eligible]
        all_ns = sum(w.end - w.begin for w in eligible)
        tc_ns = sum(w.end - w.begin for w in eligible if w.tc)
        lines += [f"Tensor Core Kernel Utilization %,{decimal(100 * tc_ns / all_ns if all_ns else 0)}",
                  f"GPU Utilization %,{decimal(self.gpu_utilization())}"]
        names = ("Tensor Core Kernel", "Non-Tensor Core Kernel", "Memory", "Dataloader", "IO", "CPU", "Other")
        lines += [f"{name} Duration %,{decimal(share)}" for name, share in zip(names, self.shares())]
        lengths = [b - a for a, b in self.run.iterations[self.start:self.stop + 1]]
        mean = self.wall / len(lengths)
        deviation = math.sqrt(sum((n - mean) ** 2 for n in lengths) / (len(lengths) - 1)) if len(lengths) > 1 else 0
        lines += ["", "Iterations", f"Total Iterations,{len(self.run.iterations)}", f"Aggregated Iterations,{len(lengths)}",
                  f"Start Iteration,{self.first + self.start}", f"Stop Iteration,{self.first + self.stop}", f"Average Iteration Time (ns),{decimal(mean)}",
                  f"Iteration Time Standard Deviation,{decimal(deviation)}"]
        lines += ["", "All Ops", ",GPU Time (ns),CPU Time (ns),# Ops"]
        for name, fits in (("All ops", lambda o: True), ("Ops using TC", lambda o: o.uses_tc),
                           ("Ops eligible for TC but not using", lambda o: o.eligible and not o.uses_tc),
                           ("All other ops", lambda o: not o.eligible and not o.uses_tc)):
            of = [i for i in self.instances if fits(i.op)]
            lines.append(f"{name},{sum(i.times()[1] for i in of)},{sum(i.end - i.begin for i in of)},{len({i.op for i in of})}")
        lines += ["", "All Kernels", ",GPU Time (ns),CPU Time (ns),# Kernels"]
        for name, fits in (("All kernels", lambda w: True), ("Kernels using TC", lambda w: w.tc),
                           ("Memory", lambda w: w.kind != "KERNEL"), ("All other kernels", lambda w: w.kind == "KERNEL" and not w.tc)):
            of = [w for w in self.work if fits(w)]
            names = {("kernel", w.short) if w.kind == "KERNEL" else ("call", w.call.name if w.call else w.kind) for w in of}
            lines.append(f"{name},{sum(w.end - w.begin for w in of)},{sum(w.call_ns() for w in of)},{len(names)}")
        return "\n".join(lines) + "\n"

    def findings(self):
        run, found = self.run, []
        ops = {i.op for i in self.instances}
        eligible = [o for o in ops if o.eligible]
        if run.tensorflow:
            found.append(("XLA is not enabled: No XLA ops detected", "Try enabling XLA. See "
                          "https://www.tensorflow.org/xla/#enable_xla_for_tensorflow_models for information on how to enable XLA."))
        if eligible and not any(o.dtype == "float16" for o in eligible):
            count = "1 op was" if len(eligible) == 1 else f"{len(eligible)} ops were"
            found.append((f"{count} eligible to use tensor cores but none are using FP16", "Try enabling AMP (Automatic Mixed "
                          "Precision). For more information: https://developer.nvidia.com/automatic-mixed-precision"))
        idle = [str(gpu) for gpu in self.ids if all(w.device != gpu for w in self.kernels())]
        low = self.gpu_utilization()
        if idle:
            found.append(("The following GPU device IDs are not being used: " + " ".join(idle), "Make sure to pass the necessary "
                          "options to docker, the framework, and the model to use all available GPUs"))
        elif low < 50:
            share, name = max(zip(self.shares()[3:], ("Dataloader", "IO", "CPU", '"Other"')), key=lambda pair: pair[0])
            advice = "Consider swapping ops that are running on the CPU for equivalent GPU ops" if name == "CPU" else (
                "Investigate the dataloading pipeline as this often indicates too much time is being spent here")
            found.append((f"The GPU is underutilized: Only {decimal(low)}% of the profiled time is spent on GPU kernel operations",
                          f"{name} has the highest (non-GPU) usage at {decimal(share)}%. {advice}"))
        if run.pytorch:
            found.append(("No DALI ops detected", "Consider using NVIDIA DALI, a library that is a high performance alternative to "
                          "built-in data loaders and data iterators. Learn more here: https://developer.nvidia.com/DALI"))
        if not run.split:
            key = run.key_op or ("global_step" if run.tensorflow else "")
            found.append((f"Unable to split profile into training iterations: key op {key} not found",
                          "Specify key op by setting the --key_op argument"))
        lengths = [b - a for a, b in run.iterations[self.start:self.stop + 1]]
        if run.split and len(lengths) > 1 and statistics.stdev(lengths) > 0.25 * statistics.mean(lengths):
            found.append((f"The aggregated iteration range of {self.first + self.start} to {self.first + self.stop} contains a lot of variation",
                          "Try limiting the iteration range to a steady range by rerunning with the --database option and "
                          "setting --iter_start and --iter_stop"))
        if run.settings.get("cudnn_benchmark_disabled") and any(o.kind.type == "conv2d" for o in ops):
            found.append(("Convolution operations were detected but torch.backends.cudnn.benchmark was not enabled.",
                          "Try setting torch.backends.cudnn.benchmark = True in your network. For best performance, the input shapes "
                          "should be relatively stable."))
        return found

    def expert_systems(self):
        return table("Expert Systems Feedback", ["Problem", "Recommendation"],
                     [[quoted(problem), quoted(advice)] for problem, advice in self.findings()])
