#!/usr/bin/env python3
"""The HTML site of `./dev docs`: every link and anchor leads somewhere, and no page needs the network.

usage: site_test.py [SITE]      SITE: a site that is built; without it one is built and thrown away
"""

import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import unquote, urlparse

TOP = Path(__file__).resolve().parents[2]
BUILD = TOP / "tools/site/build.py"
SITE = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None


class Reader(html.parser.HTMLParser):
    """The links, anchors and text of a page."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads, self.words, self.open = [], [], [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        elif tag in ("link", "script", "img", "iframe", "source"):
            self.loads += [attributes[name] for name in ("href", "src") if name in attributes]
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if "script" not in self.open and "pre" not in self.open and "code" not in self.open:
            self.words.append(data)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = SITE
        if cls.site is None:
            holder = tempfile.TemporaryDirectory()
            cls.addClassCleanup(holder.cleanup)
            cls.site = Path(holder.name) / "site"
            subprocess.run([sys.executable, "-B", BUILD, cls.site], check=True, timeout=120)
        cls.pages = {path: Reader(path) for path in sorted(cls.site.rglob("*.html"))}

    def resolve(self, page, link):
        """The file that a link leads to, and the anchor in it."""
        parts = urlparse(link)
        path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        return path, parts.fragment

    def test_every_link_leads_somewhere(self):
        checked = 0
        for page, reader in self.pages.items():
            for link in reader.links:
                if urlparse(link).scheme in ("http", "https", "mailto"):
                    continue
                path, anchor = self.resolve(page, link)
                where = f"{page.relative_to(self.site)}: {link}"
                self.assertTrue(path.is_file(), where)
                self.assertTrue(path.is_relative_to(self.site.resolve()), where)
                if anchor:
                    self.assertIn(anchor, self.pages[path].ids if path in self.pages else [], where)
                checked += 1
        self.assertGreater(checked, 1000)

    def test_nothing_is_loaded_from_elsewhere(self):
        for page, reader in self.pages.items():
            for target in reader.loads:
                if target != "data:,":
                    self.assertEqual(urlparse(target).scheme, "", f"{page}: {target}")
                    self.assertTrue(self.resolve(page, target)[0].is_file(), f"{page}: {target}")
        for name in ("style.css", "site.js", "search.js"):
            self.assertNotRegex((self.site / name).read_text(), r"https?:|@import|url\(")

    def test_anchors_are_unique(self):
        for page, reader in self.pages.items():
            twice = {name for name in reader.ids if reader.ids.count(name) > 1}
            self.assertEqual(twice, set(), page)

    def test_nothing_is_left_of_the_sources_form(self):
        for page, reader in self.pages.items():
            text = "".join(reader.words)
            if "files/" not in page.relative_to(self.site).as_posix():
                self.assertNotRegex(text, r"```|\]\(|@[A-Z]{4,}@|^\|--", page)

    def test_every_page_is_reached_from_the_first(self):
        seen, waiting = set(), [self.site / "index.html"]
        while waiting:
            page = waiting.pop()
            if page in seen or page not in self.pages:
                continue
            seen.add(page)
            waiting += [self.resolve(page, link)[0] for link in self.pages[page].links if not urlparse(link).scheme]
        self.assertEqual(set(self.pages) - seen, set())

    def test_the_search_finds_every_routine(self):
        text = (self.site / "search-data.js").read_text()
        data = json.loads(re.fullmatch(r"window\.searchData = (.*);\n", text).group(1))
        names = {words for words, _, _ in data["entries"]}
        for name in ("shmem_put(3)", "shmem_long_put(3)", "shmemx_req_wait(3)", "oshc++(1)", "weft(7)"):
            self.assertIn(name, names)
        for words, url, _ in data["entries"]:
            self.assertTrue((self.site / url.partition("#")[0]).is_file(), words)

    def search(self, *queries):
        """The URLs of what the site's own script finds, for each query."""
        with tempfile.NamedTemporaryFile("w", suffix=".js", encoding="utf-8") as script:
            script.write("var window = {};\n")
            for name in ("search-data.js", "search.js"):
                script.write((self.site / name).read_text(encoding="utf-8"))
            script.write(f"var ask = makeSearch(window.searchData);\n{json.dumps(queries)}.forEach(function (query) {{\n"
                         "  print(JSON.stringify(ask(query, 12).map(function (entry) { return entry[1]; })));\n});\n")
            script.flush()
            done = subprocess.run(["duk", script.name], capture_output=True, text=True, timeout=60, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    @unittest.skipIf(shutil.which("duk") is None, "duk, which runs the site's script, is not there; ./dev docs installs it")
    def test_the_search_finds_words_in_pages(self):
        lock, hang, put, nothing, prefix = self.search("lock deadlock", "hang", "shmem_long_put", "qzxqzx", "oversubscr")
        self.assertIn("guide/debugging.html#a-job-that-does-not-end", lock)
        self.assertIn("guide/debugging.html#a-job-that-does-not-end", hang[:3])
        self.assertEqual(put[0], "man/shmem_put.3.html")
        self.assertEqual(nothing, [])
        for found in (lock, hang, put, prefix):
            self.assertEqual(len(found), len(set(found)))

    def test_every_document_is_there(self):
        for path in (TOP / "docs").rglob("*.md"):
            name = path.relative_to(TOP / "docs")
            name = name.with_name("index.html") if name.name == "README.md" and len(name.parts) > 1 else (
                Path("docs.html") if name.name == "README.md" else name.with_suffix(".html"))
            self.assertTrue((self.site / name).is_file(), name)


class Complaints(unittest.TestCase):
    def test_a_link_to_nothing_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            for name in ("api", "docs", "examples", "tools"):
                shutil.copytree(TOP / name, top / name)
            for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "CMakeLists.txt", "LICENSE"):
                shutil.copy(TOP / name, top)
            with open(top / "README.md", "a", encoding="utf-8") as file:
                file.write("\n[nothing](docs/no-such-page.md)\n")
            done = subprocess.run([sys.executable, "-B", top / "tools/site/build.py", top / "site"], capture_output=True,
                                  text=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, "build.py: index.html: links to docs/no-such-page.md, which is not there\n")


def main():
    try:
        import markdown  # noqa: F401
        import pygments  # noqa: F401
    except ImportError as missing:
        print(f"{missing}; ./dev docs installs it")
        return 77
    if shutil.which("mandoc") is None:
        print("mandoc is not there; ./dev docs installs it")
        return 77
    os.environ["LC_ALL"] = "C.UTF-8"
    return 0 if unittest.main(exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
