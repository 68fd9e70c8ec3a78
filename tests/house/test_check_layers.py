"""The room check finds every kind of breach, and nothing in a clean tree."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOMS = """# opsight_room(comment ROOMS base)
opsight_room(base LIBS fmt::fmt)
opsight_room(wire ROOMS base)
opsight_room(model ROOMS base)
opsight_room(import ROOMS model wire LIBS simdjson)
opsight_room(analyze ROOMS model)
opsight_room(db ROOMS analyze)
opsight_room(query/session ROOMS db)
opsight_room(query/nsys ROOMS query/session)
opsight_room(query/dlprof ROOMS query/session)
opsight_room(cli ROOMS query/nsys import collect LIBS CLI11::CLI11)
"""
COLLECT = """add_library(opsight_collect STATIC launcher.cpp)
target_link_libraries(opsight_collect PUBLIC opsight_base opsight_wire Threads::Threads)
target_link_libraries(test_collect PRIVATE opsight_model)
"""
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_layers.py"


class CheckLayers(unittest.TestCase):
    def check(self, files):
        """Exit code and output for a src/ folder of {path: text}."""
        files = {"CMakeLists.txt": ROOMS, "collect/CMakeLists.txt": COLLECT, **files}
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)
            return done.returncode, done.stdout

    def assert_breach(self, expected, files):
        code, output = self.check(files)
        self.assertEqual(code, 1)
        self.assertEqual(len(output.splitlines()), 1, output)
        self.assertIn(expected, output)

    def test_a_clean_tree_passes(self):
        code, output = self.check({
            "base/a.h": "#include <vector>\n",
            "import/b.cpp": '#include "base/a.h"\n#include "import/c.h"\n#include "model/profile.h"\n',
            "collect/d.cpp": '#include "wire/w.h"\n#include "collect/e.h"\n'})
        self.assertEqual((code, output), (0, ""))

    def test_a_room_below_is_refused_with_its_line(self):
        self.assert_breach(":3: import/ may not use analyze/",
                           {"import/b.cpp": '\n\n#include "analyze/x.h"\n'})

    def test_the_collector_sees_base_and_wire_only(self):
        self.assert_breach("collect/ may not use model/", {"collect/c.cpp": '#include "model/profile.h"\n'})

    def test_only_the_command_line_includes_the_collector(self):
        self.assert_breach("query/nsys/ may not use collect/", {"query/nsys/c.cpp": '#include "collect/c.h"\n'})
        self.assertEqual(self.check({"cli/c.cpp": '#include "collect/c.h"\n'})[0], 0)

    def test_rooms_side_by_side_do_not_see_each_other(self):
        self.assert_breach("query/dlprof/ may not use query/nsys/",
                           {"query/dlprof/a.cpp": '#include "query/nsys/a.h"\n'})

    def test_folders_in_a_circle_are_named(self):
        self.assert_breach("include each other: import, import/kineto",
                           {"import/a.cpp": '#include "import/kineto/k.h"\n',
                            "import/kineto/k.cpp": '#include "import/a.h"\n'})
        self.assertEqual(self.check({"import/a.cpp": '#include "import/kineto/k.h"\n',
                                     "import/kineto/k_test.cpp": '#include "import/a.h"\n'})[0], 0)

    def test_a_library_stays_behind_its_wrapper(self):
        self.assert_breach("only base/ may include duckdb.h", {"db/d.cpp": "#include <duckdb.h>\n"})
        self.assertEqual(self.check({"base/duck.cpp": "#include <duckdb.h>\n",
                                     "db/d.cpp": '#include "base/duckdb.h"\n'})[0], 0)

    def test_includes_are_named_from_src(self):
        self.assert_breach("by its full name", {"model/a.cpp": '#include "b.h"\n'})
        self.assert_breach("names no room", {"model/a.cpp": '#include "../base/b.h"\n'})

    def test_a_file_outside_the_rooms_is_refused(self):
        self.assert_breach("no room", {"cellar/a.cpp": "int a;\n"})

    def test_a_comment_is_no_include(self):
        self.assertEqual(self.check({"base/a.cpp": '/*\n#include "cli/x.h"\n*/\n// #include "cli/x.h"\n'})[0], 0)


if __name__ == "__main__":
    unittest.main()
