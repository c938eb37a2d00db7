#!/usr/bin/env python3
"""The table of mistakes in docs/safe-mode.md: a line for each wrong program, made from its first comment.

usage: table.py PROGRAMS            prints it
       table.py PROGRAMS PAGE       fails where the page has another one
"""
import pathlib
import sys

import reports


def table(folder):
    rows = ["| mistake | report |", "|---|---|"]
    for path in sorted(folder.glob("*.c")):
        mistake, lines = reports.read(path)
        report = "<br>".join(f"`{line}`" for line in lines)
        rows.append(f"| {mistake.rstrip('.')} | {report} |")
    return "\n".join(rows) + "\n"


def main():
    made = table(pathlib.Path(sys.argv[1]))
    if len(sys.argv) == 2:
        print(made, end="")
    elif made not in pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"):
        sys.exit(f"{sys.argv[2]}: its table of mistakes is not that of the programs; tests/safe/table.py prints it")


main()
