#!/usr/bin/env python3
"""Latency and bandwidth of messages one way by each mechanism, on and off cache, as the article on vader has them.

    ways.py BUILD "Open MPI, cma=mpiexec -n 2 --mca smsc cma ./messages" ... --rounds 5 --plots docs/figures/messages

Weft's are BUILD's, once for each of --mechanisms (WEFT_SINGLE_COPY); each other one is a name and the command that starts
messages.c, compiled with that library's mpicc. All run by turns. `--keep FILE` has figures of earlier calls beside those of
this one, so that a long measurement can be made in parts; `--rounds 0` shows them. Prints a table of each group: medians in
microseconds, and the smallest and the largest in parentheses.
"""
import argparse
import json
import statistics
import sys
from pathlib import Path

from compare import run

sys.path.append(str(Path(__file__).resolve().parent.parent))
from report import markdown  # noqa: E402: it is one folder above

GROUPS = ("on", "off")


def commands_of(given):
    weft = f"{given.build}/bin/oshrun -n 2 --bind-to {given.bind_to} {given.build}/bench/messages".split()
    own = {f"Weft, {mechanism}": " ".join(["env", f"WEFT_SINGLE_COPY={mechanism}", *weft])
           for mechanism in given.mechanisms.split(",")}
    return own | dict(library.split("=", 1) for library in given.libraries)


def measure(commands, figures, limit):
    # A program for each group: what one finds out about a size on cache is not what holds off cache.
    for group in GROUPS:
        for name, command in commands.items():
            for (what, size), time in run(command, [group], limit).items():
                figures.setdefault(name, {}).setdefault(f"{what}/{size}", []).append(time)


def cells_of(figures, commands, group):
    """By way and size: times."""
    found = {}
    for name in commands:
        for cell, times in figures.get(name, {}).items():
            what, size = cell.split("/")
            if what == group:
                found.setdefault(name, {})[int(size)] = times
    return found


def table(ways):
    sizes = sorted({size for cells in ways.values() for size in cells})
    lines = [["bytes", *ways]]
    for size in sizes:
        shown = [cells.get(size) for cells in ways.values()]
        lines.append([str(size), *(f"{statistics.median(t):.3g} ({min(t):.3g} to {max(t):.3g})" if t else "" for t in shown)])
    return "\n".join(markdown(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("libraries", nargs="*", metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mechanisms", default="auto,cma,none", help="of Weft")
    parser.add_argument("--bind-to", default="none", help="as oshrun has it")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one run; one that takes longer has no figures")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="figures of this and of earlier calls")
    parser.add_argument("--plots", metavar="PREFIX", help="draw PREFIX-on.svg and PREFIX-off.svg (curves.py)")
    given = parser.parse_intermixed_args()
    given.build = given.build.resolve()
    commands = commands_of(given)
    figures = json.loads(given.keep.read_text()) if given.keep and given.keep.exists() else {}
    for _ in range(given.rounds):
        measure(commands, figures, given.limit)
    if given.keep:
        given.keep.write_text(json.dumps(figures, indent=1))
    for group in GROUPS:
        ways = cells_of(figures, commands, group)
        print(f"{group} cache, one way, us\n\n{table(ways)}\n")
        if given.plots:
            import curves  # what it needs is not everywhere
            print(curves.ways(ways, f"One way, {group} cache", f"{given.plots}-{group}.svg"))


if __name__ == "__main__":
    main()
