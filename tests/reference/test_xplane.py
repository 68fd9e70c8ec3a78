#!/usr/bin/env python3
"""Every profile in XPlane form of the corpus, imported by opsight, against the plain counts of count_xplane.py.

Numbers, names and times to the nanosecond, launches, and facts of devices. The files come from outside the
repository ($OPSIGHT_CORPUS); without them all is skipped, loudly.
"""

import collections
import os
import unittest

import count_xplane
import opsight_cli

ALL = opsight_cli.shared_folder("corpus", "xplane")
CORPUS = ALL and os.path.join(ALL, "xplane")
CORRUPT = "xprof__tpu_inference_2.xplane.pb"


@unittest.skipUnless(CORPUS, "no corpus")
class XPlaneTest(unittest.TestCase):
    def test_every_file(self):
        files = [name for name in sorted(os.listdir(CORPUS)) if name.endswith(".xplane.pb") and name != CORRUPT]
        self.assertGreater(len(files), 4)
        for name in files:
            with self.subTest(name):
                path = os.path.join(CORPUS, name)
                expected = count_xplane.Counts(count_xplane.load(path))
                profile = opsight_cli.Profile(path)
                self.check_spans(profile, expected)
                self.check_devices(profile, expected)
                self.check_launches(profile, expected)
                self.check_work(profile, expected)
                profile.remove()

    def check_spans(self, profile, expected):
        origin = int(profile.value("SELECT value FROM meta WHERE key = 'origin_ns'"))
        shift = origin - (expected.start or 0)
        for view, wanted in (("kernels", expected.kernels), ("api_calls", expected.calls),
                             ("python_frames", expected.frames)):
            found = collections.Counter((row.name, row.begin_ns + shift, row.dur_ns)
                                        for row in profile.rows(f"SELECT name, begin_ns, dur_ns FROM {view}"))
            self.assertEqual(found, collections.Counter(wanted), view)
        copies = collections.Counter((row.begin_ns + shift, row.dur_ns)
                                     for row in profile.rows("SELECT begin_ns, dur_ns FROM memcpys"))
        self.assertEqual(copies, collections.Counter(expected.copies))
        waits = profile.value("SELECT count(*) FROM raw.device_spans WHERE kind = 4")
        self.assertEqual(waits, len(expected.waits))
        memory = profile.value("SELECT count(*) FROM raw.memory_events")
        # Some tell no size when they are freed, and were allocated before the profile began.
        unknown = {entry["key"]: entry["count"] for entry in profile.info()["diagnostics"]}.get("unknown_free", 0)
        self.assertEqual(memory + unknown, len(expected.memory))

    def check_devices(self, profile, expected):
        rows = {row.device: row for row in profile.rows("SELECT * FROM devices")}
        self.assertEqual(sorted(rows), sorted(expected.devices))
        for number, told in expected.devices.items():
            if "core_count" in told:
                self.assertEqual(rows[number].sm_count, told["core_count"])
            if "memory_size" in told:
                self.assertEqual(rows[number].memory_bytes, told["memory_size"])
            if "device_type_string" in told:
                self.assertEqual(rows[number].name, told["device_type_string"])

    def check_launches(self, profile, expected):
        """Each kernel with a call of its correlation id was launched by that call, and has an op that XLA named."""
        rows = profile.rows("SELECT k.correlation, a.name AS call FROM kernels k "
                            "JOIN api_calls a ON a.id = k.launch_id")
        for row in rows:
            self.assertEqual(row.call, expected.launched[row.correlation])
        if expected.launched:
            self.assertEqual(len(rows), len(expected.kernels))

    def check_work(self, profile, expected):
        found = {row.name: row.flops for row in profile.rows(
            "SELECT n.name, sum(w.flops * s.share) AS flops FROM raw.device_spans s "
            "JOIN raw.works w ON w.id = s.work JOIN raw.kernel_names n ON n.id = s.name "
            "WHERE s.kind = 0 AND w.flops > 0 GROUP BY ALL")}
        told = {name: flops for name, flops in expected.flops.items() if flops > 0 and "all-reduce" not in name}
        # Where the compiler's counts are told, they are all; else products are counted by their shapes.
        self.assertEqual(set(found) if told else set(), set(told))
        for name, flops in told.items():
            self.assertAlmostEqual(flops, found[name], delta=1e-6 * flops, msg=name)

    def test_products_by_their_axes(self):
        """40 convolutions of 1x16x32x60x104 with 5120x16x1x2x2, whose output is 34x31x53."""
        profile = opsight_cli.Profile(os.path.join(CORPUS, "tracelens__mi300_jax08_conv_minimal.xplane.pb"))
        flops = profile.value("SELECT sum(w.flops * s.share) FROM raw.device_spans s JOIN raw.works w ON w.id = s.work")
        each = 2 * 5120 * 34 * 31 * 53 * 16 * 1 * 2 * 2
        self.assertAlmostEqual(flops, 40 * each, delta=1e-9 * flops)
        profile.remove()

    def test_what_cannot_be_read_is_named(self):
        for name, words in ((CORRUPT, "damaged"), ("derived/tf-profiler__GPU-compute-bound__localhost.overview_page.pb",
                                                   "an overview page"),
                            ("derived/tf-profiler__GPU-input-bound__localhost.tensorflow_stats.pb", "a table of ops")):
            done = opsight_cli.run("import", os.path.join(CORPUS, name), "-o",
                                   os.path.join(opsight_cli.temporary_folder(), "none.opsight"), check=False)
            self.assertEqual(done.returncode, 1, name)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    if not CORPUS:
        opsight_cli.say_skipped("no corpus of profiles in XPlane form")
    unittest.main()
