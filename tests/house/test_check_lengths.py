"""The length check measures C++, Python and bash functions as a reader would, and holds its exception list."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
import cpp_functions  # noqa: E402
import script_functions  # noqa: E402

CPP = r'''
#include "a.h"
namespace a::b {
struct Point { int x = 0; int y() const { return x; } };
enum class Kind { kOne, kTwo };
constexpr int kTable[] = {
    1, 2,
};
const auto kTwice = [](int n) {
    return n * 2;
};
// void commented() { }
template <class T, class U = std::map<int, int>>
std::vector<T> Outer<T>::method(const std::string& text = "{", std::string other = {}) const noexcept {
    const char brace = '{'; const int big = 1'000'000;
    auto raw = R"x({{{)x" "\"{";  /* { */
    if (brace) { return {}; }
    auto inner = [&] { return 1; };
    return {};
}
Outer::Outer(int a)
    : a_{a}, b_(a),
      c_{} {
    run();
}
bool operator==(const P& a, const P& b) { return a.x == b.x; }
extern "C" int entry(void) {
    return 0;
}
class alignas(64) Wide : public Base<int> {
  public:
    void go() {
    }
};
std::vector<Row> rows() {
    return {
        {"a", 1},
    };
}
std::vector<Row> no_table() {
    return {f([] { g(); })}; g();
}
TEST(Suite, Name) {
    EXPECT_EQ(1, 1);
}
}  // namespace a::b
'''

BASH = '''#!/usr/bin/env bash
one() { echo 1; }
two() {
    if true; then
        echo "}"
    fi
}
three() (
    cd x
)
'''


class Functions(unittest.TestCase):
    def test_cpp(self):
        lengths = {name: count for name, _, count in cpp_functions.functions(CPP)}
        self.assertEqual(lengths, {
            "y": 1, "kTwice": 3, "Outer<T>::method": 8, "Outer::Outer": 5, "operator==": 1, "entry": 3, "go": 2,
            "no_table": 3,
            "TEST(Suite, Name)": 3})

    def test_cpp_lines(self):
        lines = {name: line for name, line, _ in cpp_functions.functions(CPP)}
        for name, text in (("TEST(Suite, Name)", "TEST(Suite, Name) {"), ("Outer::Outer", "Outer::Outer(int a)")):
            self.assertEqual(CPP.split("\n")[lines[name] - 1], text)

    def test_bash(self):
        self.assertEqual(script_functions.bash_functions(BASH), [("one", 2, 1), ("two", 3, 5), ("three", 8, 3)])

    def test_python(self):
        text = "@wrap\ndef a():\n    def b():\n        pass\n    return b\n\nclass C:\n    async def d(self):\n        pass\n"
        self.assertEqual(sorted(script_functions.python_functions(text)), [("a", 2, 4), ("b", 3, 2), ("d", 8, 2)])


class CheckLengths(unittest.TestCase):
    def check(self, name, text, exceptions=""):
        with tempfile.TemporaryDirectory() as folder:
            path, listed = pathlib.Path(folder, name), pathlib.Path(folder, "exceptions")
            path.write_text(text)
            listed.write_text("".join(f"{folder}/{line}\n" for line in exceptions.split("\n") if line))
            command = [sys.executable, SCRIPTS / "check_lengths.py", "--exceptions", listed, path]
            done = subprocess.run(command, capture_output=True, text=True)
            return done.returncode, done.stdout.replace(folder + "/", "")

    @staticmethod
    def cpp_function(lines):
        return "void f() {\n" + "    g();\n" * (lines - 2) + "}\n"

    def test_limits_are_the_last_good_length(self):
        self.assertEqual(self.check("a.cpp", self.cpp_function(60)), (0, ""))
        self.assertEqual(self.check("a.h", "int a;\n" * 500), (0, ""))

    def test_a_longer_function_fails(self):
        code, output = self.check("a.cpp", self.cpp_function(61))
        self.assertEqual((code, output), (1, "a.cpp:1: f has 61 lines, more than 60: split it\n"))
        self.assertEqual(self.check("a.py", "def f():\n" + "    g()\n" * 60)[0], 1)
        self.assertEqual(self.check("a.sh", "f() {\n" + "    g\n" * 60 + "}\n")[0], 1)

    def test_a_longer_file_fails(self):
        self.assertEqual(self.check("a.h", "int a;\n" * 501)[0], 1)

    def test_an_exception_admits_exactly_its_length(self):
        self.assertEqual(self.check("a.cpp", self.cpp_function(70), "a.cpp:f 70"), (0, ""))
        self.assertEqual(self.check("a.cpp", self.cpp_function(71), "a.cpp:f 70")[0], 1)
        code, output = self.check("a.cpp", self.cpp_function(65), "a.cpp:f 70")
        self.assertEqual(code, 1)
        self.assertIn("lower its exception", output)

    def test_a_needless_exception_fails(self):
        code, output = self.check("a.cpp", self.cpp_function(60), "a.cpp:f 70")
        self.assertEqual(code, 1)
        self.assertIn("needs no exception", output)
        self.assertEqual(self.check("a.cpp", "int a;\n", "gone.cpp 600")[0], 1)

    def test_nothing_passes_the_hard_limits(self):
        self.assertEqual(self.check("a.cpp", self.cpp_function(121), "a.cpp:f 121")[0], 1)
        self.assertEqual(self.check("a.h", "int a;\n" * 801, "a.h 801")[0], 1)


if __name__ == "__main__":
    unittest.main()
