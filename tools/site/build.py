#!/usr/bin/env python3
"""Builds the documentation as a folder of HTML pages that need no network: README.md, docs, the manual pages, and every
file of the project that these link to.

usage: build.py FOLDER      the folder is made anew; open FOLDER/index.html
"""

import json
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gen"))
import look  # noqa: E402
import manual_pages  # noqa: E402
import markdown_pages  # noqa: E402
import navigation  # noqa: E402
import source_pages  # noqa: E402
from page import Missing  # noqa: E402

TOP = Path(__file__).resolve().parents[2]


def version():
    return re.search(r"project\(weft VERSION ([\d.]+)", (TOP / "CMakeLists.txt").read_text()).group(1)


def collect():
    """All pages, by the file or name they are of; what pages link to is found by making them."""
    pages = manual_pages.collect(TOP, version())
    names = manual_pages.names(pages)
    waiting = markdown_pages.roots(TOP)
    while waiting:
        path = waiting.pop()
        if path in pages:
            continue
        page = markdown_pages.make(TOP, path, names) if path.suffix == ".md" else source_pages.make(TOP, path)
        pages[path] = page
        waiting += [target for target in page.links if isinstance(target, Path) and target not in pages]
    return pages


def write(folder, pages):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, data in look.files().items():
        (folder / name).write_text(data, encoding="utf-8")
    where = {key: page.url for key, page in pages.items()}
    tree = navigation.tree(TOP, pages)
    for page in pages.values():
        path = folder / page.url
        path.parent.mkdir(parents=True, exist_ok=True)
        if page.copy:
            shutil.copyfile(page.copy, path)
        else:
            path.write_text(look.page(page, page.body(where), tree, version()), encoding="utf-8")
    data = json.dumps(search_data(pages), separators=(",", ":"))
    (folder / "search-data.js").write_text(f"window.searchData = {data};\n", encoding="utf-8")


def search_data(pages):
    """As search.js wants it."""
    found = sorted(entry for page in pages.values() for entry in page.entries())
    words = [Counter(re.findall(r"[\w+]{2,}", text.lower())) for _, text in found]
    usual = sum(each.total() for each in words) / max(sum(1 for each in words if each), 1)
    index = {}
    for k, each in enumerate(words):
        for word, times in each.items():
            # The tenth mention says less than the first, and one in a long page less than one in a short one.
            weight = round(100 * times / (times + 0.5 + 0.5 * each.total() / usual))
            index.setdefault(word, []).extend((k, max(weight, 1)))
    return {"entries": [entry for entry, _ in found], "index": index}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        write(Path(sys.argv[1]), collect())
    except Missing as error:
        sys.exit(f"build.py: {error}")


if __name__ == "__main__":
    main()
