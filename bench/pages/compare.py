#!/usr/bin/env python3
"""Laplace's equation in all ways by turns, and the medians of their seconds: PEs of one machine on one memory and on pages of
their own, puts of OpenSHMEM, threads.

usage: compare.py BUILD [--rounds N] [--pes N] [--side N] [--steps N]
"""

import argparse
import os
import statistics
import subprocess
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    for name, default in (("rounds", 9), ("pes", 2), ("side", 1024), ("steps", 50)):
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    build = args.build.resolve()
    program, size = str(build / "bench/laplace"), [str(args.side), str(args.steps)]
    oshrun = [str(build / "bin/oshrun"), "-n", str(args.pes), program]
    ways = {"one memory": ([*oshrun, "shared", *size], {"WEFT_SHARED_BY": "memory"}),
            "pages": ([*oshrun, "shared", *size], {"WEFT_SHARED_BY": "pages"}),
            "puts": ([*oshrun, "puts", *size], {}),
            "threads": ([program, "threads", *size, str(args.pes)], {})}
    seconds = {way: [] for way in ways}
    for _ in range(args.rounds):
        for way, (command, environment) in ways.items():
            said = subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True, text=True)
            seconds[way].append(float(said.stdout.split()[-1]))
    best = statistics.median(seconds["threads"])
    for way, each in seconds.items():
        print(f"{way:12} {statistics.median(each):.4f} s  {statistics.median(each) / best:.2f} x threads  "
              f"({min(each):.4f} to {max(each):.4f})")


if __name__ == "__main__":
    main()
