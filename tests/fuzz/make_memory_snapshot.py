"""Writes a made-up snapshot of PyTorch's memory: what a step of a small network asks of the allocator.

usage: make_memory_snapshot.py FILE [PROTOCOL]     tests/fuzz/seeds/memory_snapshot.pickle has protocol 4
"""
import pickle
import sys

MIB = 1 << 20
BEGIN_US = 1_700_000_000_000_000
LARGE, SMALL = 0x7F0000000000, 0x7E0000000000


def frame(name, file, line):
    return {"name": name, "filename": file, "line": line}


MAIN = frame("<module>", "/opt/net/train.py", 40)
STEP = frame("train_step", "/opt/net/train.py", 21)
WEIGHTS = [frame("__init__", "/opt/net/model.py", 9), MAIN]
FORWARD = [frame("forward", "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py", 114),
           frame("forward", "/opt/net/model.py", 17), STEP, MAIN]
LOSS = [frame("cross_entropy", "/usr/lib/python3/dist-packages/torch/nn/functional.py", 3029), STEP, MAIN]


def entry(action, address, size, time_us, frames):
    return {"action": action, "addr": address, "size": size, "stream": 0, "time_us": BEGIN_US + time_us,
            "frames": frames}


def freed(address, size, time_us, frames):
    return [entry("free_requested", address, size, time_us, frames),
            entry("free_completed", address, size, time_us + 1, frames)]


def block(address, size, state, frames):
    return {"address": address, "size": size, "requested_size": size, "state": state, "frames": frames}


def segment(address, size, used, kind, frames, blocks):
    return {"device": 0, "address": address, "total_size": size, "allocated_size": used, "active_size": used,
            "requested_size": used, "stream": 0, "segment_type": kind, "segment_pool_id": (0, 0),
            "is_expandable": False, "frames": frames, "blocks": blocks}


def snapshot():
    trace = [entry("segment_alloc", LARGE, 64 * MIB, 0, FORWARD),
             entry("alloc", LARGE + 4 * MIB, 8 * MIB, 10, FORWARD),
             entry("alloc", LARGE + 12 * MIB, 16 * MIB, 20, FORWARD),
             entry("alloc", LARGE + 28 * MIB, 2 * MIB, 30, LOSS),
             *freed(LARGE + 12 * MIB, 16 * MIB, 40, LOSS),
             *freed(SMALL, MIB, 45, []),  # allocated before the recording began
             {"action": "oom", "size": 80 * MIB, "device_free": 3 * MIB, "stream": 0, "time_us": BEGIN_US + 50,
              "frames": FORWARD},
             *freed(LARGE + 28 * MIB, 2 * MIB, 60, LOSS),
             entry("snapshot", 0, 0, 70, [MAIN])]
    segments = [segment(LARGE, 64 * MIB, 12 * MIB, "large", FORWARD,
                        [block(LARGE, 4 * MIB, "active_allocated", WEIGHTS),
                         block(LARGE + 4 * MIB, 8 * MIB, "active_allocated", FORWARD),
                         block(LARGE + 12 * MIB, 52 * MIB, "inactive", [])]),
                segment(SMALL, 2 * MIB, 0, "small", [], [block(SMALL, 2 * MIB, "inactive", [])])]
    annotations = [{"name": "step", "stage": "START", "device": 0, "time_us": BEGIN_US + 5},
                   {"name": "step", "stage": "END", "device": 0, "time_us": BEGIN_US + 65}]
    settings = {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "garbage_collection_threshold": 0.0}
    return {"segments": segments, "device_traces": [trace, []], "allocator_settings": settings,
            "external_annotations": annotations}


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        pickle.dump(snapshot(), file, protocol=int(sys.argv[2]) if len(sys.argv) > 2 else 4)
