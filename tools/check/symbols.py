#!/usr/bin/env python3
"""Checks that a library exports exactly the names of its symbol map.

usage: symbols.py LIBRARY MAP [--nm NM]
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path


def names_of_map(path):
    """The global names of a version script; a pattern with * is refused, for it would hide what is exported."""
    text = re.sub(r"/\*.*?\*/|#[^\n]*", "", Path(path).read_text(), flags=re.S)
    names = set()
    for body in re.findall(r"\{(.*?)\}", text, flags=re.S):
        section = "global"
        for entry in re.split(r"[;\s]+", body.replace("global:", " global: ").replace("local:", " local: ")):
            if entry in ("global:", "local:"):
                section = entry[:-1]
            elif entry and section == "global":
                if "*" in entry:
                    raise SystemExit(f"{path}: '{entry}' is a pattern; the map must list each name")
                names.add(entry)
    return names


def exported(library, nm):
    listing = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = set()
    for line in listing.splitlines():
        fields = line.split()
        if len(fields) >= 2 and fields[-2] != "A":  # A: the name of a version, not a symbol
            names.add(fields[-1].split("@")[0])
    return names


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("map")
    parser.add_argument("--nm", default="nm")
    options = parser.parse_args()

    wanted, found = names_of_map(options.map), exported(options.library, options.nm)
    problems = [f"{options.library}: exports '{name}', which is not in the map" for name in sorted(found - wanted)]
    problems += [f"{options.library}: lacks '{name}' of the map" for name in sorted(wanted - found)]
    print("\n".join(problems) if problems else f"symbols: {len(found)} names, as the map says")
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main())
