"""Perfetto's self times, from the rows of a profile.

Every complete event of a thread is a slice: ops, annotations and calls of the runtime alike. A slice that begins
inside another one and ends after it cannot nest: it is set aside ("spilled") and takes no time from anybody.
"""

import collections


def self_times(rows):
    """name of op -> (calls, total, self) in ns"""
    threads = collections.defaultdict(list)
    for is_op, spans in ((True, rows.ops), (False, rows.ranges), (False, rows.calls)):
        for span in spans:
            threads[span.track].append((span.begin, -span.dur, is_op, span))
    table = {}
    for slices in threads.values():
        slices.sort(key=lambda entry: entry[:2])
        open_slices = []
        for begin, minus_dur, is_op, span in slices:
            while open_slices and open_slices[-1].begin + open_slices[-1].dur <= begin:
                open_slices.pop()
            parent = open_slices[-1] if open_slices else None
            if is_op:
                add(table, span.name, 1, span.dur, span.dur)
            if parent and begin - minus_dur > parent.begin + parent.dur:
                continue  # spilled
            if parent and hasattr(parent, "self_ns"):
                add(table, parent.name, 0, 0, -span.dur)
            open_slices.append(span)
    return table


def add(table, name, calls, total, own):
    before = table.get(name, (0, 0, 0))
    table[name] = (before[0] + calls, before[1] + total, before[2] + own)
