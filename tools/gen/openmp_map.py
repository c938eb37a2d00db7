#!/usr/bin/env python3
"""Writes the symbol map of libweft_omp.so from the table of its names.

usage: openmp_map.py TABLE MAP
       openmp_map.py --compare TABLE LIBRARY REFERENCE   what the reference exports and the library does not, with nodes
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

# Of other interfaces than OpenMP's: OpenACC, device plugins.
FOREIGN = re.compile(r"(acc_|GOACC|goacc|GOMP_PLUGIN|OACC)")


def names_of(node):
    yield from node.get("names", [])
    for name in node.get("fortran", []):
        yield name + "_"
    for name in node.get("fortran_8", []):
        yield name + "_8_"


def order(node):
    prefix, numbers = node.split("_", 1)
    return prefix, [int(number) for number in numbers.split(".")]


def write_map(table, target):
    nodes = tomllib.loads(Path(table).read_text())["nodes"]
    text, last = [], {}
    for node in sorted(nodes, key=order):
        names = sorted(set(names_of(nodes[node])))
        prefix = node.split("_")[0]
        text.append(f"{node} {{\n  global:\n" + "".join(f"    {name};\n" for name in names))
        if not last:
            text.append("  local:\n    *;\n")
        text.append("}" + (f" {last[prefix]}" if prefix in last else "") + ";\n")
        last[prefix] = node
    Path(target).write_text("".join(text))


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    found = set()
    for line in lines.splitlines():
        kind, name = line.split()[1:3]
        # The nodes themselves are absolute symbols.
        if kind != "A" and not FOREIGN.match(name):
            found.add(name.replace("@@", "@"))
    return found


def compare(table, library, reference):
    nodes = tomllib.loads(Path(table).read_text())["nodes"]
    have = exported(library)
    problems = [f"{name}: the reference has it" for name in sorted(exported(reference) - have)]
    for node in nodes:
        problems += [f"{name}@{node}: is in the table" for name in names_of(nodes[node]) if f"{name}@{node}" not in have]
    for problem in problems:
        print(f"{problem}, {library} has not")
    return 1 if problems else 0


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 4 and arguments[0] == "--compare":
        return compare(*arguments[1:])
    if len(arguments) != 2:
        sys.exit(__doc__)
    write_map(*arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
