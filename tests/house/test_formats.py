"""Every folder of a format has its line in the registry, and every line its row in docs/FORMATS.md."""
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMPORT = ROOT / "src" / "import"
FOLDER = re.compile(r'#include "import/(\w+)/')


def folders_of_formats():
    return {path.parent.name for path in IMPORT.glob("*/reader.h")} - {"reader"}


def formats_of_help():
    """(kind, names, description) as `opsight import --help` lists them."""
    program = pathlib.Path(os.environ["OPSIGHT_BIN_DIR"], "opsight")
    text = subprocess.run([program, "import", "--help"], capture_output=True, text=True, check=True).stdout
    lines = text.split("Reads (found by content, whatever the name):\n")[1].split("\n\n")[0].splitlines()
    return [(*re.fullmatch(r"  (\S.*?)  +(\..*)", line).groups(), what.strip())
            for line, what in zip(lines[::2], lines[1::2], strict=True)]


def formats_of_document():
    text = (ROOT / "docs" / "FORMATS.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", text.split("\n## ")[0], re.MULTILINE)
    return [(kind, names.replace("`", ""), what) for kind, names, what in rows if kind != "kind"]


class Formats(unittest.TestCase):
    def test_every_folder_of_a_format_has_its_line(self):
        self.assertGreaterEqual(len(folders_of_formats()), 4)
        registry = FOLDER.findall((IMPORT / "all_readers.cpp").read_text(encoding="utf-8"))
        self.assertEqual(set(registry), folders_of_formats())

    def test_only_the_registry_knows_them(self):
        """Another format may build on one; what walks the registry may not."""
        walkers = [path for path in IMPORT.glob("*.cpp")
                   if path.name != "all_readers.cpp" and not path.stem.endswith("_test")]
        self.assertGreaterEqual(len(walkers), 3)
        knows = [path.name for path in walkers
                 if set(FOLDER.findall(path.read_text(encoding="utf-8"))) & folders_of_formats()]
        self.assertEqual(knows, [])

    def test_the_document_lists_what_the_help_lists(self):
        self.assertGreaterEqual(len(formats_of_help()), 4)
        self.assertEqual(formats_of_document(), formats_of_help())


if __name__ == "__main__":
    unittest.main()
