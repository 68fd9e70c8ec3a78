"""The check of messages finds code that decides by the words of an error, and lets other comparisons pass."""
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_messages.sh"


class CheckMessages(unittest.TestCase):
    def check(self, text, name="a.cpp"):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, name).write_text(text + "\n")
            done = subprocess.run([SCRIPT, name], cwd=folder, capture_output=True, text=True)
            return done.returncode, done.stdout

    def test_comparisons_of_words_are_found(self):
        for text in ('if (error.what.find("newer") != npos) {', 'if (facts.error().message.starts_with("is ")) {',
                     'return problem.message == "gone";', 'if (status.error().message().contains("lock")) {',
                     "if (/cannot be sorted/.test(said.message)) {", 'if (error.message.includes("token")) {',
                     'const gone = error.message === "gone";', 'if (failed->error().what.ends_with("x")) {'):
            code, output = self.check(text)
            self.assertEqual((code, output), (1, f"compares the words of an error: a.cpp:1:{text}\n"), text)

    def test_odd_english_in_messages_is_found(self):
        code, output = self.check('return fail("\'x\' is no number");')
        self.assertEqual((code, output[:12]), (1, '"is no X", n'))

    def test_other_code_passes(self):
        for text in ("if (error.code == ErrorCode::kNoSpace) {", 'if (text.find("x") != npos) {',
                     'fail("there is no number");', 'fail("is no longer there");', "// what is no number",
                     'if (error.code === "wrong_sort") {', "show(error.message);"):
            self.assertEqual(self.check(text), (0, ""), text)


if __name__ == "__main__":
    unittest.main()
