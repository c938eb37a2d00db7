#!/usr/bin/env python3
"""Runs the limits of the machine and Weft in turn, and forms the ratios.

usage: first.py BUILD [--rounds N] [--repetitions N] [--ms T] [--most-pes N] [--realtime] [--write] [--smoke]

A round measures every quantity once, first its limit and at once Weft, each with some repetitions of which the median
counts. A ratio is formed within a round, so what changes from minute to minute (clock rate, neighbours on the host)
falls out; the table shows the median over the rounds, and the smallest and the largest.

  --realtime   measure at real-time priority (as root), for a machine that has other work
  --write      put the table into docs/performance.md
  --smoke      quickly and without meaning: every figure must be there (what the test does)
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
DOCUMENT = TOP / "docs" / "performance.md"
BEGIN, END = "<!-- figures: written by ./dev bench --write -->", "<!-- figures end -->"

# What a row of the table shows: the quantity, its name in the programs' output, number of PEs, segments.
BOTH, HEAP = ("weft heap", "weft static"), ("weft heap",)
ROWS = [
    ("put 8 B (`shmem_putmem`)", "put8", 2, BOTH),
    ("put 8 B (`shmem_long_p`)", "p8", 2, BOTH),
    ("`shmem_long_p` + `shmem_quiet`", "put8.quiet", 2, BOTH),
    ("get 8 B (`shmem_getmem`)", "get8", 2, BOTH),
    ("get 8 B (`shmem_long_g`)", "g8", 2, BOTH),
    ("get 8 B, each after the one before", "get8.chain", 2, BOTH),
    ("fetch-add 8 B", "fetch_add", 2, BOTH),
    ("put 1 MiB", "put1M", 2, BOTH),
    ("get 1 MiB", "get1M", 2, BOTH),
    ("flag to and fro (`p`, `wait_until`)", "pingpong", 2, HEAP),
    ("barrier, 2 PEs", "barrier", 2, HEAP),
    ("barrier, 8 PEs", "barrier", 8, HEAP),
    ("barrier, 32 PEs", "barrier", 32, HEAP),
    ("empty program, 2 PEs", "start", 2, HEAP),
    ("empty program, 32 PEs", "start", 32, HEAP),
]


def options():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--ms", type=float, default=4)
    parser.add_argument("--most-pes", type=int, default=32)
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    given = parser.parse_args()
    if given.smoke:
        given.rounds, given.repetitions, given.ms, given.write = 1, 2, 0.05, False
    return given


def pairs(given):
    """Commands in the order they run: each limit, then Weft's."""
    bench = given.build / "bench"
    how = ["--repetitions", str(given.repetitions), "--ms", str(given.ms)]
    oshrun = str(given.build / "bin" / "oshrun")
    limits = [str(bench / "limits"), *how]

    def weft(n_pes, what):
        return [oshrun, "-n", str(n_pes), str(bench / "first"), *how, what]

    yield [*limits, "access"]
    yield weft(2, "access")
    yield [*limits, "pingpong"]
    yield weft(2, "pingpong")
    for n_pes in (2, 8, 32):
        if n_pes <= given.most_pes:
            yield [*limits, "barrier", str(n_pes)]
            yield weft(n_pes, "barrier")
    for n_pes in (2, 32):
        if n_pes <= given.most_pes:
            yield [*limits, "start", str(n_pes), oshrun, str(bench / "empty")]  # does both, in turn


def run_round(given, figures):
    for command in pairs(given):
        done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, timeout=120)
        if done.returncode != 0:
            sys.exit(f"first.py: exit code {done.returncode}: {' '.join(command)}")
        for line in done.stdout.splitlines():
            found = json.loads(line)
            key = (found["name"], found["pes"], found["by"])
            figures.setdefault(key, []).append(statistics.median(found["ns"]))


def readable(ns):
    for unit, size in (("ns", 1e3), ("us", 1e6), ("ms", 1e9)):
        if ns < size:
            value = ns / size * 1e3
            return f"{value:.2f} {unit}" if value < 10 else f"{value:.1f} {unit}" if value < 100 else f"{value:.0f} {unit}"
    return f"{ns / 1e9:.2f} s"


def table(given, figures):
    lines = ["| operation | memory | limit | by hand | Weft | Weft / limit | smallest to largest |",
             "|---|---|---|---|---|---|---|"]
    for title, name, n_pes, segments in ROWS:
        if n_pes > given.most_pes:
            continue
        for segment in segments:
            limit, weft = figures[name, n_pes, "limit"], figures[name, n_pes, segment]
            if len(limit) != given.rounds or len(weft) != given.rounds or min(limit + weft) <= 0:
                sys.exit(f"first.py: no figure for {title}: {limit} {weft}")
            by_hand = figures.get((name, n_pes, "by hand"))
            ratios = [w / l for w, l in zip(weft, limit)]
            memory = segment.split()[1] if len(segments) > 1 else ""
            cells = [title, memory, readable(statistics.median(limit)),
                     readable(statistics.median(by_hand)) if by_hand else "", readable(statistics.median(weft)),
                     f"{statistics.median(ratios):.2f}", f"{min(ratios):.2f} to {max(ratios):.2f}"]
            lines.append("| " + " | ".join(cells) + " |")
    return lines


def aligned(lines):
    """The table as text for a terminal."""
    rows = [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in lines]
    del rows[1]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]
    except (OSError, IndexError):
        return "unknown"


def machine(given, load):
    cpuinfo = Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*:\s*(.*)$", cpuinfo, re.M)
    flags = re.search(r"^flags\s*:\s*(.*)$", cpuinfo, re.M)
    caches = []
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        if kind != "Instruction":
            caches.append(f"L{level} {size.replace('K', ' KiB')}")
    compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", (given.build / "CMakeCache.txt").read_text(), re.M)
    uname = os.uname()
    return [
        f"- {time.strftime('%Y-%m-%d', time.gmtime())}, commit {first_line(['git', '-C', str(TOP), 'rev-parse', '--short', 'HEAD'])}",
        f"- {len(os.sched_getaffinity(0))} processors, {model.group(1) if model else uname.machine}"
        + (", in a virtual machine" if flags and "hypervisor" in flags.group(1) else "") + "; " + ", ".join(caches),
        f"- Linux {uname.release}, {first_line([compiler.group(1), '--version']) if compiler else 'unknown compiler'}",
        f"- load average before the run {load:.1f}; measured at {'real-time' if given.realtime else 'normal'} priority",
    ]


def write(text):
    document = DOCUMENT.read_text()
    before, rest = document.split(BEGIN)
    after = rest.split(END)[1]
    DOCUMENT.write_text(before + BEGIN + "\n" + "\n".join(text) + "\n" + END + after)
    print(f"first.py: written to {DOCUMENT.relative_to(TOP)}", file=sys.stderr)


def main():
    given = options()
    load = os.getloadavg()[0]
    if given.realtime:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
        except PermissionError:
            sys.exit("first.py: --realtime needs root")
    figures = {}
    for number in range(given.rounds):
        if not given.smoke and sys.stderr.isatty():
            print(f"\rround {number + 1} of {given.rounds} ", end="", file=sys.stderr, flush=True)
        run_round(given, figures)
    lines = table(given, figures)
    described = machine(given, load)
    print("\n".join(described + [""] + aligned(lines)))
    if given.write:
        command = "./dev bench --write" + (" --realtime" if given.realtime else "")
        how = (f"Made by `{command}`: {given.rounds} rounds, in each the median of {given.repetitions} repetitions of "
               f"{given.ms:g} ms.")
        write(["", how, "", *described, "", *lines, ""])


if __name__ == "__main__":
    main()
