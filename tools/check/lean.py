#!/usr/bin/env python3
"""Checks that the libraries that each PE loads have not got the C++ library's exceptions in them, which cost a process 72 KiB
and some hundredths of a millisecond at its start, and which nobody throws or catches (src/base/throws.cpp).

usage: lean.py LIBRARY... [--nm NM]
"""

import argparse
import subprocess
import sys

THROWS = "__cxa_throw"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("libraries", nargs="+")
    parser.add_argument("--nm", default="nm")
    options = parser.parse_args()

    fat = []
    for library in options.libraries:
        listing = subprocess.run([options.nm, "--format=posix", "--defined-only", library], capture_output=True, text=True,
                                 check=True).stdout
        if any(line.split(" ", 1)[0] == THROWS for line in listing.splitlines()):
            fat.append(library)
    for library in fat:
        print(f"{library} has the C++ library's exceptions in it. What brings them is something that src/base/throws.cpp does "
              "not have yet; the linker says what, and who wants it: -Wl,-Map,FILE, at its beginning.")
    if not fat:
        print(f"lean: {len(options.libraries)} libraries, no exceptions")
    return 1 if fat else 0


if __name__ == "__main__":
    sys.exit(main())
