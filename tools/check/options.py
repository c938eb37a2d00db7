#!/usr/bin/env python3
"""Checks api/options.def and the tables of options that api/interfaces.toml names: every option has a text, a known kind and
names that nobody else has; docs/options.md, where it is there, tells of each.

usage: options.py [TOP]
"""

import re
import sys
import tomllib
from pathlib import Path

KINDS = {"size", "flag", "count", "word", "algorithm", "debug", "text"}
ENTRY = re.compile(r"WEFT_OPTION\(\s*(\w+)\s*,\s*(\w+)\s*,\s*((?:\"(?:[^\"\\]|\\.)*\"\s*,?\s*)+)\)")
STRINGS = re.compile(r"\"((?:[^\"\\]|\\.)*)\"\s*(,?)")


def fields_of(text):
    """The string arguments; neighbours without a comma between them are one string, as in C."""
    fields, open_field = [], False
    for piece, comma in STRINGS.findall(text):
        if open_field:
            fields[-1] += piece
        else:
            fields.append(piece)
        open_field = not comma
    return fields


def tables_of(top):
    """Paths from the top."""
    tables = ["api/options.def"]
    interfaces = top / "api/interfaces.toml"
    if interfaces.exists():
        for each in tomllib.loads(interfaces.read_text())["interface"]:
            if "options" in each:
                tables.append(str((top / "api" / each["folder"] / each["options"]).resolve().relative_to(top)))
    return tables


def check_table(top, table, page, seen):
    text = re.sub(r"//[^\n]*", "", (top / table).read_text())
    problems, identifiers = [], set()
    entries = ENTRY.findall(text)
    if len(entries) != text.count("WEFT_OPTION("):
        problems.append(f"{table}: an entry is not of the form WEFT_OPTION(identifier, kind, four strings)")
    for identifier, kind, strings in entries:
        fields = fields_of(strings)
        if len(fields) != 4:
            problems.append(f"{table}: {identifier}: {len(fields)} strings, four are needed")
            continue
        name, old, _default, described = fields
        if kind not in KINDS:
            problems.append(f"{table}: {identifier}: kind '{kind}' is none of {', '.join(sorted(KINDS))}")
        if not re.fullmatch(r"(SHMEM|WEFT)_[A-Z0-9_]+", name):
            problems.append(f"{table}: {identifier}: '{name}' is not a SHMEM_ or WEFT_ name")
        if old and not re.fullmatch(r"SMA_[A-Z0-9_]+", old):
            problems.append(f"{table}: {identifier}: the older name '{old}' is not an SMA_ name")
        if len(described.split()) < 3:
            problems.append(f"{table}: {identifier}: has no text")
        if identifier in identifiers:
            problems.append(f"{table}: '{identifier}' stands here twice")
        identifiers.add(identifier)
        for each in filter(None, (name, old)):
            if each in seen:
                problems.append(f"{table}: '{each}' stands {'here twice' if seen[each] == table else f'in {seen[each]} too'}")
            seen[each] = table
        if page is not None and name not in page:
            problems.append(f"docs/options.md: does not tell of {name}")
    return problems


def check(top):
    page = top / "docs/options.md"
    page = page.read_text() if page.exists() else None
    seen = {}
    return [problem for table in tables_of(top) for problem in check_table(top, table, page, seen)]


def main():
    top = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    problems = check(top)
    print("\n".join(problems) if problems else "options: all have names and texts")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
