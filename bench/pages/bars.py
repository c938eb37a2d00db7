#!/usr/bin/env python3
"""What shared pages cost on one machine, side by side with what each is held to: medians over some runs.

usage: bars.py BUILD [--rounds N]
"""

import argparse
import os
import statistics
import subprocess
from pathlib import Path

# name: what it is, the most that it may be of what it is compared with
BARS = {
    "stream": ("STREAM's triad, of private memory", 1.02),
    "cold": ("a cold page, of signal, copy and mprotect", 1.4),
    "sequential": ("64 MiB read in order, of gets of 256 KiB", 1 / 0.8),
    "hands": ("1,024 pages change hands, of writing, comparing and copying them", 2),
    "hands_faults": ("the same: faults, of pages", 0.01),
    "hands_pages": ("the same: pages that came, of pages", 1.1),
    "barrier": ("a barrier and nothing changed, of shmem_barrier_all", 1.5),
    "spinning": ("a plain store seen by plain loads, of 10 ms", 1),
    "alternate": ("two PEs write every other byte, of one", 2),
    "serial": ("initialised by PE 0, of mapped", 1.15),
    "laplace": ("laplace 1024 x 1024, 50 steps, of two threads", 1.05),
}


def run(command):
    said = subprocess.run(command, env={**os.environ, "WEFT_SHARED_BY": "pages", "SHMEM_SYMMETRIC_SIZE": "256m"},
                          check=True, capture_output=True, text=True)
    return said.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    build = args.build.resolve()
    oshrun, bench = [str(build / "bin/oshrun"), "-n", "2"], build / "bench"
    found = {name: [] for name in BARS}
    units = {"laplace": "s"}
    for _ in range(args.rounds):
        for line in run([*oshrun, str(bench / "bars")]):
            name, here, there, unit = line.split()[1:]
            found[name].append((float(here), float(there)))
            units[name] = unit
        found["laplace"].append(tuple(float(run(command)[-1].split()[-1]) for command in (
            [*oshrun, str(bench / "laplace"), "shared"], [str(bench / "laplace"), "threads"])))
    for name, (what, most) in BARS.items():
        here, there = (statistics.median(each) for each in zip(*found[name]))
        ratio = statistics.median(one / other if other > 0 else 0 for one, other in found[name])
        print(f"{what}: {here:.4g} {units[name]}, {there:.4g} {units[name]}: {ratio:.2f}, "
              f"{'met' if ratio <= most else 'not met'} ({most:.2f})")


if __name__ == "__main__":
    main()
