#!/usr/bin/env python3
"""`--rank` of a job of several ranks against the same rank's trace imported alone: every number of every report that a
single trace can fill is the same.

The traces come from outside the repository ($OPSIGHT_CORPUS); without them all is skipped, loudly.
"""

import json
import os
import tarfile
import unittest

import opsight_cli
from whole_reports import plain, reports_of

CORPUS = opsight_cli.shared_folder("corpus", "kineto")
JOB = "param/dlrm_kineto.tar.gz"
# What the ranks of a job share: which ranks there are, and clocks and waits, which need the others.
OF_THE_JOB = {"collectives", "collective_calls", "collective_members", "groups", "ranks", "rank_iterations", "stragglers",
              "rank_layers", "rank_path", "clocks"}


@unittest.skipUnless(CORPUS, "no corpus")
class OneRank(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = opsight_cli.temporary_folder()
        cls.job = os.path.join(folder, "job.opsight")
        archive = os.path.join(CORPUS, "kineto", JOB)
        opsight_cli.run("import", archive, "-o", cls.job, "--no-align")
        cls.alone = {}
        with tarfile.open(archive) as members:
            for member in members.getmembers():
                if not member.isfile():
                    continue
                path = os.path.join(folder, os.path.basename(member.name))
                with open(path, "wb") as file:
                    file.write(members.extractfile(member).read())
                profile = path + ".opsight"
                opsight_cli.run("import", path, "-o", profile)
                rank = json.loads(opsight_cli.run("sql", profile, "SELECT rank FROM ranks", "--json").stdout)[0]["rank"]
                cls.alone[rank] = profile

    def test_every_report_of_it(self):
        self.assertEqual(len(self.alone), 8)
        for rank in (3, 7):
            wanted, got = plain(reports_of(self.alone[rank])), plain(reports_of(self.job, "--rank", str(rank)))
            self.assertEqual(set(wanted) - OF_THE_JOB, set(got) - OF_THE_JOB)
            for name in sorted(set(wanted) - OF_THE_JOB):
                with self.subTest(rank=rank, report=name):
                    self.assertEqual(got[name], wanted[name])

    def evidence_of(self, profile, *options):
        """By the rule: what `opsight sql` lists for the query that the finding gives, where it has a range."""
        found = json.loads(opsight_cli.run("advise", profile, "--json", *options).stdout)["findings"]
        return {each["rule"]: (each["query"], plain(json.loads(opsight_cli.run("sql", profile, each["query"], "--json").stdout)))
                for each in found if each["query"]}

    def test_evidence_of_it(self):
        for rank in (3, 7):
            wanted = self.evidence_of(self.alone[rank])
            got = self.evidence_of(self.job, "--rank", str(rank))
            named = [rule for rule, (query, _) in got.items() if f"rank = {rank}" in query]
            self.assertGreater(len(named), 3, got)
            for rule in named:
                with self.subTest(rank=rank, rule=rule):
                    self.assertEqual(got[rule][1], wanted[rule][1], got[rule][0])


if not CORPUS:
    opsight_cli.say_skipped("the corpus of real traces is not there ($OPSIGHT_CORPUS)")

if __name__ == "__main__":
    unittest.main()
