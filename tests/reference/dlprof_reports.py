"""DLProf's eight reports of an Nsight Systems export, in plain Python: what `opsight report --style dlprof` has to give.
Rules: docs/DLPROF.md. Exports with marked calls (Python dicts), or with the ranges of PyTorch's emit_nvtx."""

import ast
import collections
import re
import sqlite3
import statistics

TIMES = [f"{part} {what} (ns)" for what in ("CPU Time", "GPU Time", "CPU Overhead", "GPU Idle")
         for part in ("Total", "Avg.", "Min", "Max")]
ELIGIBLE = {"conv2d", "linear", "einsum", "matmul", "mm", "bmm", "addmm", "baddbmm", "scaled_dot_product_attention"}
TC = re.compile("s884|h884|s1688|h1688|16816")
LETTERS = {"conv2d": ("NCHW", "KCRS"), "linear": ("NK", "MK")}


class Op:
    def __init__(self, name, direction, kind, dtypes=(), shapes="", stack="", more=("", "")):
        self.name, self.direction, self.type = name, direction, kind
        self.dtypes, self.stack = dtypes, stack
        self.eligible, self.uses_tc = kind in ELIGIBLE, False
        self.id = None


class Instance:
    def __init__(self, op, begin, end, details=((), "", "", ("", ""))):
        self.op, self.begin, self.end, self.details = op, begin, end, details
        self.api, self.work, self.iteration = 0, [], 0

    def gpu(self):
        total, last = 0, -1
        for begin, end in sorted((w.begin, w.end) for w in self.work):
            total += max(0, end - max(begin, last))
            last = max(last, end)
        return total

    def idle(self):
        return max(w.end for w in self.work) - min(w.begin for w in self.work) - self.gpu() if self.work else 0

    def times(self):
        return self.end - self.begin, self.gpu(), self.end - self.begin - self.api, self.idle()


class Work:
    def __init__(self, begin, end, device):
        self.begin, self.end, self.device = begin, end, device
        self.kernel = self.short = None
        self.size, self.call = (None,) * 6, None
        self.tc = False
        self.instance = None


def metric(values):
    return [sum(values), sum(values) // len(values), min(values), max(values)]


def shapes_text(kind, shapes):
    letters = LETTERS.get(kind)
    parts = []
    for index, shape in enumerate(shapes):
        names = letters[index] if letters and index < 2 and len(letters[index]) == len(shape) else None
        parts.append("<" + ", ".join(f"{names[i]}:{n}" if names else str(n) for i, n in enumerate(shape)) + ">")
    return "; ".join(parts)


def geometry(kind, args):
    """Parameters and output shape, from the sizes alone where nothing else is told."""
    tensors = [a["shape"] for a in args if "shape" in a]
    told = {a["name"] or {3: "stride", 4: "padding"}.get(i): a.get("value") for i, a in enumerate(args)}
    pair = lambda name, otherwise: (told.get(name, otherwise),) * 2 if isinstance(told.get(name, otherwise), int) else told[name]
    if kind == "conv2d":
        (u, v), (ph, pw) = pair("stride", 1), pair("padding", 0)
        (n, _, h, w), (k, _, r, s) = tensors
        return (f"<ph:{ph}, pw:{pw}, U:{u}, V:{v}, dh:1, dw:1, g:1>",
                f"<N:{n}, K:{k}, P:{(h + 2 * ph - r) // u + 1}, Q:{(w + 2 * pw - s) // v + 1}>")
    return ("", f"<N:{tensors[0][0]}, M:{tensors[1][0]}>") if kind == "linear" else ("", "")


class Export:
    def __init__(self, path, key_op=None):
        self.db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        self.db.row_factory = sqlite3.Row
        self.tables = {name for name, in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.strings = dict(self.db.execute("SELECT id, value FROM StringIds").fetchall())
        self.key_op = key_op or ""
        self.ops, self.instances, self.by_sequence = {}, [], {}
        self.read_ranges()
        self.read_calls()
        self.read_work()
        self.number()
        self.cut()

    def rows(self, table):
        return self.db.execute(f"SELECT * FROM {table} ORDER BY start") if table in self.tables else []

    def op(self, *facts):
        return self.ops.setdefault(facts[:3], Op(*facts))

    # Ranges -> instances by thread.
    def read_ranges(self):
        threads = collections.defaultdict(list)
        for order, row in enumerate(self.rows("NVTX_EVENTS")):
            if row["eventType"] == 59 and row["end"] is not None:
                text = row["text"] if row["text"] is not None else self.strings[row["textId"]]
                threads[row["globalTid"]].append((row["start"], -row["end"], order, text))
        self.marked = any(text.startswith("{") and "'op'" in text for r in threads.values() for *_, text in r)
        self.by_thread = {}
        later = []
        for thread, ranges in threads.items():
            self.by_thread[thread] = []
            open_ranges, end_of_op = [], -1
            for begin, negative_end, _, text in sorted(ranges):
                end = -negative_end
                open_ranges = [r for r in open_ranges if r[0] > begin]
                if begin >= end_of_op:
                    facts = self.facts_of(text, open_ranges)
                    if facts:
                        instance = Instance(None, begin, end)
                        self.by_thread[thread].append(instance)
                        end_of_op = end
                        if facts[0] == "backward":
                            later.append((instance, facts))
                        else:
                            instance.op, instance.details = self.op(*facts), facts[3:] or instance.details
                sequence = re.search(r", seq = (\d+)", text)
                if sequence and "Backward" not in text and begin < end_of_op:
                    self.by_sequence[int(sequence[1])] = self.by_thread[thread][-1]
                open_ranges.append((end, text))
        for instance, (_, node, sequence) in later:
            forward = self.by_sequence.get(sequence)
            if forward:
                f = forward.op
                instance.op = self.op(f.name, "bprop", f.type, f.dtypes, "", f.stack)
                instance.details = forward.details
            else:
                instance.op = self.op("/" + node, "bprop", node)

    def facts_of(self, text, open_ranges):
        if text.startswith("{"):
            call = ast.literal_eval(text)
            if "op" not in call:
                return None
            marker = ast.literal_eval(open_ranges[-1][1]) if open_ranges and "funcStack" in open_ranges[-1][1] else {}
            tensors = [a for a in call["args"] if "shape" in a]
            name = re.sub(r"\((\d+)\)(?=/|$)", r"[\1]", marker.get("funcStack", "/" + call["op"]))
            return (name, "fprop", call["op"], tuple(t["dtype"] for t in tensors),
                    shapes_text(call["op"], [t["shape"] for t in tensors]), ", ".join(marker.get("traceMarker", ())),
                    geometry(call["op"], call["args"]))
        node = re.match(r"(\w+Backward\d*), seq = (\d+)", text)
        if node:
            return "backward", node[1], int(node[2])
        plain = re.match(r"(\w+::(\w+))(, op_id = |$)", text)
        is_op = plain and not self.marked and (plain[3] or text.startswith("aten::"))
        return ("/" + plain[1], "fprop", plain[2]) if is_op else None

    def read_calls(self):
        self.calls = {}
        last = collections.defaultdict(lambda: (-1, None))
        pseudo = collections.defaultdict(list)
        for row in self.rows("CUPTI_ACTIVITY_KIND_RUNTIME"):
            thread, begin, end = row["globalTid"], row["start"], row["end"]
            until, outer = last[thread]
            if begin >= until:
                instance = next((i for i in self.instances_at(thread, begin)), None)
                if not instance:
                    name = "unassociated_" + re.sub(r"_v\d{4}$", "", self.strings[row["nameId"]])
                    instance = Instance(self.op(name, "fprop", name), begin, end)
                    instance.op.pseudo = True
                    pseudo[thread].append(instance)
                instance.api += end - begin
                outer = (instance, begin, end)
                last[thread] = (end, outer)
            self.calls[thread >> 24, row["correlationId"]] = outer
        self.instances = [i for thread in self.by_thread.values() for i in thread]
        self.instances += [i for thread in pseudo.values() for i in thread]

    def instances_at(self, thread, time):
        for instance in self.by_thread.get(thread, ()):
            if instance.begin <= time < instance.end:
                yield instance

    def read_work(self):
        self.work = []
        for table in ("KERNEL", "MEMCPY", "MEMSET"):
            for row in self.rows("CUPTI_ACTIVITY_KIND_" + table):
                work = Work(row["start"], row["end"], row["deviceId"])
                if table == "KERNEL":
                    work.kernel, work.short = self.strings[row["demangledName"]], self.strings[row["shortName"]]
                    work.size = tuple(row[f"{which}{axis}"] for which in ("grid", "block") for axis in "XYZ")
                    work.tc = bool(TC.search(work.kernel))
                work.call = self.calls.get((row["globalPid"] >> 24, row["correlationId"]))
                if work.call:
                    work.instance = work.call[0]
                else:
                    work.instance = Instance(self.op("unassociated", "fprop", "unassociated"), work.begin, work.begin)
                    work.instance.op.pseudo = True
                    self.instances.append(work.instance)
                work.instance.work.append(work)
                if work.tc:
                    work.instance.op.uses_tc = work.instance.op.eligible = True
                self.work.append(work)

    def number(self):
        counts = collections.Counter()
        for instance in sorted(self.instances, key=lambda i: i.begin):
            op = instance.op
            if not op.id:
                counts[op.type.upper()] += 1
                op.id = f"{op.type.upper()}_{counts[op.type.upper()]}"

    def cut(self):
        ends = sorted(i.end for i in self.instances if i.op.id == self.key_op)
        self.split = bool(ends)
        for instance in self.instances:
            instance.iteration = sum(end <= instance.begin for end in ends)
        self.iterations = 1 + max(i.iteration for i in self.instances)
        first = min(i.begin for i in self.instances)
        last = max([i.end for i in self.instances] + [w.end for w in self.work])
        bounds = [first, *ends]
        if len(ends) < self.iterations:
            bounds.append(last)
        self.lengths = [b - a for a, b in zip(bounds, bounds[1:])]

    # The reports, as rows of the CSV files by their heads.
    def detailed(self):
        for op, of in self.by(lambda i: i.op).items():
            yield {"Op ID": op.id, "Op Name": op.name, "Direction": op.direction, "Op Type": op.type,
                   "No. Calls": len(of), "TC Eligible": yes(op.eligible), "Using TC": yes(op.uses_tc),
                   **times_of(of), "Data Type": op.dtypes[0] if op.dtypes else "", "Stack Trace": op.stack}

    def by(self, key):
        groups = collections.defaultdict(list)
        for instance in self.instances:
            groups[key(instance)].append(instance)
        return groups

    def iteration(self):
        for w in self.work:
            if w.kernel:
                op = w.instance.op
                sizes = dict(zip(("Grid X", "Grid Y", "Grid Z", "Block X", "Block Y", "Block Z"), w.size))
                yield {"Iteration": w.instance.iteration, "Op ID": op.id, "Op Name": op.name,
                       "Direction": op.direction, "Op Type": op.type, "Kernel Name": w.short, "Device ID": w.device,
                       "GPU Start Time (ns)": w.begin, "GPU Duration (ns)": w.end - w.begin,
                       "API Call Start (ns)": w.call[1] if w.call else "", "API Call Time (ns)": api_ns(w),
                       "Uses TC": yes(w.tc), **sizes, "Data Types": ", ".join(w.instance.details[0]),
                       "Input Shapes": w.instance.details[1], "Parameters": w.instance.details[3][0],
                       "Output Shapes": w.instance.details[3][1], "Long Kernel Name": w.kernel}

    def kernel(self):
        groups = collections.defaultdict(list)
        for w in self.work:
            if w.kernel:
                groups[w.short, w.instance.op].append(w)
        for (name, op), of in groups.items():
            heads = [f"{part} {what} (ns)" for what in ("GPU Time", "API Time") for part in ("Total", "Avg", "Min", "Max")]
            values = metric([w.end - w.begin for w in of]) + metric([api_ns(w) for w in of])
            yield {"Kernel Name": name, "Op ID": op.id, "Op Name": op.name, "Direction": op.direction,
                   "Uses TC": yes(any(w.tc for w in of)), **dict(zip(heads, values))}

    def tensor_core(self):
        for op, of in self.by(lambda i: i.op).items():
            kernels = [w for i in of for w in i.work if w.kernel]
            tc, other = ([w for w in kernels if w.tc == use] for use in (True, False))
            if not op.eligible:
                continue
            ns = sum(w.end - w.begin for w in tc), sum(w.end - w.begin for w in other)
            names = sorted({w.short for w in tc}), sorted({w.short for w in other})
            yield {"Op ID": op.id, "Op Name": op.name, "Direction": op.direction, "Op Type": op.type,
                   "Uses TC": yes(bool(tc)), "Total GPU Time (ns)": sum(ns), "TC GPU Time (ns)": ns[0],
                   "Non-TC GPU Time (ns)": ns[1], "TC Utilization (%)": f"{100 * ns[0] / max(1, sum(ns)):.1f}",
                   "Total Kernel Count": len(names[0]) + len(names[1]), "TC Kernel Count": len(names[0]),
                   "TC Kernel Names": ", ".join(names[0]), "Non-TC Kernel Count": len(names[1]),
                   "Non-TC Kernel Names": ", ".join(names[1])}

    def op_type(self):
        for kind, of in self.by(lambda i: i.op.type).items():
            yield {"Op Type": kind, "# Ops": len({i.op for i in of}), "# Calls": len(of), **times_of(of)}

    def group_op(self):
        groups = collections.defaultdict(list)
        for i in self.instances:
            parts = i.op.name.lstrip("/").split("/")
            for depth in range(len(parts)):
                groups["/" + "".join(part + "/" for part in parts[:depth])].append(i)
        for name, of in groups.items():
            ops = {i.op for i in of}
            yield {"Name": name, "Num Calls Aggregated": len(of), "Num TC Eligible Ops": sum(o.eligible for o in ops),
                   "Num Ops Using TC": sum(o.uses_tc for o in ops), **times_of(of)}

    def summary(self):
        """Facts by their names; three numbers for lines of All Ops and All Kernels."""
        ops = [i for i in self.instances if not hasattr(i.op, "pseudo")]
        begin = min(i.begin for i in ops)
        end = max([i.end for i in self.instances] + [w.end for w in self.work])
        wall = end - begin
        kinds = {"Ops using TC": lambda o: o.uses_tc, "Ops eligible for TC but not using":
                 lambda o: o.eligible and not o.uses_tc, "All other ops": lambda o: not o.eligible, "All ops": lambda o: True}
        facts = {"Wall Clock Time (ns)": wall, "Average Iteration Time (ns)": wall // self.iterations,
                 "Total Iterations": self.iterations, "Aggregated Iterations": self.iterations, "Iteration Start": 0,
                 "Iteration Stop": self.iterations - 1, "Iteration Time Standard Deviation":
                 round(statistics.stdev(self.lengths)) if len(self.lengths) > 1 else 0}
        for name, fits in kinds.items():
            of = [i for i in self.instances if fits(i.op)]
            facts[name] = [sum(i.gpu() for i in of), sum(i.end - i.begin for i in of), len({i.op for i in of})]
        for name, fits in {"All kernels": lambda w: True, "Kernels using TC": lambda w: w.tc, "Memory":
                           lambda w: not w.kernel, "All other kernels": lambda w: w.kernel and not w.tc}.items():
            of = [w for w in self.work if fits(w)]
            facts[name] = [sum(w.end - w.begin for w in of), sum(api_ns(w) for w in of), len(of)]
        eligible = [w for w in self.work if w.kernel and w.instance.op.eligible]
        tc = sum(w.end - w.begin for w in eligible if w.tc)
        facts["Tensor Core Kernel Utilization %"] = 100 * tc / max(1, sum(w.end - w.begin for w in eligible))
        facts.update(self.shares(begin, end))
        return facts

    def shares(self, begin, end):
        """Each moment for the first of the classes that is open: by walking from one edge to the next."""
        classes = {"Tensor Core Kernel": [(w.begin, w.end) for w in self.work if w.tc],
                   "Non-Tensor Core Kernel": [(w.begin, w.end) for w in self.work if w.kernel and not w.tc],
                   "Memory": [(w.begin, w.end) for w in self.work if not w.kernel],
                   "Dataloader": [(i.begin, i.end) for i in self.instances if i.op.type == "DataLoader"],
                   "IO": [],
                   "CPU": [(i.begin, i.end) for i in self.instances]}
        left, shares = [(begin, end)], {}
        for name, spans in classes.items():
            before = sum(b - a for a, b in left)
            for first, last in merged(spans):
                left = [piece for a, b in left for piece in ((a, min(b, first)), (max(a, last), b)) if piece[0] < piece[1]]
            shares[name + " Duration %"] = 100 * (before - sum(b - a for a, b in left)) / (end - begin)
        shares["Other Duration %"] = 100 * sum(b - a for a, b in left) / (end - begin)
        return shares


def merged(spans):
    out = []
    for begin, end in sorted(spans):
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return out


def yes(value):
    return "yes" if value else "no"


def api_ns(work):
    return work.call[2] - work.call[1] if work.call else 0


def times_of(instances):
    columns = zip(*(i.times() for i in instances))
    return dict(zip(TIMES, [value for column in columns for value in metric(column)]))
