"""A profile at which DuckDB crashes ends a command with a sentence, and the viewer not at all."""

import os
import shutil
import signal
import tempfile
import time
import unittest

import damaged_text
import opsight_cli
import tiny_trace
import view_server

KERNELS = "/api/v1/profiles/{}/tables/kernel"


class Crashes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        cls.good = os.path.join(cls.folder, "good.opsight")
        opsight_cli.run("import", tiny_trace.write(cls.folder, steps=4), "-o", cls.good)
        cls.bad = os.path.join(cls.folder, "bad.opsight")
        shutil.copy(cls.good, cls.bad)
        damaged_text.damage(cls.bad, "raw.op_identities", "shapes")

    def states(self, server):
        until, states = time.monotonic() + 60, ["reading"]
        while "reading" in states and time.monotonic() < until:
            states = [each["state"] for each in server.json("/profiles")["profiles"]]
        return states

    def wait_for_quiet(self, server):
        """Until the timeline of the first profile is read, which begins by itself and is work on that profile."""
        self.assertEqual(server.ask("/api/v1/profiles/0/timeline/tracks")[0], 200)
        time.sleep(0.2)

    def ask(self, server, path):
        """The status, or nothing where the process that was to answer has gone."""
        try:
            return server.ask(path)[0]
        except OSError:
            return None

    def test_a_command_says_so(self):
        done = opsight_cli.run("sql", self.bad, "SELECT shapes FROM raw.op_identities", check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("crashed while it read its input", done.stderr)

    def test_the_viewer_goes_on_without_that_profile(self):
        with view_server.Server(self.good, self.bad) as server:
            self.assertEqual(self.states(server), ["ok", "ok"], "that text is not read by now")
            self.wait_for_quiet(server)
            before = server.answering()
            self.assertIsNone(self.ask(server, "/api/v1/profiles/1/tables/detailed"))
            status, error = server.error("/profiles/1/tables/detailed")
            self.assertEqual(status, 422)
            self.assertIn("crashed the process that was answering", error["message"])
            self.assertNotEqual(server.answering(), before)
            self.assertEqual(server.ask(KERNELS.format(0))[0], 200, "with the same token, at the same address")
            self.assertEqual(self.states(server), ["ok", "error"])
            after = server.answering()
            # It is another file now.
            shutil.copy(self.good, self.bad + ".new")
            os.replace(self.bad + ".new", self.bad)
            self.addCleanup(self.setUpClass)
            self.assertEqual(server.ask("/api/v1/profiles/1/tables/detailed")[0], 200)
            self.assertEqual(server.answering(), after)
            self.assertEqual(server.stop(), 0)
        self.assertIn("crashed (Segmentation fault) while it was asked about " + self.bad, server.errors)

    def test_crashes_that_no_profile_is_to_blame_for_end_it_at_last(self):
        server = view_server.Server(self.good)
        for _ in range(3):
            while self.ask(server, "/api/v1/profiles/0/info") is None:
                pass  # the one that ends may still have taken the question
            self.wait_for_quiet(server)
            os.kill(server.answering(), signal.SIGSEGV)
        self.assertEqual(server.process.wait(timeout=60), 1)
        server.stop()
        self.assertIn("Please report it", server.errors)

    def test_signals_reach_the_process_that_answers(self):
        for number, code in ((signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGHUP, -signal.SIGHUP)):
            server = view_server.Server(self.good)
            answering = server.answering()
            self.assertEqual(server.stop(number), code)
            self.assertFalse(os.path.exists(f"/proc/{answering}"))

    def test_it_ends_with_the_one_that_watches(self):
        server = view_server.Server(self.good)
        answering = server.answering()
        server.process.kill()
        server.process.communicate()
        until = time.monotonic() + 30
        while os.path.exists(f"/proc/{answering}") and time.monotonic() < until:
            time.sleep(0.01)
        self.assertFalse(os.path.exists(f"/proc/{answering}"))


if __name__ == "__main__":
    unittest.main()
