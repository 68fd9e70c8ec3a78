"""CMakePresets.json is what the scripts build by: each names presets that exist, for their own folders, and only the
preset of CI makes warnings errors."""
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = [ROOT / "dev", *sorted((ROOT / "scripts").glob("*.sh"))]


class Presets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]
        cls.presets = {preset["name"]: preset for preset in presets}

    def value(self, name, key):
        """A preset's value of a key or a cache variable, its own or inherited."""
        preset = self.presets[name]
        own = preset.get(key, preset.get("cacheVariables", {}).get(key))
        return own if own is not None or "inherits" not in preset else self.value(preset["inherits"], key)

    def test_scripts_name_presets_and_their_folders(self):
        named = set()
        for script in SCRIPTS:
            for preset, folder in re.findall(r'^\s*configure "?\$?(\w+)"? (\S+)$', script.read_text(), re.MULTILINE):
                preset = "dev" if preset == "preset" else preset
                self.assertEqual(self.value(preset, "binaryDir"), "${sourceDir}/" + folder, script.name)
                named.add(preset)
        self.assertEqual(named, {"dev", "sanitize", "fuzz", "lint", "odr"})

    def test_no_script_configures_otherwise(self):
        for script in SCRIPTS:
            if script.name != "lib.sh":
                self.assertNotRegex(script.read_text(), r"\bcmake (-S|-B|--preset)", script.name)

    def test_warnings_are_errors_in_ci_alone(self):
        strict = [name for name in self.presets if self.value(name, "OPSIGHT_WERROR") == "ON"]
        self.assertEqual(strict, ["ci"])
        self.assertIn("OPSIGHT_PRESET=ci exec ./dev test", (ROOT / ".ci" / "run").read_text())
        self.assertEqual(self.value("ci", "binaryDir"), self.value("dev", "binaryDir"))


if __name__ == "__main__":
    unittest.main()
