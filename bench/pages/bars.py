#!/usr/bin/env python3
"""What shared pages cost, side by side with what each is held to: medians over some runs. On one machine, or between
two pretended hosts with a PE on each.

usage: bars.py BUILD [--hosts] [--by auto] [--rounds N]
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/testbed"))
from hosts import Hosts  # noqa: E402  (it is in a folder of its own)

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
    "laplace": ("laplace 1024 x 1024, 50 steps, of two threads of OpenMP", 1.05),
}

BETWEEN_HOSTS = {
    "cold": ("a cold page, of a get of 4 KiB", 1.5),
    "sequential": ("64 MiB read in order, of gets of 256 KiB", 1 / 0.8),
    "barrier": ("a barrier and nothing changed, of shmem_barrier_all", 1.5),
    "lock": ("a lock and a page that changed, of a put of 8 bytes and one back", 3),
    "hands": ("1,024 pages change hands, of getting and writing them", 2),
    "laplace": ("laplace 1024 x 1024, 50 steps, of puts", 1.25),
}
SETTINGS = {"WEFT_SHARED_BY": "pages", "SHMEM_SYMMETRIC_SIZE": "256m"}


def here(command):
    return subprocess.run(command, env={**os.environ, **SETTINGS}, check=True, capture_output=True,
                          text=True).stdout.splitlines()


def between(hosts):
    def run(command):
        done = hosts.run(1, command, env={**os.environ, **SETTINGS}, timeout=120, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, text=True)
        done.check_returncode()
        return done.stdout.splitlines()
    return run


def measure(run, job, programs, rounds):
    """By name: what was found in each round, of shared pages and of what they are compared with; and the units."""
    found, units = {}, {"laplace": "s"}
    for _ in range(rounds):
        for line in run([*job, programs["bars"]]):
            name, ours, other, unit = line.split()[1:]
            found.setdefault(name, []).append((float(ours), float(other)))
            units[name] = unit
        found.setdefault("laplace", []).append(tuple(float(run(command)[-1].split()[-1])
                                                     for command in programs["laplace"]))
    return found, units


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--hosts", action="store_true")
    parser.add_argument("--by", default="pages", help="WEFT_SHARED_BY; auto is one memory, where there is one machine")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    SETTINGS["WEFT_SHARED_BY"] = args.by
    bench, oshrun = args.build.resolve() / "bench", str(args.build.resolve() / "bin/oshrun")
    laplace = str(bench / "laplace")
    if args.hosts:
        job, bars = [oshrun, "-n", "2", "--hosts", "node1,node2"], BETWEEN_HOSTS
        programs = {"bars": str(bench / "bars_of_hosts"),
                    "laplace": ([*job, laplace, "shared"], [*job, laplace, "puts"])}
        with Hosts(2) as hosts:
            found, units = measure(between(hosts), job, programs, args.rounds)
    else:
        job, bars = [oshrun, "-n", "2"], BARS
        programs = {"bars": str(bench / "bars"), "laplace": ([*job, laplace, "shared"], [str(bench / "laplace_openmp")])}
        found, units = measure(here, job, programs, args.rounds)
    for name, (what, most) in bars.items():
        ours, other = (statistics.median(each) for each in zip(*found[name]))
        ratio = statistics.median(one / two if two > 0 else 0 for one, two in found[name])
        print(f"{what}: {ours:.4g} {units[name]}, {other:.4g} {units[name]}: {ratio:.2f}, "
              f"{'met' if ratio <= most else 'not met'} ({most:.2f})")


if __name__ == "__main__":
    main()
