#!/usr/bin/env python3
"""Checks that no variable of namespace weft is in two libraries that stand in one process: each would have a value of
its own. Constants may be, for they never differ.

usage: twice.py LIBRARY LIBRARY... [--nm NM]
"""

import argparse
import itertools
import subprocess
import sys

# Segments that a program may write to: .data, .bss and what is unique in a process, for itself or for each thread. nm does
# not tell constants with addresses in them (.data.rel.ro) from variables by the letter, but by the section.
CONSTANT = (".rodata", ".data.rel.ro", ".text", ".init", ".fini", ".eh_frame")


def variables(library, nm):
    """The demangled names of namespace weft that the library defines in sections that may be written."""
    listing = subprocess.run([nm, "--format=sysv", "-C", "--defined-only", library], capture_output=True, text=True,
                             check=True).stdout
    names = set()
    for line in listing.splitlines():
        fields = [field.strip() for field in line.split("|")]
        if len(fields) < 7 or fields[3] not in ("OBJECT", "TLS"):
            continue
        name, section = "|".join(fields[:-6]), fields[-1]
        name = name.removeprefix("guard variable for ").strip()
        if name.startswith("weft::") and not section.startswith(CONSTANT) and "(anonymous namespace)" not in name:
            names.add(name)
    return names


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("libraries", nargs="+")
    parser.add_argument("--nm", default="nm")
    options = parser.parse_args()

    found = {library: variables(library, options.nm) for library in options.libraries}
    problems = [f"'{name}' is in {one} and in {other}"
                for one, other in itertools.combinations(found, 2) for name in sorted(found[one] & found[other])]
    counts = ", ".join(str(len(names)) for names in found.values())
    print("\n".join(problems) if problems else f"twice: {counts} variables, none of them twice")
    return 1 if problems or not any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
