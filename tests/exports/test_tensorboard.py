"""opsight export --format tensorboard, read by the published schemas: protoc, and checksums of our own reckoning."""

import os
import struct
import subprocess
import unittest

import odd_trace
import opsight_cli
import proto_text
import tiny_trace


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def records(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        head = data[at:at + 8]
        (length,), (crc,) = struct.unpack("<Q", head), struct.unpack("<I", data[at + 8:at + 12])
        body = data[at + 12:at + 12 + length]
        (last,) = struct.unpack("<I", data[at + 12 + length:at + 16 + length])
        assert (crc, last) == (masked(head), masked(body))
        yield body
        at += 16 + length
    assert at == len(data)


def decoded(body, message):
    path = os.path.join(opsight_cli.temporary_folder(), "record")
    with open(path, "wb") as file: file.write(body)
    return proto_text.decode(path, "tensorboard.proto", message)


def events(folder, run):
    (name,) = os.listdir(os.path.join(folder, run))
    assert ".tfevents." in name
    first, *rest = [decoded(body, "tensorflow.Event") for body in records(os.path.join(folder, run, name))]
    assert first["file_version"] == ["brain.Event:2"], first
    return rest


def graph_of(event):
    """The nodes: the bytes of a graph, which protoc gives as escaped text, decoded again."""
    raw = proto_text.ESCAPE.sub(lambda m: bytes([int(m.group(1), 8)]) if m.group(1).isdigit()
                                else proto_text.NAMED.get(m.group(1), m.group(1)), event)
    return decoded(raw, "tensorflow.GraphDef")["node"]


class TensorBoard(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = opsight_cli.temporary_folder()
        cls.tiny = opsight_cli.Profile(tiny_trace.write(cls.folder))
        cls.odd = opsight_cli.Profile(odd_trace.write(cls.folder))

    def export(self, profile, name, *options):
        path = os.path.join(self.folder, name)
        opsight_cli.run("export", profile.path, "--format", "tensorboard", "-o", path, *options)
        return path

    def test_iterations_are_scalars(self):
        folder = self.export(self.tiny, "tiny")
        told, shares, tags = {}, {}, set()
        for event in events(folder, "rank-0"):
            step = int(event.get("step", ["0"])[0])
            for value in event["summary"][0]["value"]:
                tags.add(value["tag"][0])
                number = float(value["simple_value"][0]) if "simple_value" in value else 0.0
                if value["tag"] == ["iteration/time_ms"]:
                    told[step] = number
                else:
                    shares[step] = shares.get(step, 0) + number
        wanted = {row.iteration: row.ns for row in self.tiny.rows(
            "SELECT iteration, lead(begin_ns, 1, end_ns) OVER (ORDER BY begin_ns) - begin_ns AS ns "
            "FROM (SELECT iteration, begin_ns, begin_ns + dur_ns AS end_ns FROM iterations)")}
        self.assertEqual(set(told), set(wanted))
        for step, ns in wanted.items():
            self.assertAlmostEqual(told[step], ns / 1e6, places=5)
            self.assertAlmostEqual(shares[step], told[step], places=5)
        self.assertIsNone(self.tiny.report("summary")["summary"]["io_pct"])
        self.assertNotIn("iteration_shares_ms/io", tags, "what was not recorded is not 0")
        self.assertIn("iteration_shares_ms/cpu", tags)

    def test_summaries_and_the_state_of_tensor_cores(self):
        folder = self.export(self.tiny, "summaries")
        (name,) = os.listdir(os.path.join(folder, "run"))
        texts, nodes = {}, []
        for body in list(records(os.path.join(folder, "run", name)))[1:]:
            done = subprocess.run(["protoc", "--decode=tensorflow.Event", "-I", proto_text.HERE,
                                   os.path.join(proto_text.HERE, "tensorboard.proto")],
                                  input=body, capture_output=True, check=True).stdout
            if b"graph_def:" in done:
                quoted = done.split(b"graph_def: \"", 1)[1].rsplit(b"\"", 1)[0]
                nodes = graph_of(quoted)
                continue
            for value in decoded(body, "tensorflow.Event")["summary"][0]["value"]:
                self.assertEqual(value["metadata"][0]["plugin_data"][0]["plugin_name"], ["text"])
                texts[value["tag"][0]] = value["tensor"][0]["string_val"][0]
        self.assertEqual(set(texts), {"gpu_summary/OpNodes", "gpu_summary/GroupNodes", "gpu_summary/Model"})
        for row in self.tiny.report("summary")["summary"]["all_ops"]:
            self.assertIn(f"| {row['name']} | {row['gpu_time_ns']} ", texts["gpu_summary/OpNodes"])
        self.assertIn("Tesla V100", texts["gpu_summary/Model"])
        ops = self.tiny.report("detailed")["detailed"]
        self.assertEqual(len(nodes), len(ops))
        state = {node["op"][0]: each["value"][0]["s"][0] for node in nodes for each in node["attr"]
                 if each["key"] == ["tensor_cores"]}
        self.assertEqual(state["aten::linear"], "using Tensor Cores")
        self.assertEqual(state["aten::relu"], "not eligible")

    def test_odd_names_make_names_of_nodes(self):
        folder = self.export(self.odd, "odd")
        self.assertIn("run", os.listdir(folder))
        done = opsight_cli.run("export", self.odd.path, "--format", "tensorboard", "-o", folder, check=False)
        self.assertEqual(done.returncode, 1, "files that are there stay")

    def test_a_part(self):
        folder = self.export(self.tiny, "part", "--iter-start", "1", "--iter-stop", "2", "--rank", "0")
        steps = {int(event.get("step", ["0"])[0]) for event in events(folder, "rank-0")}
        self.assertEqual(steps, {1, 2})


if __name__ == "__main__":
    unittest.main()
