#!/usr/bin/env python3
"""Constructs with our library and with the compiler's, by turns; the ratio of the medians of each.

usage: compare.py PROGRAM FOLDER [ROUNDS]      FOLDER has our libgomp.so.1 and libomp.so.5: the program may be of gcc or clang
"""

import os
import statistics
import subprocess
import sys


def run(program, folder):
    environment = dict(os.environ)
    environment.pop("LD_LIBRARY_PATH", None)
    if folder:
        environment["LD_LIBRARY_PATH"] = folder
    output = subprocess.run([program], env=environment, check=True, capture_output=True, text=True).stdout
    return {line.split()[0]: float(line.split()[1]) for line in output.splitlines()}


def main():
    program, folder = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    ours, theirs = {}, {}
    for _ in range(rounds):
        for results, where in ((ours, folder), (theirs, None)):
            for name, value in run(program, where).items():
                results.setdefault(name, []).append(value)
    ratios = []
    for name in ours:
        mine, other = statistics.median(ours[name]), statistics.median(theirs[name])
        ratios.append(mine / other)
        print(f"{name:14} {mine:10.1f} ns  theirs {other:10.1f} ns  {mine / other:5.2f}")
    print(f"median {statistics.median(ratios):.2f}, highest {max(ratios):.2f} (bars: 1.05, 1.30)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
