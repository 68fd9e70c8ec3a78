"""A trace with what breaks writers: control characters, quotes, huge numbers, overlapping work, nothing told."""

import json
import os

import tiny_trace

NAMES = ["quo\"te \\ back", "tab\tnew\nline\r", "nul\x00 esc\x1b[31m", "é 漢字 🙂 \u2028", "a;b;c", "=1+1", "<b>&amp;</b>", ""]
HUGE = 2 ** 62


def write(folder, name="odd.json"):
    trace = tiny_trace.trace()
    events = trace["traceEvents"]
    for number, text in enumerate(NAMES):
        at = 1000.0 + 100 * number
        events += [
            tiny_trace.span("cpu_op", text, 1, at, 50, pid=HUGE + number % 2, **{"Sequence number": HUGE}),
            tiny_trace.span("cuda_runtime", "cudaLaunchKernel", 1, at + 1, 3, pid=HUGE + number % 2,
                            correlation=HUGE + number),
            # work of one stream that crosses other work of it
            tiny_trace.span("kernel", text or "none", 7, at + 10, 120, pid=0, device=0, stream=7,
                            correlation=HUGE + number, grid=[2 ** 31 - 1, 1, 1], block=[1, 1, 1]),
            tiny_trace.span("python_function", text, 2, at, 0),
        ]
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(trace, file)
    return path
