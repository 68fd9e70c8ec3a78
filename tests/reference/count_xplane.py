"""Plain reading of profiles in XPlane form, to compare opsight with: bytes to numbers, and the rules of
docs/FORMATS.md for which events are what. Shares nothing with opsight but the public schema's field numbers."""

import collections
import struct


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
        elif kind == 1:
            value, at = data[at : at + 8], at + 8
        elif kind == 2:
            size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
            if len(value) < size:
                raise ValueError("cut")
        elif kind == 5:
            value, at = data[at : at + 4], at + 4
        else:
            raise ValueError(f"wire type {kind}")
        yield tag >> 3, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


Event = collections.namedtuple("Event", "name display begin dur stats")


class Plane:
    def __init__(self, data):
        self.name, self.lines, self.types, self.names = "", [], {}, {}
        lines, types, own = [], [], []
        for field, value in fields(data):
            if field == 2:
                self.name = value.decode()
            elif field == 3:
                lines.append(value)
            elif field == 4:
                types.append(dict(fields(value)))
            elif field == 5:
                entry = dict(fields(value))
                self.names[entry.get(1, 0)] = dict(fields(entry[2])).get(2, b"").decode()
            elif field == 6:
                own.append(value)
        for entry in types:
            message = list(fields(entry[2]))
            text = {number: value.decode("utf-8", "replace") for number, value in message if number in (2, 4)}
            stats = self._stats(value for number, value in message if number == 5)
            self.types[entry.get(1, 0)] = (text.get(2, ""), text.get(4, ""), stats)
        self.stats = self._stats(own)
        for line in lines:
            self._read_line(line)

    def _stats(self, many):
        found = {}
        for one in many:
            value, key = None, 0
            for number, part in fields(one):
                if number == 1:
                    key = part
                elif number == 2:
                    value = struct.unpack("<d", part)[0]
                elif number in (3, 4):
                    value = signed(part)
                elif number == 5:
                    value = part.decode("utf-8", "replace")
                elif number == 6:
                    value = part
                elif number == 7:
                    value = self.names.get(part)
            found[self.names.get(key)] = value
        return found

    def _read_line(self, data):
        number, name, stamp, events = 0, "", 0, []
        for field, value in fields(data):
            if field == 1:
                number = signed(value)
            elif field == 2:
                name = value.decode()
            elif field == 3:
                stamp = signed(value)
            elif field == 4:
                events.append(value)
        read = []
        for event in events:
            kind, offset, dur, stats = 0, 0, 0, []
            for field, value in fields(event):
                if field == 1:
                    kind = value
                elif field == 2:
                    offset = signed(value)
                elif field == 3:
                    dur = signed(value)
                elif field == 4:
                    stats.append(value)
            title, display, shared = self.types.get(kind, ("", "", {}))
            begin = stamp + offset // 1000
            end = stamp + (offset + dur) // 1000
            read.append(Event(title, display, begin, end - begin, {**shared, **self._stats(stats)}))
        self.lines.append((number, name, read))


def load(path):
    with open(path, "rb") as file:
        return [Plane(value) for field, value in fields(file.read()) if field == 1]


def _leaves(events):
    """Loops, branches and calls hold other ops and are left out; so is what lies within any other op."""
    keep, open_ = set(range(len(events))), []
    for index in sorted(range(len(events)), key=lambda i: (events[i].begin, -events[i].dur)):
        event = events[index]
        while open_ and events[open_[-1]].begin + events[open_[-1]].dur <= event.begin:
            open_.pop()
        if open_ and event.dur > 0:
            outer = events[open_[-1]]
            if event.begin + event.dur <= outer.begin + outer.dur and event.dur < outer.dur:
                if outer.display.split(".")[0] in ("while", "conditional", "call"):
                    keep.discard(open_[-1])
                else:
                    keep.discard(index)
                    continue
        open_.append(index)
    return [events[index] for index in sorted(keep)]


def _started(events):
    """Of what is only started: (name, begin) to the (begin, duration) until the end of the op that waits for it. Of several
    starts the last is waited for: so copies take as long as on the device whose asynchronous line tells them."""
    open_, found = {}, {}
    for event in events:
        category = event.stats.get("hlo_category", "")
        if category.endswith("-start"):
            open_[event.name.split(" = ")[0]] = event
        elif category.endswith("-done"):
            begun = open_.pop("%" + event.name.rsplit("%", 1)[1].split(")")[0].split(",")[0], None)
            if begun:
                found[begun.name, begun.begin] = (begun.begin, event.begin + event.dur - begun.begin)
    return found


class Counts:
    """What a profile holds, as lists of (name, begin, duration) in ns of the file's own clock."""

    def __init__(self, planes):
        self.kernels, self.copies, self.waits, self.calls, self.frames, self.memory = [], [], [], [], [], []
        self.devices, self.launched, self.flops = {}, {}, collections.Counter()
        self.start = None
        for plane in planes:
            self.start = plane.stats.get("profile_start_time", self.start)
            if plane.name.startswith("/device:GPU:"):
                self._gpu(plane)
            elif plane.name.startswith("/device:TPU:"):
                self._tpu(plane)
            elif plane.name.startswith("/host:"):
                self._host(plane)

    def _gpu(self, plane):
        self.devices[int(plane.name.rsplit(":", 1)[1])] = plane.stats
        for _, name, events in plane.lines:
            if not name.startswith("Stream #"):
                continue
            for event in events:
                place = (event.begin, event.dur)
                if "memcpy_details" in event.stats or event.name.startswith("Memcpy"):
                    self.copies.append(place)
                else:
                    self.kernels.append((event.name.removesuffix(".kd"), *place))

    def _tpu(self, plane):
        self.devices[int(plane.name.rsplit(":", 1)[1])] = plane.stats
        told = {event.name for _, name, events in plane.lines if name == "Async XLA Ops" for event in events}
        for _, name, events in plane.lines:
            if name == "XLA Ops":
                started = {} if told else _started(events)
                self.copies += started.values()
                for event in _leaves(events):
                    if event.name in told or (event.name, event.begin) in started:
                        continue
                    title = event.name.split(" = ")[0].lstrip("%")
                    if event.stats["hlo_category"].endswith("-done"):
                        self.waits.append((event.begin, event.dur))
                    else:
                        self.kernels.append((title, event.begin, event.dur))
                        self.flops[title] += event.stats["model_flops"]
            elif name == "Async XLA Ops":
                self.copies += [(event.begin, event.dur) for event in events]

    def _host(self, plane):
        for _, _, events in plane.lines:
            for event in events:
                place = (event.begin, event.dur)
                if event.name.startswith("$"):
                    self.frames.append((event.name[1:], *place))
                elif "correlation_id" in event.stats:
                    self.calls.append((event.name, *place))
                    self.launched[event.stats["correlation_id"]] = event.name
                if event.name in ("MemoryAllocation", "MemoryDeallocation"):
                    self.memory.append((event.begin, event.stats))
