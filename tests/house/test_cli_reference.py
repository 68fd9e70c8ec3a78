"""docs/CLI.md says what the program's own help says."""
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import cli_reference  # noqa: E402


class CliReference(unittest.TestCase):
    def test_it_is_current(self):
        program = pathlib.Path(os.environ["OPSIGHT_BIN_DIR"], "opsight")
        written = (ROOT / "docs" / "CLI.md").read_text(encoding="utf-8")
        self.maxDiff = None
        self.assertEqual(written, cli_reference.reference(str(program)),
                         "run: scripts/cli_reference.py build/bin/opsight > docs/CLI.md")

    def test_a_help_without_commands_is_refused(self):
        with self.assertRaises(SystemExit):
            cli_reference.commands_in("Usage: opsight\n")

    def test_commands_come_in_order(self):
        self.assertEqual(cli_reference.commands_in("Subcommands:\n  b   text\n  a   text\n\nOther:\n  c\n"), ["b", "a"])


if __name__ == "__main__":
    unittest.main()
