#!/usr/bin/env python3
"""Says which ten tests of a run of ctest took longest; how long each group took ctest says itself.

usage: slowest.py JUNIT       what ctest --output-junit wrote
"""

import html
import re
import sys
from pathlib import Path

MANY = 10


def slowest(text):
    """(seconds, test), the slowest first. The file holds what tests print, which may be anything: no reader of XML here."""
    cases = re.findall(r'^\t*<testcase name="([^"]*)"[^>]* time="([0-9.]+)"', text, re.M)
    return sorted(((float(seconds), html.unescape(name)) for name, seconds in cases), reverse=True)[:MANY]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    found = slowest(Path(sys.argv[1]).read_text(errors="replace"))
    print("\n".join([f"the slowest {len(found)} tests:", *(f"{seconds:9.1f} s  {name}" for seconds, name in found)]))


if __name__ == "__main__":
    main()
