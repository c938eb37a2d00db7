#!/usr/bin/env python3
"""Checks what people read: every header and source begins with a comment that says what it is, no file and no room's
README is too long to hold, every room that has files has its line in tools/layers.txt and a README.

usage: documented.py [TOP]
"""

import re
import sys
from pathlib import Path

LONGEST_FILE = 600
LONGEST_README = 40
OPEN_END = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")  # in pieces: this file must not find itself


def code_files(top):
    for folder in ("include", "src", "tools", "tests", "bench", "examples"):
        for path in sorted((top / folder).rglob("*")):
            if path.suffix in (".h", ".hpp", ".c", ".cpp", ".f90", ".py") and path.is_file():
                yield path


def check(top):
    problems = []
    for path in code_files(top):
        name = path.relative_to(top).as_posix()
        lines = path.read_text().splitlines()
        if not lines:
            problems.append(f"{name}:1: is empty")
            continue
        if name.startswith(("src/", "include/", "examples/")) and path.suffix in (".h", ".hpp", ".c", ".f90"):
            if not lines[0].startswith(("//", "/*", "!")):
                problems.append(f"{name}:1: does not begin with a comment that says what it is")
        if len(lines) > LONGEST_FILE:
            problems.append(f"{name}:1: {len(lines)} lines; at most {LONGEST_FILE}")
        for number, line in enumerate(lines, 1):
            if OPEN_END.search(line):
                problems.append(f"{name}:{number}: an open end; mend it or open an issue")
    for readme in sorted((top / "src").rglob("README.md")):
        length = len(readme.read_text().splitlines())
        if length > LONGEST_README:
            problems.append(f"{readme.relative_to(top).as_posix()}:1: {length} lines; at most {LONGEST_README}")
    for room in sorted(p for p in (top / "src").iterdir() if p.is_dir() and any(p.rglob("*.?pp"))):
        if not (room / "README.md").exists():
            problems.append(f"src/{room.name}: has no README.md")
    return problems


def main():
    top = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    problems = check(top)
    print("\n".join(problems) if problems else "documented: all files say what they are")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
