"""opsight devices: the table, one device, a user's own."""
import csv
import io
import json
import os
import unittest

import opsight_cli


class Devices(unittest.TestCase):
    def rows(self, *options):
        return json.loads(opsight_cli.run("devices", "--format", "json", *options).stdout)

    def test_all_forms_have_the_same_devices(self):
        rows = self.rows()
        table = opsight_cli.run("devices").stdout
        sheet = list(csv.DictReader(io.StringIO(opsight_cli.run("devices", "--format", "csv").stdout)))
        self.assertEqual([row["key"] for row in rows], [row["Device"] for row in sheet])
        for row in rows:
            self.assertIn("\n" + row["key"] + " ", table)
        self.assertGreater(len(rows), 30)

    def test_one_device(self):
        (row,) = self.rows("v100-sxm2")
        self.assertEqual(row["matrix_fp16_tflops"], 125)
        self.assertEqual(row["bandwidth_gbs"], 900)
        self.assertIn("https://developer.nvidia.com/", row["sources"])
        self.assertIn("Matrix fp16       125 TFLOP/s", opsight_cli.run("devices", "v100-sxm2").stdout)

    def test_a_users_device(self):
        path = os.path.join(opsight_cli.temporary_folder(), "mine.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("devices:\n  - {key: mine, vector: {fp32: 10}}\n")
        (row,) = self.rows("mine", "--devices", path)
        self.assertEqual(row["vector_fp32_tflops"], 10)
        self.assertIsNone(row["bandwidth_gbs"])

    def test_what_the_caches_move(self):
        (row,) = self.rows("a100-80")
        self.assertEqual(row["memory_levels"], "L2 7219; L1/shared 19492")
        self.assertIn("L2 (GB/s)         10138 (estimate)", opsight_cli.run("devices", "h100-sxm").stdout)
        path = os.path.join(opsight_cli.temporary_folder(), "levels.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("devices:\n  - {key: mine, vector: {fp32: 10}, levels: [{name: L2, gbs: 700}]}\n")
        (row,) = self.rows("mine", "--devices", path)
        self.assertEqual(row["memory_levels"], "L2 700")
        with open(path, "a", encoding="utf-8") as file:
            file.write("  - {key: other, vector: {fp32: 10}, levels: [{name: L2}]}\n")
        done = opsight_cli.run("devices", "other", "--devices", path, check=False)
        self.assertIn("line 3", done.stderr)
        self.assertNotEqual(done.returncode, 0)

    def test_estimates_are_not_called_published(self):
        rows = {row["key"]: row for row in self.rows()}
        self.assertEqual(rows["a100-80"]["peaks"], "published")
        self.assertEqual(rows["rtx-3090"]["peaks"], "derived")
        self.assertEqual(rows["gaudi2"]["peaks"], "estimate")
        self.assertEqual(rows["tpu-v4"]["peaks"], "published, some estimates")
        self.assertEqual(rows["xeon-8380"]["peaks"], "derived, estimate")
        for key in ("rx-9070-xt", "rx-7900-xt", "mi308x", "trainium", "apple-m2"):
            self.assertIn("estimate", rows[key]["peaks"], key)
        text = opsight_cli.run("devices", "gaudi2").stdout
        self.assertIn("no source gives bandwidth_gbs, vector, matrix", text)
        self.assertNotIn("published", text)

    def test_an_unknown_one_is_wrong_usage(self):
        done = opsight_cli.run("devices", "a100-400", check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("a100-40", done.stderr)


if __name__ == "__main__":
    unittest.main()
