"""The check of boundaries finds threads and output that nobody guards, and lets other code pass."""
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_boundaries.sh"


class CheckBoundaries(unittest.TestCase):
    def check(self, text, name="src/a.cpp"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True)
            path.write_text(text + "\n", encoding="utf-8")
            done = subprocess.run([SCRIPT, name], cwd=folder, capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def test_threads_are_found(self):
        for text in ("    std::thread ahead_;", "std::jthread looking([] { look(); });", "auto x = std::async(work);",
                     "std::vector<std::thread> all;", "pthread_create(&thread, nullptr, &run, this);"):
            self.assertEqual(self.check(text),
                             (1, f"starts a thread that no TaskGroup guards: src/a.cpp:1:{text}\n"), text)
            self.assertEqual(self.check(text, "src/base/task_group.h"), (0, ""))

    def test_pools_of_threads_are_found(self):
        text = "net::thread_pool workers;"
        self.assertEqual(self.check(text), (1, f"starts threads that no TaskGroup guards: src/a.cpp:1:{text}\n"))
        self.assertEqual(self.check(text, "src/server/http_server.cpp"), (0, ""))

    def test_unchecked_output_is_found(self):
        for text in ('std::printf("%s", url);', 'puts("Rules");', "std::cout << text;", 'fmt::print("{}", 1);',
                     "std::fputs(text.c_str(), stdout);"):
            self.assertEqual(self.check(text),
                             (1, f"writes to standard output unchecked: src/a.cpp:1:{text}\n"), text)
        self.assertEqual(self.check("std::fflush(stdout);", "src/cli/standard_output.cpp"), (0, ""))

    def test_json_from_pieces_is_found(self):
        for text in ('out += "{\\"name\\":" + name;', 'out += ",\\"header\\":";', 'format_to(out, "\\"{}\\":[", name);',
                     'return fmt::format(R"({{"limit_bytes": {}, )"', 'R"("shapes": {}}})", shapes);',
                     'return "{\\"range\\": " + range + ",\\n\\"summary\\": " + summary;', "#include <rapidjson/writer.h>"):
            self.assertEqual(self.check(text), (1, f"writes JSON beside JsonWriter: src/a.cpp:1:{text}\n"), text)
        self.assertEqual(self.check("#include <rapidjson/writer.h>", "src/base/json_writer.cpp"), (0, ""))

    def test_other_code_passes(self):
        for text in ("// a std::thread, or printf()", "std::this_thread::yield();", "std::thread::id where;",
                     'std::fprintf(stderr, "x");', 'fmt::print(stderr, "x");', "outputs(1);", "snprintf(a, 1, b);",
                     "node.puts(1);", 'help("(\\"default\\": of none)");', 'view.find("\\"ph\\"");', '{"fputs", "printf"},'):
            self.assertEqual(self.check(text), (0, ""), text)


if __name__ == "__main__":
    unittest.main()
