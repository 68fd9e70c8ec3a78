"""docs/ARCHITECTURE.md leads from every question of the page to the files that answer it."""
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
ROWS = [line.split("|")[1:-1] for line in TEXT.split("## Where a number comes from")[1].split("\n## ")[0].splitlines()
        if line.startswith("| `/")]


class Numbers(unittest.TestCase):
    def test_every_question_has_its_row(self):
        paths = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))["paths"]
        asked = {re.sub(r"/timeline/.*", "/timeline/...", path.split("{id}")[1]) for path in paths if "{id}" in path}
        asked |= {f"/{kind}s/..." for path in paths for kind in ("store", "sweep", "cloud") if "{" + kind + "}" in path}
        asked -= {"/aggregations", "/aggregations/{aggregation}"}  # names of ranges: no number is in them
        self.assertEqual({row[0].strip(" `") for row in ROWS}, asked)

    def test_the_files_are_there(self):
        for row in ROWS:
            named = [path for cell in row[2:] for path in re.findall(r"`(src/[^`]+)`", cell)]
            self.assertGreaterEqual(len(named), 2, row[0])
            for path in named:
                self.assertTrue((ROOT / path).exists(), path)


if __name__ == "__main__":
    unittest.main()
