#!/usr/bin/env python3
"""The page that is built into the program: each file as it should be served, and no other."""

import gzip
import html.parser
import os
import unittest

import opsight_cli
import tiny_trace
from view_server import Server

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".svg": "image/svg+xml"}


class References(html.parser.HTMLParser):
    """Addresses that a page loads, and what of it a strict policy would not run."""

    def __init__(self, text):
        super().__init__()
        self.found, self.inline, self.inside = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.inside = tag
        self.found += [given[key] for key in ("src", "href") if key in given]
        self.inline += [key for key in given if key.startswith("on") or key == "style"]

    def handle_data(self, data):
        if self.inside in ("script", "style") and data.strip():
            self.inline.append(data)

    def handle_endtag(self, tag):
        self.inside = None


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        profile = opsight_cli.Profile(tiny_trace.write(opsight_cli.temporary_folder()))
        cls.server = Server(profile.path)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def test_the_page_and_what_it_loads(self):
        status, headers, body = self.server.ask("/")
        self.assertEqual((status, headers["Content-Type"]), (200, TYPES[".html"]))
        page = References(body.decode())
        self.assertEqual(page.inline, [])
        self.assertGreater(len(page.found), 1)
        for reference in page.found:
            self.assertFalse(reference.startswith(("http:", "https:", "//", "data:")), reference)
            path = "/" + reference.removeprefix("./").removeprefix("/")
            status, headers, body = self.server.ask(path)
            self.assertEqual(status, 200, path)
            self.assertEqual(headers["Content-Type"], TYPES[os.path.splitext(path)[1]], path)
            self.assertGreater(len(body), 0)

    def test_tags_and_packing(self):
        _, headers, body = self.server.ask("/")
        status, again, nothing = self.server.ask("/", headers={"If-None-Match": headers["ETag"]})
        self.assertEqual((status, nothing, again["ETag"]), (304, b"", headers["ETag"]))
        self.assertEqual(headers["Cache-Control"], "no-cache")
        scripts = [path for path in References(body.decode()).found if path.startswith("./assets/") and
                   path.endswith(".js")]
        plain = self.server.ask(scripts[0][1:])
        packed = self.server.ask(scripts[0][1:], headers={"Accept-Encoding": "gzip, br"})
        self.assertEqual(packed[1]["Content-Encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed[2]), plain[2])
        self.assertNotIn("Content-Encoding", plain[1])
        self.assertLess(len(packed[2]), 1_000_000)

    def test_other_addresses(self):
        page = self.server.ask("/")[2]
        self.assertEqual(self.server.ask("/some/view")[2], page)
        for path in ("/index.htm", "/assets/none.js", "/package.json", "/assets/../index.html", "/.index.html"):
            self.assertEqual(self.server.ask(path)[0], 404, path)
        self.assertEqual(self.server.ask("/", method="POST")[0], 405)


if __name__ == "__main__":
    unittest.main()
