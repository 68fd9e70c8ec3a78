"""opsight map of a whole network, checked against plain arithmetic; sweeps, methods and objectives of searches."""
import csv
import io
import json
import os
import re
import unittest

import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "onnx")
RESNET = CORPUS and os.path.join(CORPUS, "onnx", "onnx-light__resnet50.onnx")
# ResNet-50 (He et al., CVPR 2016, table 1) at 224x224: multiply-adds of its 53 convolutions and its last layer.
RESNET_CONVOLUTIONS, RESNET_LAST = 53, 2048 * 1000
SMALL = "problem: {N: 1, C: 4, K: 8, P: 6, Q: 6, R: 3, S: 3}\n"
# A table of energies for one level; the others keep the built-in ones.
ERT = """ERT:
  version: 0.3
  tables:
  - name: system.GlobalBuffer
    actions:
    - {name: read, energy: 20}
    - {name: write, energy: 22}
    - {name: update, energy: 22}
"""


def sizes(shape):
    """{"C": 64, ..., "stride": 2} of "C64 K64 P56 /2"."""
    out = dict.fromkeys("GNCKPQRS", 1) | {"stride": 1}
    for word in shape.split():
        if word[0] == "/":
            out["stride"] = int(word[1:])
        else:
            out[word[0]] = int(word[1:])
    return out


def least_words(size):
    """Words that memory must give or take: each weight and each output once, each input that a window touches."""
    def rows(outputs, window):
        stride = size["stride"]
        if stride > window:  # rows between windows are not touched
            return outputs * window
        return (outputs - 1) * stride + window
    weights = size["G"] * size["K"] * size["C"] * size["R"] * size["S"]
    outputs = size["N"] * size["G"] * size["K"] * size["P"] * size["Q"]
    inputs = size["N"] * size["G"] * size["C"] * rows(size["P"], size["R"]) * rows(size["Q"], size["S"])
    return weights + inputs + outputs


def write(name, text):
    path = os.path.join(opsight_cli.temporary_folder(), name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


@unittest.skipUnless(RESNET, "no corpus")
class Network(unittest.TestCase):
    def answer(self, arch, *options):
        return json.loads(opsight_cli.run("map", RESNET, "--arch", arch, "--format", "json", *options).stdout)

    def test_resnet_50_on_eyeriss_256(self):
        out = self.answer("eyeriss-256", "--search", "energy")
        layers, totals = out["layers"], out["totals"]
        self.assertEqual(sum(row["count"] for row in layers), RESNET_CONVOLUTIONS + 1)
        self.assertEqual(totals["macs"], sum(row["macs"] * row["count"] for row in layers))
        self.assertEqual(max(row["macs"] for row in layers if sizes(row["shape"])["C"] == 2048 and
                             sizes(row["shape"])["K"] == 1000), RESNET_LAST)
        self.assertEqual(totals["cycles"], sum(row["cycles"] * row["count"] for row in layers))
        self.assertAlmostEqual(totals["energy_pj"] / sum(row["energy_pj"] * row["count"] for row in layers), 1)
        self.assertTrue(all(row["proven"] for row in layers))
        self.assertAlmostEqual(sum(row["energy_share_pct"] for row in layers), 100, places=3)
        # Relu, pools and sums are not in the totals, and are said.
        self.assertFalse(totals["complete"])
        self.assertIn("Relu", {row["op_type"] for row in out["unmapped"]})

    def test_layers_keep_to_plain_arithmetic(self):
        for arch, units in (("eyeriss-256", 256), ("nvdla-large", 2048)):
            rows = self.answer(arch, "--search", "delay")["layers"]
            checked = 0
            for row in rows:
                size = sizes(row["shape"])
                macs = 1
                for dimension in "GNCKPQRS":
                    macs *= size[dimension]
                self.assertEqual(row["macs"], macs)
                self.assertGreaterEqual(row["cycles"] * units, macs)
                self.assertGreaterEqual(row["last_level_words"], least_words(size), row["layer"])
                self.assertAlmostEqual(row["utilization_pct"], 100 * macs / (row["cycles"] * units), places=6)
                checked += 1
            self.assertGreaterEqual(checked, 20)

    def test_one_layer_goes_out_and_in_again(self):
        name = self.answer("eyeriss-256", "--budget", "1000", "--samples", "1000")["layers"][0]["layer"]
        options = ("map", RESNET, "--arch", "eyeriss-256", "--layer", name)
        (row,) = json.loads(opsight_cli.run(*options, "--format", "json").stdout)["layers"]
        text = opsight_cli.run(*options, "--format", "yaml").stdout
        self.assertEqual(text.count("---"), 1)
        path = write("layer.yaml", text)
        again = json.loads(opsight_cli.run("map", path, "--arch", "eyeriss-256", "--format", "json").stdout)["summary"]
        self.assertEqual(again["cycles"], row["cycles"])
        self.assertAlmostEqual(again["energy_pj"] / row["energy_pj"], 1)

    def test_all_forms_have_the_same_layers(self):
        options = ("map", RESNET, "--arch", "eyeriss-256", "--budget", "1000", "--samples", "1000")
        sheet = list(csv.DictReader(io.StringIO(opsight_cli.run(*options, "--format", "csv").stdout)))
        rows = self.answer("eyeriss-256", "--budget", "1000", "--samples", "1000")["layers"]
        self.assertEqual([row["Layer"] for row in sheet], [row["layer"] for row in rows])
        table = opsight_cli.run(*options).stdout
        self.assertIn("at least", table)
        self.assertIn("Not in the totals", table)

    def test_one_layer_is_not_the_network(self):
        quick = ("--budget", "1000", "--samples", "1000")
        whole = self.answer("eyeriss-256", *quick)
        name = whole["layers"][0]["layer"]
        one = self.answer("eyeriss-256", "--layer", name, *quick)
        self.assertEqual(one["only_layer"], name)
        self.assertFalse(one["totals"]["complete"])
        self.assertNotIn("only_layer", whole)
        options = ("map", RESNET, "--arch", "eyeriss-256", "--layer", name, *quick)
        table = opsight_cli.run(*options).stdout
        self.assertIn(f"layer {name} alone of ", table.splitlines()[0])
        self.assertNotIn("100.0% of all that are counted", table)
        self.assertNotIn("EDP of the network", table)
        (row,) = json.loads(opsight_cli.run(*options, "--sweep", "GlobalBuffer.sizeKB=128", "--format", "json").stdout)
        self.assertIn(f"layer {name} alone of ", row["of"])
        path = os.path.join(opsight_cli.temporary_folder(), "layer.svg")
        opsight_cli.run(*options, "--roofline", path)
        with open(path, encoding="utf-8") as file:
            self.assertIn(f"layer {name} alone of ", file.read())

    def test_sources_of_energies_are_told(self):
        path = os.path.join(opsight_cli.temporary_folder(), "sources.svg")
        out = self.answer("eyeriss-256", "--budget", "500", "--samples", "500", "--roofline", path)
        self.assertIn({"part": "DRAM", "source": "built-in"}, out["energy_sources"])
        with open(path, encoding="utf-8") as file:
            picture = file.read()
        self.assertIn("energies are of the built-in table (MACs, ", picture)
        totals = out["totals"]
        self.assertIn("least edp of each layer that was found", picture)
        self.assertIn(f"{totals['proven_layers']} of {totals['layers']} proven", picture)
        self.assertIn("DRAM has no bandwidth here", picture)

    def test_the_roofline_is_drawn(self):
        path = os.path.join(opsight_cli.temporary_folder(), "roofline.svg")
        opsight_cli.run("map", RESNET, "--arch", "nvdla-large", "--budget", "500", "--samples", "2000", "--roofline", path)
        with open(path, encoding="utf-8") as file:
            picture = file.read()
        self.assertIn("<svg", picture)
        self.assertIn("words per cycle", picture)
        self.assertNotIn("has no bandwidth here", picture)

    def test_a_bandwidth_that_is_not_drawn_is_told(self):
        """Reads alone throttle too, but have no line."""
        plain = """arch:
  arithmetic: {name: MACs, instances: 4, word_bits: 16}
  storage:
  - {name: Buffer, sizeKB: 16, word_bits: 16}
  - {name: DRAM, technology: DRAM, word_bits: 16}
"""
        path = os.path.join(opsight_cli.temporary_folder(), "reads.svg")

        def picture_of(text):
            opsight_cli.run("map", RESNET, write("reads.yaml", text), "--budget", "100", "--samples", "100", "--force",
                            "--roofline", path)
            with open(path, encoding="utf-8") as file:
                return file.read()

        self.assertIn("DRAM has no bandwidth here, so that only the units bound", picture_of(plain))
        for name, words in (("DRAM", "no bandwidth line is drawn for DRAM"),
                            ("Buffer", "DRAM has no bandwidth here, those of other levels are not drawn")):
            picture = picture_of(plain.replace(f"name: {name},", f"name: {name}, read_bandwidth: 0.001,"))
            self.assertIn(words, picture)
            self.assertNotIn("only the units bound", picture)

    def test_an_unknown_layer_is_refused(self):
        done = opsight_cli.run("map", RESNET, "--arch", "eyeriss-256", "--layer", "nope", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nope", done.stderr)


class Searches(unittest.TestCase):
    def run_search(self, *options):
        return opsight_cli.run("map", write("small.yaml", SMALL), "--arch", "eyeriss-256", *options)

    def test_every_architecture_maps_a_layer(self):
        names = [line.split()[0] for line in opsight_cli.run("map", "--list").stdout.split("\n\n")[0].splitlines()]
        self.assertGreaterEqual(len(names), 12)
        for name in names:
            done = opsight_cli.run("map", write("small.yaml", SMALL), "--arch", name, "--search", "edp", "--budget",
                                   "2000", "--samples", "4000", "--format", "json")
            self.assertEqual(json.loads(done.stdout)["summary"]["computes"], 4 * 8 * 36 * 9, name)

    def test_methods_agree(self):
        found = {}
        for method in ("branch-and-bound", "linear-pruned"):
            out = json.loads(self.run_search("--search", "energy,delay", "--method", method, "--format", "json").stdout)
            self.assertTrue(out["search"]["proven"], method)
            found[method] = (out["summary"]["energy_pj"], out["summary"]["cycles"])
        self.assertEqual(len(set(found.values())), 1, found)

    def test_a_sweep_is_a_grid(self):
        out = self.run_search("--search", "energy", "--sweep", "GlobalBuffer.sizeKB=1,16,128", "--sweep",
                              "WeightRegFile.entries=96,192", "--format", "json")
        rows = json.loads(out.stdout)
        self.assertEqual([(row["GlobalBuffer.sizeKB"], row["WeightRegFile.entries"]) for row in rows],
                         [(1, 96), (1, 192), (16, 96), (16, 192), (128, 96), (128, 192)])
        small, large = rows[0]["energy_pj"], rows[4]["energy_pj"]
        self.assertNotEqual(small, large)

    def test_options_that_would_be_ignored_are_refused(self):
        mapping = write("given.yaml", self.run_search("--search", "energy", "--format", "yaml").stdout)
        given, sweep = ("--mapping", mapping), ("--sweep", "GlobalBuffer.sizeKB=1,16")
        for options, words in (
                ((*given, *sweep), ("--mapping", "--sweep")), ((*given, "--method", "random"), ("--method", "--mapping")),
                ((*given, "--budget", "9"), ("--budget", "--mapping")), ((*given, "--samples", "9"), ("--samples",)),
                ((*given, "--seed", "9"), ("--seed",)), ((*given, "--threads", "1"), ("--threads",)),
                ((*sweep, "--layer", "x"), ("--layer", "--sweep")), ((*sweep, "--roofline", "x.svg"), ("--roofline", "--sweep")),
                ((*sweep, "--format", "yaml"), ("--format yaml", "--sweep")),
                (("--search", "edp", "--points", "3"), ("--points", "--cloud")), (("--search", "edp", "--force"), ("--force",)),
                (("--cloud", "9", "--method", "random"), ("--method", "--cloud")),
                (("--cloud", "9", "--budget", "9"), ("--budget", "--cloud")), (("--cloud", "9", *sweep), ("--cloud", "--sweep")),
                (("--cloud", "9", "--format", "yaml"), ("--format yaml", "--draw")),
                (("--cloud", "9", "--points", "2"), ("--points", "csv")), (("--cloud", "9", *given), ("--cloud", "--mapping")),
                (("--cloud", "9", "--search", "edp"), ("--cloud", "--search")), (("--draw", "9", "--points", "2"), ("--points",)),
                (("--cloud", "0"), ("--cloud",)), (("--cloud", "9", "--set", "x"), ("--set",)), (("--list",), ("--list",)),
                (("--cloud", "9", "--format", "pdf"), ("pdf",)), (("--near", "3"), ("--cloud",))):
            done = opsight_cli.run("map", write("small.yaml", SMALL), "--arch", "eyeriss-256", *options, check=False)
            self.assertEqual(done.returncode, 2, (options, done.stderr))
            for word in words:
                self.assertIn(word, done.stderr, options)

    def test_every_option_says_what_it_is_for(self):
        """Else a new one could be ignored without a word: src/cli/map_uses.cpp has them all."""
        offered = set(re.findall(r"--[a-z][a-z-]*", opsight_cli.run("map", "--help").stdout.split("Examples")[0]))
        with open(os.path.join(opsight_cli.HERE, "..", "src", "cli", "map_uses.cpp"), encoding="utf-8") as file:
            known = set(re.findall(r'\{"(--[a-z-]+)"', file.read()))
        self.assertEqual(offered - known - {"--help", "--list", "--json"}, set())

    def test_empty_items_are_refused(self):
        for options in (("--search", ","), ("--search", "edp,"), ("--search", ""), ("--search", "energy,,delay"),
                        ("--sweep", "GlobalBuffer.sizeKB=1,,16"), ("--sweep", "GlobalBuffer.sizeKB=")):
            done = opsight_cli.run("map", write("small.yaml", SMALL), "--arch", "eyeriss-256", *options, check=False)
            self.assertEqual(done.returncode, 2, (options, done.stderr))
            self.assertIn("is empty", done.stderr, options)

    def test_a_cloud_tells_what_its_numbers_are_of(self):
        options = ("--cloud", "2000", "--near", "0")
        out = json.loads(self.run_search(*options, "--format", "json").stdout)
        self.assertEqual(out["fewest_outer_accesses"]["of"], "the mappings that were drawn")
        self.assertIn({"part": "MACs", "source": "built-in"}, out["energy_sources"])
        picture = self.run_search(*options, "--format", "svg").stdout
        self.assertIn("of those drawn", picture)
        self.assertIn("energies are of the built-in table (MACs, ", picture)
        self.assertIn("of those drawn", self.run_search(*options).stdout)

    def test_a_sweep_beside_a_table_of_energies_says_that_they_stay(self):
        table = write("ert.yaml", ERT)
        sweep = ("--search", "energy", "--sweep", "GlobalBuffer.sizeKB=16,128")
        for row in json.loads(self.run_search(table, *sweep, "--format", "json").stdout):
            self.assertEqual(row["energy_source"], "GlobalBuffer: ERT, the same at all sizes")
        self.assertIn("stay as the ERT gives them", self.run_search(table, *sweep).stdout)
        for row in json.loads(self.run_search(*sweep, "--format", "json").stdout):
            self.assertEqual(row["energy_source"], "GlobalBuffer: built-in")
        one = json.loads(self.run_search(table, "--search", "energy", "--format", "json").stdout)
        self.assertIn({"part": "GlobalBuffer", "source": "ERT"}, one["energy_sources"])
        self.assertIn("Energies of GlobalBuffer are of the ERT", self.run_search(table, "--search", "energy").stdout)

    def test_bad_words_have_a_remedy(self):
        for options, word in ((("--search", "speed"), "energy, delay"), (("--search", "edp", "--method", "guess"), "hybrid"),
                              (("--sweep", "GlobalBuffer"), "LEVEL.ATTRIBUTE"),
                              (("--sweep", "GlobalBuffer.colour=1"), "depth"), (("--sweep", "Nope.depth=1"), "Nope"),
                              (("--sweep", "GlobalBuffer.depth=many"), "64k")):
            done = opsight_cli.run("map", write("small.yaml", SMALL), "--arch", "eyeriss-256", *options, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(word, done.stderr, options)


if __name__ == "__main__":
    unittest.main()
