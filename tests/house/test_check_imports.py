"""The check of imports finds every kind of breach in the page and in the Python package, and nothing in clean ones."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "check_imports.py"
WEB = {"folders.txt": "# in order\napi\nwidgets\npages\n", "api/client.ts": "export const a = 1;\n",
       "widgets/Icon.tsx": 'import { a } from "../api/client";\n',
       "pages/registry.ts": '// The views.\nimport { a } from "../api/client";\nimport "../styles/pages.css";\n',
       "styles/pages.css": "", "main.tsx": 'import { b } from "./pages/registry";\nimport { useState } from "react";\n'}
PACKAGE = {"__init__.py": "", "say.py": "import sys\n", "hook.py": "def start():\n    from . import torch\n",
           "torch.py": "from .say import say\nfrom . import say\n"}


class CheckImports(unittest.TestCase):
    def check(self, web=None, package=None):
        """Exit code and output for a page and a package of {path: text} beside what is clean."""
        with tempfile.TemporaryDirectory() as folder:
            for place, files in (("web", {**WEB, **(web or {})}), ("opsight", {**PACKAGE, **(package or {})})):
                for name, text in files.items():
                    path = pathlib.Path(folder, place, name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text)
            command = [sys.executable, "-B", SCRIPT, f"{folder}/web", f"{folder}/opsight"]
            done = subprocess.run(command, capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

    def assert_breach(self, expected, web=None, package=None):
        code, output = self.check(web, package)
        self.assertEqual(code, 1, output)
        self.assertEqual(len(output.splitlines()), 1, output)
        self.assertIn(expected, output)

    def test_clean_ones_pass(self):
        self.assertEqual(self.check(), (0, ""))

    def test_a_folder_after_it_is_refused_with_its_line(self):
        self.assert_breach("widgets/Num.tsx:3: widgets/ may not import pages/", {
            "widgets/Num.tsx": '// A number.\nimport { a } from "../api/client";\nimport type { b } from "../pages/registry";\n'})

    def test_every_form_of_import_counts(self):
        for form in ('export { b } from "../pages/registry";', 'const b = await import("../pages/registry");',
                     'import "../pages/registry";', 'type B = import("../pages/registry").B;',
                     'import {\n  a,\n  b,\n} from "../pages/registry.ts";', "import { b } from '../pages/registry';"):
            self.assert_breach("widgets/ may not import pages/", {"widgets/Num.tsx": form + "\n"})

    def test_a_comment_is_no_import(self):
        self.assertEqual(self.check({"api/client.ts": '// import "../pages/registry";\n/*\nimport "../pages/registry";\n*/\n'}), (0, ""))

    def test_what_starts_the_page_is_imported_by_nothing(self):
        self.assert_breach("pages/ may not import main.tsx", {"pages/a.ts": 'import { x } from "../main";\n', "main.tsx": ""})

    def test_an_import_that_the_check_cannot_follow_is_refused(self):
        self.assert_breach("pages/a.ts:1: imports widgets, which is not a file", {"pages/a.ts": 'import { x } from "../widgets";\n'})

    def test_the_order_has_all_folders_and_no_others(self):
        self.assert_breach("has no place for attic/", {"attic/a.ts": "export const a = 1;\n"})
        self.assert_breach("there is no folder attic/", {"folders.txt": WEB["folders.txt"] + "attic\n"})

    def test_files_in_a_circle_are_named(self):
        self.assert_breach("import each other: api/a.ts, api/b.ts, api/c.ts", {
            "api/a.ts": 'import { b } from "./b";\n', "api/b.ts": 'import type { c } from "./c";\n',
            "api/c.ts": 'export * from "./a";\n'})

    def test_modules_in_a_circle_are_named(self):
        self.assert_breach("import each other: opsight.hook, opsight.torch", package={"torch.py": "from .hook import start\n"})
        self.assert_breach("import each other: opsight.hook, opsight.torch", package={"torch.py": "import opsight.hook\n"})
        self.assert_breach("import each other: opsight, opsight.torch",
                           package={"__init__.py": "from . import torch\n", "torch.py": "from . import name\n"})

    def test_a_folder_of_the_package_counts_too(self):
        self.assert_breach("import each other: opsight.say, opsight.sub.a",
                           package={"say.py": "from .sub import a\n", "sub/__init__.py": "", "sub/a.py": "from ..say import say\n"})

    def test_a_missing_folder_is_no_pass(self):
        done = subprocess.run([sys.executable, "-B", SCRIPT, "/nowhere", ROOT / "python/opsight"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no folder /nowhere", done.stderr)

    def test_the_architecture_has_the_folders_in_their_order(self):
        ordered = [line for line in (ROOT / "web/src/folders.txt").read_text().splitlines() if not line.startswith("#")]
        told = re.findall(r"^\| `web/src/(\w+)/` \|", (ROOT / "docs/ARCHITECTURE.md").read_text(), re.MULTILINE)
        self.assertEqual(told, ordered)


if __name__ == "__main__":
    unittest.main()
