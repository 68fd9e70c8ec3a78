"""Every relative link and picture of the documents leads to a file of the project, and docs/README.md names all."""
import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def links(document):
    """The files that a document leads to."""
    for target in LINK.findall(document.read_text(encoding="utf-8")):
        if "://" not in target:
            yield pathlib.Path(os.path.normpath(document.parent / target))


class Links(unittest.TestCase):
    def test_links_lead_somewhere(self):
        self.assertGreater(len(DOCUMENTS), 10)
        dead = [(str(d.relative_to(ROOT)), str(t)) for d in DOCUMENTS for t in links(d) if not t.exists()]
        self.assertEqual(dead, [])

    def test_every_document_is_listed(self):
        index = ROOT / "docs" / "README.md"
        listed = set(links(index))
        missing = [p.name for p in ROOT.glob("docs/*.md") if p != index and p not in listed]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
