#!/usr/bin/env python3
"""`opsight report --format html`: one file that needs nothing else, with the numbers of the other formats."""

import html.parser
import json
import os
import unittest

import opsight_cli
import tiny_trace
from tiny_trace import span


class Page(html.parser.HTMLParser):
    """What the tests look at: tables as rows of values, ids, and whatever could be fetched or run."""

    VOID = {"meta", "input", "br", "link", "img"}

    def __init__(self, text):
        super().__init__()
        self.tables, self.ids, self.references, self.open, self.scripts = {}, [], [], [], []
        self.title, self.cell, self.text = "", None, ""
        self.feed(text)
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag not in self.VOID:
            self.open.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.references += [given[key] for key in ("src", "href", "action", "data") if key in given]
        assert not any(key.startswith("on") for key in given), given
        if tag == "tr" and "thead" not in self.open:
            self.tables[self.title].append([])
        if tag == "table":
            self.tables[self.title] = []
        if tag == "td":
            self.cell = given.get("data-v")
        self.text = ""

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()
        if tag == "h3":
            self.title = self.text
        if tag == "td":
            self.tables[self.title][-1].append(self.cell if self.cell is not None else self.text)


class HtmlTest(unittest.TestCase):
    def setUp(self):
        made = tiny_trace.trace(steps=5)
        made["traceEvents"].append(span("cpu_op", "<script>alert('x')</script>&\"", 1, 445, 10))
        path = os.path.join(opsight_cli.temporary_folder(), "html.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(made, file)
        self.profile = opsight_cli.Profile(path)
        self.out = os.path.join(opsight_cli.temporary_folder(), "report.html")
        if os.path.exists(self.out):
            os.unlink(self.out)

    def test_one_file_with_the_numbers_of_the_reports(self):
        done = opsight_cli.run("report", self.profile.path, "--format", "html", "-o", self.out)
        self.assertEqual(done.stdout, self.out + "\n")
        with open(self.out, encoding="utf-8") as file:
            text = file.read()
        page = Page(text)
        self.assertEqual(page.ids, ["advice", "summary", "op_type", "detailed", "kernel_name", "kernel", "group_op"])
        self.assertTrue(all(reference.startswith("#") for reference in page.references), page.references)
        self.assertNotIn("http://", text)
        self.assertNotIn("https://", text)
        self.assertIn("prefers-color-scheme:dark", text)
        for name, title in (("detailed", "Ops (Detailed)"), ("kernel", "Kernels"), ("op_type", "Op Type Summary")):
            rows = self.profile.report(name)[name]
            shown = page.tables[title]
            self.assertEqual(len(shown), len(rows), name)
            for row, cells in zip(rows, shown):
                for key in ("total_gpu_time_ns", "calls"):
                    self.assertIn(str(row[key]), cells)

    def test_names_are_text(self):
        text = opsight_cli.run("report", self.profile.path, "--format", "html", "--all-iterations").stdout
        page = Page(text)
        self.assertEqual(len(page.scripts), 1)
        self.assertNotIn("alert", page.scripts[0])
        names = [cell for row in page.tables["Ops (Detailed)"] for cell in row]
        self.assertIn("<script>alert('x')</script>&\"", names)

    def test_range_limit_and_files(self):
        text = opsight_cli.run("report", self.profile.path, "--format", "html", "--report", "iteration",
                               "--limit", "3", "--iter-start", "1", "--iter-stop", "2").stdout
        page = Page(text)
        self.assertEqual([len(page.tables[title]) for title in ("Iterations", "Kernels by Iteration")], [2, 3])
        self.assertIn("the first 3 of 4 rows", text)
        self.assertIn("Iterations 1 to 2 of 5", text)
        opsight_cli.run("report", self.profile.path, "--format", "html", "-o", self.out)
        again = opsight_cli.run("report", self.profile.path, "--format", "html", "-o", self.out, check=False)
        self.assertEqual(again.returncode, 1)
        opsight_cli.run("report", self.profile.path, "--format", "html", "-o", self.out, "--force")


if __name__ == "__main__":
    unittest.main()
