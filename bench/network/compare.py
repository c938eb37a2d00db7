#!/usr/bin/env python3
"""OpenSHMEM between two pretended hosts, Weft and other libraries by turns: bench/network/together.c by TCP, each host on
a processor of its own, beside a plain TCP round trip of the same rounds.

usage: compare.py BUILD [NAME=OSHCC LAUNCHER ...] [--delays 0,100,1000] [--hosts N] [--pes N] [--large] [--runs N] [--rounds N] [--times N]

  NAME=OSHCC LAUNCHER  another library: its compiler wrapper, and the words that start a program on node1 and node2, to
                       which -n, the number of PEs and the program are added. Both may have arguments in quotes
  --delays A,B         microseconds that each of the two links adds one way (0)
  --hosts N            2; a launcher of another library names them itself
  --pes N              2, as many on each host
  --large              sums of 256 KiB to 1 MiB, and nothing else
  --runs N             of each library (3), each with --rounds N (3) of --times N operations (300; fewer with a delay)
"""

import argparse
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "tests/testbed"), str(HERE.parent)]
from hosts import Hosts, Unavailable  # noqa: E402  (it is in a folder of its own)
from report import markdown  # noqa: E402

LONGEST = 40  # seconds that a run may take
LINE = re.compile(r"^(.*?) +([0-9.]+) us(?: +([0-9.]+) of raw TCP|, )")
# What a host's name ends with is the processor of its programs.
PINNED = """#!/bin/sh
host=$(hostname) && exec taskset -c $(( (${host##*node} - 1) % $(nproc) )) "$@"
"""


def options():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("build", type=Path)
    parser.add_argument("others", nargs="*")
    parser.add_argument("--delays", default="0")
    for name, number in (("hosts", 2), ("pes", 2), ("runs", 3), ("rounds", 3), ("times", 0)):
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--large", action="store_true")
    given = parser.parse_intermixed_args()
    given.delays = [int(delay) for delay in given.delays.split(",")]
    given.build = given.build.resolve()
    if len(given.others) % 2 or not all("=" in name for name in given.others[::2]):
        parser.error("other libraries are pairs: NAME=OSHCC, and its launcher")
    return given


def libraries(given, folder):
    """Name -> the words that run the program."""
    pinned = folder / "pinned"
    pinned.write_text(PINNED)
    pinned.chmod(0o755)
    made = {"Weft": [given.build / "bin/oshrun", "--hosts", ",".join(f"node{k + 1}" for k in range(given.hosts)), "-n", given.pes, pinned, given.build / "bench/together"]}
    for name_and_oshcc, launcher in zip(given.others[::2], given.others[1::2]):
        name, _, oshcc = name_and_oshcc.partition("=")
        program = folder / f"together.{len(made)}"
        done = subprocess.run([*shlex.split(oshcc), "-O2", "-w", HERE / "together.c", "-o", program], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"compare.py: {name}: {done.stderr}")
        made[name] = [*shlex.split(launcher), "-n", given.pes, pinned, program]
    return made


def run(given, delay, command, times):
    """By name: microseconds and the ratio to the plain round trip, None for that one; or why there is nothing."""
    try:
        # Hosts of its own: nothing of a library that did not end is left beside the next one.
        with Hosts(given.hosts, delay=delay) as hosts:
            done = hosts.run(1, [*command, given.rounds, times, *(["large"] if given.large else [])], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=LONGEST, env={**os.environ, "WEFT_NET": "tcp"})
    except subprocess.TimeoutExpired:
        return {}, f"not finished after {LONGEST} s"
    lines = filter(None, map(LINE.match, done.stdout.splitlines()))
    found = {line[1]: (float(line[2]), float(line[3]) if line[3] else None) for line in lines}
    if done.returncode != 0:
        return {}, f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"
    return found, ""


def cell(runs):
    """Medians of what the runs found, and the smallest and the largest ratio."""
    if not runs:
        return "-"
    us = statistics.median(each[0] for each in runs)
    ratios = [each[1] for each in runs if each[1] is not None]
    if not ratios:
        return f"{us:.1f}"
    return f"{us:.2f} ({statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f})"


def table(found):
    names = list(found)
    rows = [name for name in found["Weft"] if found["Weft"][name]]
    lines = [["us (of a plain round trip, smallest to largest)", *names, "Weft / best"]]
    for row in rows:
        ratios = {name: [each[1] for each in found[name].get(row, []) if each[1] is not None] for name in names}
        others = [statistics.median(each) for name, each in ratios.items() if each and name != "Weft"]
        best = f"{statistics.median(ratios['Weft']) / min(others):.2f}" if ratios["Weft"] and others else ""
        lines.append([row, *(cell(found[name].get(row, [])) for name in names), best])
    return lines


def main():
    given = options()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        commands = libraries(given, Path(folder))
        for delay in given.delays:
            times = given.times or (10 if given.large else 300 if delay == 0 else max(5, 3000 // delay))
            found, said = {name: {} for name in commands}, {}
            for _ in range(given.runs):
                for name, command in commands.items():
                    if name in said:
                        continue  # once is enough
                    figures, problem = run(given, delay, command, times)
                    if problem:
                        said[name] = problem
                    for row, figure in figures.items():
                        found[name].setdefault(row, []).append(figure)
            print(f"\n{delay} us on each link one way, {given.pes // given.hosts} PEs on each of {given.hosts} hosts, {given.runs} runs of {given.rounds} rounds of "
                  f"{times} operations\n")
            print("\n".join(markdown(table(found))), flush=True)
            for name, problem in said.items():
                print(f"{name}: {problem}", flush=True)
            if "Weft" in said:
                sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except Unavailable as why:
        print(why)
        sys.exit(77)
