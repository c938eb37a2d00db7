"""Tables of the figures, in the terminal and in docs/performance.md."""

import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from quantities import tables

TOP = Path(__file__).resolve().parent.parent
DOCUMENT = TOP / "docs" / "performance.md"
BEGIN, END = "<!-- figures: written by ./dev bench --write -->", "<!-- figures end -->"


def readable(ns):
    for unit, size in (("ns", 1e3), ("us", 1e6), ("ms", 1e9)):
        if ns < size:
            value = ns / size * 1e3
            return f"{value:.2f} {unit}" if value < 10 else f"{value:.1f} {unit}" if value < 100 else f"{value:.0f} {unit}"
    return f"{ns / 1e9:.2f} s"


def figure(row, value):
    return readable(value) if row.unit == "ns" else f"{value / 1024:.0f} KiB"


def times(ratio):
    return f"{ratio:.2f}" if ratio < 1 else f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"


def rows_of(given, area):
    return [row for row in tables()[area][1] if row.pes <= given.most_pes]


def missing(given, figures):
    for area in given.areas:
        for row in rows_of(given, area):
            if not figures.of(row, "Weft") or min(figures.of(row, "Weft")) <= 0:
                return row.title
    return ""


def ratios(one, other):
    return [a / b for a, b in zip(one, other)]


def table(given, figures, libraries, area):
    rows = rows_of(given, area)
    peers = [library.name for library in libraries[1:]]
    by_hand = any(figures.of(row, "by hand") for row in rows)
    with_memory = any(row.show_memory for row in rows)
    limited = any(figures.of(row, "limit") for row in rows)
    lines = [["operation", *(["memory"] if with_memory else []), *(["limit"] if limited else []),
              *(["by hand"] if by_hand else []), "Weft", *(["Weft / limit", "smallest to largest"] if limited else []),
              *(f"{name} (/ Weft)" for name in peers)]]
    for row in rows:
        limit, weft, hand = (figures.of(row, who) for who in ("limit", "Weft", "by hand"))
        cells = [row.title, *([row.memory if row.show_memory else ""] if with_memory else [])]
        if limited:
            cells.append(figure(row, statistics.median(limit)) if limit else "")
        if by_hand:
            cells.append(figure(row, statistics.median(hand)) if hand else "")
        cells.append(figure(row, statistics.median(weft)))
        to_limit = ratios(weft, limit)
        if limited:
            cells += [f"{statistics.median(to_limit):.2f}", f"{min(to_limit):.2f} to {max(to_limit):.2f}"] if limit else ["", ""]
        for name in peers:
            theirs = figures.of(row, name)
            cells.append(f"{figure(row, statistics.median(theirs))} ({times(statistics.median(ratios(theirs, weft)))})" if theirs else "-")
        lines.append(cells)
    return lines


def markdown(lines):
    return ["| " + " | ".join(cells) + " |" for cells in [lines[0], ["---"] * len(lines[0]), *lines[1:]]]


def aligned(lines):
    widths = [max(len(cells[k]) for cells in lines) for k in range(len(lines[0]))]
    return ["  ".join(cell.replace("`", "").ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in lines]


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
        f"{time.strftime('%Y-%m-%d', time.gmtime())}, commit {first_line(['git', '-C', str(TOP), 'rev-parse', '--short', 'HEAD'])}",
        f"{len(os.sched_getaffinity(0))} processors, {model.group(1) if model else uname.machine}"
        + (", in a virtual machine" if flags and "hypervisor" in flags.group(1) else "") + "; " + ", ".join(caches),
        f"Linux {uname.release}, {first_line([compiler.group(1), '--version']) if compiler else 'unknown compiler'}",
        f"load average before the run {load:.1f}; measured at {'real-time' if given.realtime else 'normal'} priority",
    ]


def show(given, figures, libraries, load):
    described = machine(given, load)
    for area in given.areas:
        print("\n" + "\n".join([tables()[area][0], *aligned(table(given, figures, libraries, area))]))
    print("\n" + "\n".join(described))
    problems = [f"{library.name}: {text}" for library in libraries for text in library.said]
    print("\n".join(problems))
    if given.write:
        write(given, figures, libraries, described, problems)


def write(given, figures, libraries, described, problems):
    import plots
    named = [f"{library.name!r}=OSHCC OSHRUN".replace("'", '"') for library in libraries[1:]]
    command = " ".join(["./dev bench", *(["compare"] if named else []), *named, "--write",
                        *(["--realtime"] if given.realtime else []), f"--rounds {given.rounds}",
                        *([f"--others-rounds {given.others_rounds}"] if named else [])])
    others = f" (the other libraries in the first {given.others_rounds})" if named and given.others_rounds < given.rounds else ""
    text = ["", f"Made by `{command}`: {given.rounds} rounds{others}, in each the median of {given.repetitions} repetitions of {given.ms:g} ms.", ""]
    text += ["- " + line for line in described] + [""]
    for area in given.areas:
        text += [f"### {tables()[area][0]}", "", *markdown(table(given, figures, libraries, area)), ""]
        text += [f"![{title}]({path})\n" for title, path in plots.draw(area, figures, libraries, DOCUMENT.parent / "figures")]
    if problems:
        text += ["Without a figure:", "", *("- " + " ".join(line.split()) for line in problems), ""]
    document = DOCUMENT.read_text()
    before, rest = document.split(BEGIN)
    DOCUMENT.write_text(before + BEGIN + "\n" + "\n".join(text) + END + rest.split(END)[1])
    print(f"bench.py: written to {DOCUMENT.relative_to(TOP)}", file=sys.stderr)
