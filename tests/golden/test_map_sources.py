"""Timeloop 0.4's inputs as people write them (the corpus's tutorial and designs) against what Timeloop's front end made
of them (parsed-processed-input.yaml): the same mapping costs the same, and the same mappings are drawn under the same
constraints. Prints a table: the same, or different or refused and why."""
import glob
import json
import os
import sys
import unittest

import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "timeloop")
TUTORIAL, DESIGNS = "tutorial", "designs"


def tutorial(name, *parts, outputs="", settings=()):
    return {"folder": os.path.join(TUTORIAL, name), "parts": parts, "outputs": os.path.join("ref-output", outputs),
            "settings": settings}


def design(name):
    return {"folder": os.path.join(DESIGNS, name), "outputs": "ref-output", "settings": (),
            "parts": ("arch.yaml", "../_components/*.yaml", "../_include/*.yaml")}


NULL = "constraints/null.constraints.yaml"
CASES = [
    tutorial("00-model-conv1d-1level", "arch/*", "map/*", "prob/*"),
    tutorial("01-model-conv1d-2level", "arch/*", "map/*-ws.map.yaml", "prob/*", outputs="ws"),
    tutorial("02-model-conv1d+oc-2level", "arch/*", "map/*-tiled.map.yaml", "prob/*", outputs="tiling"),
    tutorial("03-model-conv1d+oc-3level", "arch/*", "map/conv1d+oc-3level.map.yaml", "prob/*", outputs="no-bypass"),
    tutorial("04-model-conv1d+oc-3levelspatial", "arch/*", "map/*-cp-ws.map.yaml", "prob/*", outputs="cp"),
    tutorial("05-mapper-conv1d+oc-3level", "arch/*", "mapper/*", "prob/*", NULL, outputs="null"),
    tutorial("05-mapper-conv1d+oc-3level", "arch/*", "mapper/*", "prob/*",
             "constraints/conv1d+oc-3level-freebypass.constraints.yaml", outputs="freebypass"),
    tutorial("06-mapper-convlayer-eyeriss", "arch/*.yaml", "arch/components/*", "mapper/*", "prob/*"),
    tutorial("07-timeloop+accelergy", "arch/arch.yaml", "arch/components/*", "mapper/*", "prob/*",
             outputs="intmac", settings=("psum_datawidth=16", "input_weight_datawidth=8", "mac_class=intmac")),
    design("eyeriss_like"),
    design("simple_weight_stationary"),
]
# The reference is not of the files that lie beside it.
CHANGED_SINCE = {
    "04-model-conv1d+oc-3levelspatial": "the reference has 16 GlobalBuffers: its PE stood around it, not below it",
}
# Inputs without a reference that must be read too: (files, options).
MORE = [
    ("tutorial/01-model-conv1d-2level", ("arch/*", "map/*-os.map.yaml", "prob/*"), ()),
    ("tutorial/02-model-conv1d+oc-2level", ("arch/*", "map/conv1d+oc-2level-os.map.yaml", "prob/*"), ()),
    ("tutorial/03-model-conv1d+oc-3level", ("arch/*", "map/*-bypass.map.yaml", "prob/*"), ()),
    ("tutorial/04-model-conv1d+oc-3levelspatial", ("arch/*", "map/*-kp-ws.map.yaml", "prob/*"), ()),
    ("tutorial/05-mapper-conv1d+oc-3level", ("arch/*", "prob/*", "constraints/*-1mapping.constraints.yaml"),
     ("--search", "energy")),
    ("tutorial/07-timeloop+accelergy", ("arch/eyeriss_like-int16.yaml", "prob/*"), ("--cloud", "2000")),
    ("tutorial/07-timeloop+accelergy", ("arch/eyeriss_like-float32.yaml", "prob/*"), ("--cloud", "2000")),
]
# What is no whole input, or not one that can be mapped, and what the refusal must say.
REFUSED = [
    ("tutorial/07-timeloop+accelergy", ("arch/arch.yaml", "prob/*"), "{{psum_datawidth}}' has no value"),
    ("tutorial/accelergy/01_primitive_architecture_ERT", ("input/architecture.yaml",), "no problem is given"),
    ("tutorial/accelergy/02_primitive_architecture_energy", ("input/flattened_architecture.yaml",),
     "no problem is given"),
    ("tutorial/accelergy/03_compound_architecture", ("input/architecture.yaml", "input/components/*"),
     "no problem is given"),
    ("tutorial/accelergy/04_eyeriss_like", ("input/architecture.yaml", "input/components/*"), "no problem is given"),
    ("tutorial/06-mapper-convlayer-eyeriss", ("arch/components/*", "prob/*"), "no architecture is given"),
]


def files_of(folder, parts):
    found = []
    for part in parts:
        here = sorted(glob.glob(os.path.join(CORPUS, "timeloop", glob.escape(folder), part)))
        assert here, (folder, part)
        found += here
    return found


def settings_of(case):
    return [option for value in case["settings"] for option in ("--set", value)]


def run_map(*arguments):
    return json.loads(opsight_cli.run("map", *arguments, "--format", "json").stdout)


@unittest.skipIf(CORPUS is None, "no corpus of Timeloop's cases")
class Sources(unittest.TestCase):
    def costs(self, case, files, tables, mapping):
        options = ["--mapping", mapping] if mapping else []
        answer = run_map(*files, *tables, *options, *settings_of(case))
        answer.pop("problem")
        answer.pop("unread_attributes", None)  # with the files' names and lines
        return answer

    def drawn(self, case, files, tables):
        answer = run_map(*files, *tables, "--cloud", "20000", "--points", "100000", *settings_of(case))
        answer.pop("problem")
        answer.pop("unread_attributes", None)  # with the files' names and lines
        return answer

    def compare(self, case):
        """What differs between the sources and what the front end made of them; empty: nothing."""
        outputs = os.path.join(CORPUS, "timeloop", case["folder"], case["outputs"])
        parsed = [os.path.join(outputs, "parsed-processed-input.yaml")]
        tables = glob.glob(os.path.join(glob.escape(outputs), "*.[EA]RT.yaml"))
        sources = files_of(case["folder"], case["parts"])
        mapping = (glob.glob(os.path.join(glob.escape(outputs), "*.map.yaml")) or [None])[0]
        different = []
        own, known = (self.costs(case, files, tables, mapping) for files in (sources, parsed))
        different += [f"{key} of the mapping" for key in known if own[key] != known[key]]
        if mapping:
            own, known = (self.drawn(case, files, tables) for files in (sources, parsed))
            different += [f"{key} of the space" for key in known if own[key] != known[key]]
        return different

    def test_sources_give_what_the_front_end_made_of_them(self):
        for case in CASES:
            name = os.path.basename(case["folder"])
            with self.subTest(case=name, outputs=case["outputs"]):
                different = self.compare(case)
                why = CHANGED_SINCE.get(name, "")
                print(f"{name:<36} {case['outputs']:<22} {'different: ' + why if why else 'the same' if not different else different}",
                      file=sys.stderr)
                self.assertEqual(bool(different), bool(why), different)

    def test_inputs_without_a_reference_are_read(self):
        for folder, parts, options in MORE:
            with self.subTest(folder=folder, parts=parts):
                answer = run_map(*files_of(folder, parts), *options)
                print(f"{folder:<46} {parts[0] + ' ' + parts[1]:<50} read", file=sys.stderr)
                self.assertTrue(answer)

    def test_what_is_no_whole_input_is_refused(self):
        for folder, parts, words in REFUSED:
            with self.subTest(folder=folder):
                answer = opsight_cli.run("map", *files_of(folder, parts), check=False)
                print(f"{folder:<56} refused: {words}", file=sys.stderr)
                self.assertEqual(answer.returncode, 1)
                self.assertIn(words, answer.stderr)


if __name__ == "__main__":
    unittest.main()
