"""Estimated energies and areas against the tables that Accelergy made for Timeloop's tutorials and designs, component
by component; prints the ratio of each."""
import glob
import os
import sys
import unittest

import opsight_cli
from test_map_sources import CASES, CHANGED_SINCE, CORPUS, files_of, run_map, settings_of

# An estimate and a table of other tools (CACTI, other libraries) for the same component are at most so many times
# apart; most apart are the writes of small memories, which cost CACTI more than twice their reads.
READ, WRITE, AREA = 1.46, 2.7, 1.2
UNIT = 1.16  # of multiply-adds, register files, scratchpads and DRAM
# Areas that Accelergy's old plug-ins give for one row of a register file, whatever its depth.
NO_AREA = {"Buffer", "RegisterFile"}
# References that are not of the components beside them: (case, component, None for all).
OTHERS = {
    ("eyeriss_like", None): "the reference is of 32 nm, its source says 65 nm",
    ("simple_weight_stationary", "mac"): "the multiplier of the reference was an adder",
}


def most_apart(unit, action):
    if "Horowitz" not in unit["energy_source"]:
        return UNIT
    return READ if action == "read" else WRITE


def tables_of(folder, kind):
    """{component: {action: pJ}} of an ERT, {component: um2} of an ART, read without a library."""
    tables, name, action = {}, None, None
    path = glob.glob(os.path.join(glob.escape(folder), f"*.{kind}.yaml"))[0]
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, _, value = line.strip().lstrip("- ").partition(":")
            value = value.strip()
            if key == "name" and "[" in value:
                name = value[:value.index("[")].split(".")[-1]
                tables[name] = {} if kind == "ERT" else 0.0
            elif key == "name":
                action = value
            elif key == "energy":
                tables[name][action] = float(value)
            elif key == "area":
                tables[name] = float(value)
    return tables


@unittest.skipIf(CORPUS is None, "no corpus of Timeloop's cases")
class Estimates(unittest.TestCase):
    def line(self, case, component, what, own, known, most):
        ratio = own / known if known else None
        print(f"{case:<34} {component:<24} {what:<8} {own:>12.4f} {known:>12.4f}  "
              f"{'-' if ratio is None else f'{ratio:.2f}'}  {OTHERS.get((case, component), OTHERS.get((case, None), ''))}",
              file=sys.stderr)
        if ratio is None:
            self.assertEqual(own, 0, (case, component, what))
        elif not OTHERS.get((case, component), OTHERS.get((case, None))):
            with self.subTest(case=case, component=component, what=what):
                self.assertLess(max(ratio, 1 / ratio), most)

    def compare(self, case, settings):
        name = os.path.basename(case["folder"])
        outputs = os.path.join(CORPUS, "timeloop", case["folder"], case["outputs"])
        mapping = glob.glob(os.path.join(glob.escape(outputs), "*.map.yaml"))
        options = ["--mapping", mapping[0]] if mapping else []
        answer = run_map(*files_of(case["folder"], case["parts"]), *settings, *options)
        ert, art = tables_of(outputs, "ERT"), tables_of(outputs, "ART")
        for unit in answer["units"]:
            known = ert[unit["name"]]
            self.assertTrue(unit["energy_source"].startswith("estimate: "), unit)
            actions = [("compute", unit["compute_pj"])] if "compute_pj" in unit else [
                ("read", unit["read_pj"]), ("write", unit["write_pj"]), ("update", unit["update_pj"])]
            for action, own in actions:
                self.line(name, unit["name"], action, own, known[action], most_apart(unit, action))
            if unit["name"] not in NO_AREA:
                self.line(name, unit["name"], "area", unit["area_um2"] / unit["instances"], art[unit["name"]], AREA)

    def test_each_component_of_the_references(self):
        print(f"{'case':<34} {'component':<24} {'':<8} {'estimate':>12} {'reference':>12}  ratio", file=sys.stderr)
        for case in CASES:
            if os.path.basename(case["folder"]) not in CHANGED_SINCE:
                self.compare(case, settings_of(case))


if __name__ == "__main__":
    unittest.main()
