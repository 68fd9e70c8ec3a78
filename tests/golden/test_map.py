"""`opsight map` against Timeloop, number by number: counts are the same, energies within 0.1 %."""
import glob
import json
import os
import sys
import tempfile
import unittest

import opsight_cli
from timeloop_stats import COUNTS, Stats

CORPUS = opsight_cli.shared_folder("corpus", "timeloop")
GOLDEN = opsight_cli.shared_folder("golden", "timeloop")
PROBLEMS = {"conv_small": "{N: 1, C: 16, K: 32, P: 14, Q: 14, R: 3, S: 3}",
            "alexnet_conv3": "{N: 1, C: 192, K: 384, P: 13, Q: 13, R: 3, S: 3}"}
LARGEST = 1e-3  # of an energy
PRINTED = 0.0051  # Timeloop prints two digits


def run_map(*arguments):
    return json.loads(opsight_cli.run("map", *arguments, "--format", "json").stdout)


def corpus_case(outputs):
    """(files, mapping file) of a folder with Timeloop's outputs."""
    files = [os.path.join(outputs, "parsed-processed-input.yaml")]
    files += glob.glob(os.path.join(outputs, "*.ERT.yaml")) + glob.glob(os.path.join(outputs, "*.ART.yaml"))
    mapping = glob.glob(os.path.join(outputs, "*.map.yaml"))
    return files, mapping[0] if mapping else None


class Comparison(unittest.TestCase):
    def compare(self, name, stats, answer):
        """Prints a line for each level and data space, and fails for each number that differs."""
        rows = {(row["level"], row["data_space"]): row for row in answer["levels"]}
        units = {unit["name"]: unit for unit in answer["units"]}
        self.assertTrue(stats.units)
        for unit in stats.units.values():
            facts, own = unit.facts, units[unit.name]
            self.assertEqual(own["cycles"], facts["Cycles"], unit.name)
            if "Bandwidth throttling" in facts:
                self.assertAlmostEqual(own["throttle"], facts["Bandwidth throttling"], delta=PRINTED)
            if "Leakage energy (total)" in facts:
                self.assertAlmostEqual(own["leakage_pj"], facts["Leakage energy (total)"], delta=PRINTED)
            area = facts["Area (total)"] if "Area (total)" in facts else facts["Area"] * own["instances"]
            self.assertAlmostEqual(own["area_um2"], area, delta=1e-6 * area + PRINTED * own["instances"])
            if not unit.spaces and "Computes (total)" in facts:
                self.near(rows[unit.name, None]["energy_pj"], facts["Energy (total)"], unit.name)
                self.assertEqual(answer["summary"]["computes"], facts["Computes (total)"])
                self.assertEqual(rows[unit.name, None]["instances"], facts["Utilized instances"])
            for space, known in unit.spaces.items():
                row = rows[unit.name, space]
                different = [f"{key} {row[key]} (Timeloop: {known[label]:.0f})" for label, key in COUNTS.items()
                             if row[key] != known[label]]
                energy = row["energy_pj"] / known["Energy (total)"] - 1 if known["Energy (total)"] else 0.0
                print(f"{name:<36} {unit.name:<22} {space:<8} reads {row['reads']:>10} fills {row['fills']:>9} "
                      f"updates {row['updates']:>10}  energy {energy:+.1e}  {'; '.join(different) or 'same'}",
                      file=sys.stderr)
                with self.subTest(case=name, level=unit.name, space=space):
                    self.assertEqual(different, [])
                    self.near(row["energy_pj"], known["Energy (total)"], unit.name)
                    self.compare_rates(row, known)
        kept = {(unit.name, space) for unit in stats.units.values() for space in unit.spaces}
        self.assertEqual({key for key in rows if key[1] not in (None, "leakage")}, kept)
        self.compare_summary(stats.summary, answer["summary"])
        self.compare_intensity(stats, answer)

    def compare_rates(self, row, known):
        """Words in a cycle, and what leads to them."""
        read, write = row["read_words_per_cycle"], row["write_words_per_cycle"]
        for label, own in (("Read", read), ("Write", write), ("Shared", read + write)):
            self.assertAlmostEqual(own, known[f"{label} Bandwidth (per-instance)"], delta=PRINTED)
            self.near(own * row["instances"], known[f"{label} Bandwidth (total)"], label)
        if row["instances"] == known["Utilized clusters (max)"]:
            self.near(row["energy_pj"] / row["instances"], known["Energy (per-instance)"], "energy of one")
        self.assertEqual(known["Temporal Reduction Energy (total)"], 0)
        self.assertEqual(known["Address Generation Energy (total)"], 0)

    def compare_intensity(self, stats, answer):
        computes = answer["summary"]["computes"]
        self.assertEqual(computes, stats.intensity[None]["Total elementwise ops"])
        for unit in stats.units.values():
            rows = [row for row in answer["levels"] if row["level"] == unit.name and row["reads"] is not None]
            if not rows or unit.name not in stats.intensity:
                continue
            words = sum((row["reads"] + row["fills"] + row["updates"]) * row["instances"] for row in rows)
            self.assertEqual(words, stats.intensity[unit.name]["Total scalar accesses"], unit.name)

    def compare_summary(self, known, own):
        self.assertEqual(own["cycles"], known["Cycles"])
        self.assertAlmostEqual(own["utilization"], known["Utilization"], delta=PRINTED)
        self.assertAlmostEqual(own["energy_pj"] * 1e-6, known["Energy"], delta=LARGEST * known["Energy"] + PRINTED)
        self.near(own["energy_per_compute_pj"] * 1000, known["fJ Total"], "energy per compute")

    def near(self, own, known, what):
        self.assertAlmostEqual(own, known, delta=LARGEST * known + PRINTED, msg=what)


@unittest.skipIf(CORPUS is None, "no corpus of Timeloop's cases")
class Corpus(Comparison):
    def test_every_case_of_timeloop_0_4(self):
        outputs = sorted(os.path.dirname(path) for path in
                         glob.glob(os.path.join(CORPUS, "timeloop", "**", "*.stats.txt"), recursive=True))
        self.assertEqual(len(outputs), 11)
        for folder in outputs:
            name = os.path.relpath(folder, os.path.join(CORPUS, "timeloop")).replace("/ref-output", "")
            files, mapping = corpus_case(folder)
            stats = Stats(glob.glob(os.path.join(folder, "*.stats.txt"))[0])
            nest = glob.glob(os.path.join(folder, "*.map.txt"))[0]
            answer = run_map(*files, *(["--mapping", mapping] if mapping else []))
            self.compare(name.split("/", 1)[1], stats, answer)
            # The same mapping, as the loop nest that Timeloop prints.
            self.assertEqual(run_map(*files, "--mapping", nest), answer, name)


@unittest.skipIf(GOLDEN is None or CORPUS is None, "no golden runs of Timeloop")
class Golden(Comparison):
    def test_every_run_of_timeloop_3_0_3(self):
        folders = sorted(glob.glob(os.path.join(GOLDEN, "timeloop", "*.*.*")))
        self.assertEqual(len(folders), 12)
        for folder in folders:
            name = os.path.basename(folder)
            stats = Stats(os.path.join(folder, "timeloop-mapper.stats.txt"))
            answer = self.answer(name.split(".")[0], os.path.join(folder, "timeloop-mapper.map.txt"))
            self.compare(name, stats, answer)
            self.compare_networks(name, stats, answer)

    def answer(self, problem, mapping):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", dir=opsight_cli.temporary_folder()) as file:
            file.write(f"problem: {PROBLEMS[problem]}\n")
            file.flush()
            arch = os.path.join(CORPUS, "timeloop", "eyeriss-256", "eyeriss-256.yaml")
            return run_map(arch, file.name, "--mapping", mapping)

    def test_the_search_proves_the_optimum_of_the_exhaustive_runs(self):
        arch = os.path.join(CORPUS, "timeloop", "eyeriss-256", "eyeriss-256.yaml")
        for name, problem in PROBLEMS.items():
            with tempfile.NamedTemporaryFile("w", suffix=".yaml", dir=opsight_cli.temporary_folder()) as file:
                file.write(f"problem: {problem}\n")
                file.flush()
                for objective, key in (("energy", "energy_pj"), ("delay", "cycles"), ("edp", "edp_j_cycles")):
                    nest = os.path.join(GOLDEN, "timeloop", f"{name}.exh.{objective}", "timeloop-mapper.map.txt")
                    known = run_map(arch, file.name, "--mapping", nest)["summary"][key]
                    found = run_map(arch, file.name, "--search", objective)
                    self.assertTrue(found["search"]["proven"])
                    self.assertAlmostEqual(found["summary"][key], known, delta=1e-9 * known, msg=(name, objective))
                    self.check_yaml(found, arch, file.name, objective)

    def check_yaml(self, found, arch, problem, objective):
        """What was found, written as YAML, is read again as the same mapping."""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", dir=opsight_cli.temporary_folder()) as file:
            file.write(opsight_cli.run("map", arch, problem, "--search", objective, "--format", "yaml").stdout)
            file.flush()
            again = run_map(arch, problem, file.name)
        self.assertEqual(again["loop_nest"], found["loop_nest"])
        self.assertEqual(again["summary"], found["summary"])

    def compare_networks(self, name, stats, answer):
        """Timeloop names a network by its two ends in any order; ours by the outer one."""
        order = [unit["name"] for unit in answer["units"]]
        own = {(row["level"], row["data_space"]): row for row in answer["networks"]}
        self.assertTrue(stats.networks)
        for (one, other, space), known in stats.networks.items():
            outer = max(one, other, key=order.index)
            if known["Ingresses"] == 0:
                self.assertNotIn((outer, space), own)
                continue
            row = own[outer, space]
            with self.subTest(case=name, source=outer, space=space):
                self.assertEqual([row["fanout"], row["words"], row["spatial_reductions"]],
                                 [known["Fanout"], known["Ingresses"], known["Spatial reductions"]])
                self.assertEqual(row["multicast"], known["Multicast factor"])
                self.assertAlmostEqual(row["hops"], known["Average number of hops"], delta=PRINTED)
                # Neighbours pass nothing on, and the architecture's links cost nothing.
                for label in ("Link transfers", "Energy (total)", "Link transfer energy (total)",
                              "Spatial Reduction Energy (total)"):
                    self.assertEqual(known[label], 0, label)


if __name__ == "__main__":
    if CORPUS is None or GOLDEN is None:
        opsight_cli.say_skipped("Timeloop's cases: set OPSIGHT_CORPUS and OPSIGHT_GOLDEN")
    unittest.main()
