#!/usr/bin/env python3
"""EPCC's OpenMP micro-benchmarks with our library and with the compiler's, by turns; for each construct the ratio.

usage: epcc.py FOLDER PROGRAM... [--rounds N] [-- OPTION...]
FOLDER has our libgomp.so.1 and libomp.so.5: programs may be of gcc or clang. PROGRAM: syncbench, schedbench, taskbench,
arraybench_*, of version 4; options are theirs (--outer-repetitions 10). OMP_NUM_THREADS is as it is.

Of each round the best of the program's samples less the time of the same work without the construct, which is the least
that a round has found; where that leaves less than a twentieth, which is mostly noise, the sample as it is.
"""
import os
import re
import statistics
import subprocess
import sys

NAME = r"(?P<name>.*?) +(?P<what>time|overhead) += +(?P<value>-?[0-9.]+) microseconds"
SAMPLES = r" *[0-9]+ +[0-9.]+ +[0-9.]+ +(?P<least>[0-9.]+) .*"
LINE = re.compile(f"{NAME}.*|{SAMPLES}")


def run(command, folder):
    """By construct: the best sample, and what the same work takes without it."""
    environment = dict(os.environ)
    environment.pop("LD_LIBRARY_PATH", None)
    if folder:
        environment["LD_LIBRARY_PATH"] = folder
    output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    found, least, time = {}, 0.0, 0.0
    for match in filter(None, map(LINE.fullmatch, output.splitlines())):
        if match["least"]:
            least = float(match["least"])
        elif match["what"] == "time":
            time = float(match["value"])
        else:
            found[" ".join(match["name"].split())] = least, time - float(match["value"])
    return found


def main():
    words, options = sys.argv[1:], []
    if "--" in words:
        at = words.index("--")
        words, options = words[:at], words[at + 1:]
    rounds = 3
    if "--rounds" in words:
        at = words.index("--rounds")
        rounds = int(words[at + 1])
        del words[at:at + 2]
    if len(words) < 2:
        sys.exit(__doc__.split("\n\n")[1])
    folder, programs = words[0], words[1:]
    ratios = []
    for program in programs:
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(run([program, *options], folder))
            theirs.append(run([program, *options], None))
        for name in ours[0]:
            without = min(results[name][1] for results in ours + theirs)
            mine, other = ([results[name][0] for results in side] for side in (ours, theirs))
            what = "best"
            if min(mine + other) * 19 / 20 > without:
                mine, other = ([value - without for value in side] for side in (mine, other))
                what = "overhead"
            each = sorted(a / b for a, b in zip(mine, other))
            ratio = statistics.median(mine) / statistics.median(other)
            ratios.append((ratio, f"{os.path.basename(program)} {name}"))
            print(f"{ratios[-1][1]:50} {statistics.median(mine):10.3f} us  theirs {statistics.median(other):10.3f}"
                  f" {ratio:5.2f} ({each[0]:.2f} to {each[-1]:.2f}) {what}", flush=True)
    print(f"median {statistics.median(ratio for ratio, _ in ratios):.2f}, highest {max(ratios)[0]:.2f}: {max(ratios)[1]}"
          " (bars: 1.05, 1.30)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
