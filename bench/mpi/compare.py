#!/usr/bin/env python3
"""Runs messages.c, windows.c or work.c with several MPI libraries by turns and prints their times and what Weft takes of the best other's.

    compare.py --rounds 15 --groups on,off "Weft=mpiexec -n 2 ./messages" "MPICH=... ./messages" ...

Each library is a name and the command that starts it; the groups are appended. The first one is compared with the best of
the others in each cell: ratio of medians over the rounds, and its 90 % interval by resampling rounds. --plots draws
figures as well (curves.py; it needs matplotlib).
"""
import argparse
import math
import random
import statistics
import subprocess
import sys


def run(command, groups, limit):
    try:
        done = subprocess.run(command.split() + groups, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {}
    cells = {}
    for line in done.stdout.splitlines():
        words = line.split()
        try:
            cells[words[0], int(words[1])] = float(words[2])
        except (IndexError, ValueError):
            continue
    if not cells:
        sys.stderr.write(f"{command}: status {done.returncode}: {done.stderr[-300:]}\n")
    return cells


def ratio_of(ours, others):
    return statistics.median(ours) / min(statistics.median(times) for times in others)


def interval(ours, others):
    """The middle 90 % of the ratio when rounds are drawn again; rounds were by turns, so one draw is for all."""
    rounds = min([len(ours)] + [len(times) for times in others])
    draw = random.Random(1)
    found = []
    for _ in range(400):
        chosen = [draw.randrange(rounds) for _ in range(rounds)]
        found.append(ratio_of([ours[k] for k in chosen], [[times[k] for k in chosen] for times in others]))
    found.sort()
    return found[20], found[379]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--groups", default="on,off,exchange_on,exchange_off,rate,collectives,vector")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one run; one that takes longer has no figures")
    parser.add_argument("--plots", metavar="PREFIX", help="draw PREFIX-NAME.svg for each name that has several numbers")
    parser.add_argument("libraries", nargs="+", metavar="NAME=COMMAND")
    arguments = parser.parse_args()
    libraries = [library.split("=", 1) for library in arguments.libraries]
    figures = {name: {} for name, _ in libraries}
    for _ in range(arguments.rounds):
        for name, command in libraries:
            for cell, time in run(command, arguments.groups.split(","), arguments.limit).items():
                figures[name].setdefault(cell, []).append(time)
    first = libraries[0][0]
    names = [name for name, _ in libraries]
    print("| what | bytes | " + " | ".join(f"{name}, us" for name in names) + " | ratio | 90 % |")
    print("|" + "---|" * (len(names) + 4))
    ratios = {}
    for (what, size), ours in figures[first].items():
        times = [figures[name].get((what, size)) for name in names]
        shown = " | ".join("none" if not t else f"{statistics.median(t):.3f}" for t in times)
        others = [t for t in times[1:] if t]
        if not others:
            print(f"| {what} | {size} | {shown} | | |")
            continue
        ratio = ratio_of(ours, others)
        low, high = interval(ours, others)
        if ratio > 0:  # what is left of a time beside what was computed may be nothing
            ratios.setdefault(what, []).append(ratio)
        print(f"| {what} | {size} | {shown} | {ratio:.2f} | {low:.2f} to {high:.2f} |")
    for what, found in ratios.items():
        print(f"| {what} | geometric mean |" + " |" * len(names) +
              f" {math.exp(statistics.fmean(math.log(ratio) for ratio in found)):.2f} | |")
    if arguments.plots:
        import curves  # what it needs is not everywhere
        print("\n".join(curves.draw(figures, arguments.plots)))


if __name__ == "__main__":
    main()
