"""The check of types finds a second definition wherever it stands, and takes nothing else for one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_types.py"


class CheckTypes(unittest.TestCase):
    def check(self, files):
        """Exit code and output for {path: text}."""
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, text in files.items():
                paths.append(pathlib.Path(folder, name))
                paths[-1].parent.mkdir(parents=True, exist_ok=True)
                paths[-1].write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, *paths], capture_output=True, text=True)
            return done.returncode, done.stdout.replace(folder + "/", "")

    def test_a_second_definition_is_told_with_the_first(self):
        code, output = self.check({"a.h": "namespace o::q {\nstruct Row { int a; };\n}\n",
                                   "b.cpp": "namespace o {\nnamespace q {\n\nclass Row final : public Base {\n};\n}\n}\n"})
        self.assertEqual(code, 1)
        self.assertEqual(output, "b.cpp:4: o::q::Row is defined in a.h:2 too\n")

    def test_every_kind_of_type_counts(self):
        for one in ("enum class Kind : uint8_t { kA };", "union Kind { int a; };", "enum Kind { kA };",
                    "template <class T>\nstruct Kind { T t; };", "struct alignas(64) Kind { int a = f({1}); };"):
            code, output = self.check({"a.h": f"namespace o {{\n{one}\n}}\n", "b.h": f"namespace o {{\n{one}\n}}\n"})
            self.assertEqual((code, output.count("o::Kind is defined")), (1, 1), one)

    def test_types_in_types_count_after_functions_of_the_class(self):
        text = "namespace o {\nclass A {\n  public:\n    int f() const { return 1; }\n    struct In { int a; };\n};\n}\n"
        code, output = self.check({"a.h": text, "b.h": text.replace("class A", "class A final")})
        self.assertEqual(code, 1)
        self.assertIn("o::A::In", output)

    def test_what_is_of_its_file_alone_may_repeat(self):
        text = ("namespace o {\nnamespace {\nstruct Row { int a; };\n}\nint f() {\n    struct Local { int a; };\n"
                "    return 0;\n}\n// struct Told { };\nconst char* t = \"struct Told {\";\nstruct Said;\n}\n")
        self.assertEqual(self.check({"a.cpp": text, "b.cpp": text}), (0, ""))

    def test_other_namespaces_and_specializations_are_other_types(self):
        self.assertEqual(self.check({"a.h": "namespace o::a {\nstruct Row {};\n}\n",
                                     "b.h": "namespace o::b {\nstruct Row {};\n}\n",
                                     "c.h": "template <>\nstruct std::hash<A> {};\n",
                                     "d.h": "template <>\nstruct std::hash<B> {};\n"}), (0, ""))

    def test_tests_of_two_rooms_are_two_programs(self):
        text = "namespace o {\nstruct Row {};\n}\n"
        self.assertEqual(self.check({"a/a_test.cpp": text, "b/b_test.cpp": text, "c/c_fuzzer.cpp": text}), (0, ""))
        self.assertEqual(self.check({"a/a_test.cpp": text, "a/b_test.cpp": text})[0], 1)
        self.assertEqual(self.check({"a/a_test.cpp": text, "b/b.h": text})[0], 1)


if __name__ == "__main__":
    unittest.main()
