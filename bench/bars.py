#!/usr/bin/env python3
"""The bars of plain operations: each row beside what it is held to, by turns in each round, with the spread and, where a
loop is a single process's, the instructions of an operation.

usage: bars.py BUILD [--rounds N] [--ms T] [--only A,B] [--smoke]
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from report import markdown, readable

CONTEXTS = {"private": "a private context", "serialized": "a serialized one", "shared": "a shared one", "team": "one of a team"}
CALLS = {"p": "`shmem_ctx_long_p`", "put": "put of 8 B", "fetch_add": "fetch-add", "row": "64 put_nbi of 8 B and quiet"}
AHEAD = (0, 1, 7, 8, 15, 16, 31, 33, 64)
SIZES = {1024: "1 KiB", 4096: "4 KiB", 16384: "16 KiB", 65536: "64 KiB", 262144: "256 KiB"}
SMALL = {"8": "8 B", "1K": "1 KiB"}
LARGE = {"4K": "4 KiB", "16K": "16 KiB", "16M": "16 MiB", "64M": "64 MiB"}
START = (2, 8, 32, 64, 128, 256, 512)
COUNTED = 10000  # times of a loop whose instructions are counted, beside half as many


class Row:
    """names: of the figures whose ratios are one row together; most: their bar, a ratio, or ns where nothing is beside."""

    def __init__(self, title, names, beside, most, ns=None, instructions=None):
        self.title, self.names, self.beside, self.most = title, names, beside, most
        self.ns, self.instructions = ns, instructions

    def held_to(self):
        return f"{self.most:.3g}" if self.ns is None else f"{self.ns} ns"


def groups():
    """Of a group, measured by one command in each round: its rows."""
    times = [Row(f"{text}, {context}", [f"{call}.{name}"], "the default context", 1.15)
             for call, text in CALLS.items() for name, context in CONTEXTS.items()]
    times += [Row(f"{text}, the library's function", [f"library.{call}"], "the header's", None, 6, 45)
              for call, text in (("p", "`shmem_long_p`"), ("put", "put of 8 B"), ("fetch_add", "fetch-add"))]
    times += [Row(f"put of {size} B, the library's function", [f"library.put.{size}"], "`memcpy`", None, ns)
              for size, ns in ((64, 6), (512, 12))]
    times += [Row("put with signal, 8 B", ["signal"], "put, fence, p", 1.3)]
    times += [Row(f"{way} of 512 × 8 B, every other one", [way], "a plain loop", 1.15) for way in ("iput", "iget")]
    times += [Row(f"{way} of 64 KiB, without gaps", [f"{way}.ones"], f"a {way[1:]}", 1.15) for way in ("iput", "iget")]
    times += [Row(f"{way} of {text}, {'alike' if not ahead else f'{ahead} B ahead'}", [f"{way}.{size}.{ahead}"], "the best routine",
                  1 / 0.9) for way in ("put", "get") for size, text in SIZES.items() for ahead in AHEAD]
    times += [Row("`shmem_my_pe` and `shmem_n_pes`", ["ranks"], "two loads", None, 1, 12)]
    return {
        "times": times,
        "blocks": [Row(f"{way} of {text}", [f"{way}{size}"], "the best routine", 1 / 0.97)
                   for size, text in LARGE.items() for way in ("put", "get")],
        "first": [Row(f"the first 100 puts of {text}", [f"first.{size}"], "later ones", 1.1)
                  for size, text in ((4096, "4 KiB"), (16384, "16 KiB"), (65536, "64 KiB"))],
        "start": [Row(f"start to finish, {n} PEs", [f"start.{n}"], "as many /bin/true", 3) for n in START],
        "collectives": [Row(f"{text} of {readable_size}, 2 PEs", [name + size], "two flags by hand", 1.3)
                        for name, text in (("sum", "sum"), ("alltoall", "alltoall"), ("fcollect", "fcollect"))
                        for size, readable_size in SMALL.items()],
        "threads": [Row(f"{call} of 8 B, {who}", [f"{call}.{which}.{n}"], "SHMEM_THREAD_SINGLE", 1.1)
                    for n, which, who in ((2, "all", "2 PEs"), (4, "all", "4 PEs"), (4, "half", "2 of 4 PEs"))
                    for call in ("broadcast", "sum")],
    }


def lines_of(command, **environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "SHMEM_SYMMETRIC_SIZE": "128M", **environment})
    if done.returncode != 0:
        sys.exit(f"bars.py: {' '.join(map(str, command))}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


class Bench:
    def __init__(self, given, folder):
        self.bench, self.oshrun = given.build / "bench", given.build / "bin/oshrun"
        self.how = ["--repetitions", given.repetitions, "--ms", given.ms]
        self.given = given
        self.found = {}  # name -> pairs of ns, of it and of what is beside it
        # What copies found earlier, when the machine may have been busy, is left out; from a user's third program on
        # what those before agreed on is believed.
        os.environ["WEFT_COPY_FILE"] = str(Path(folder) / "copies")
        for _ in range(3):
            self.job(2, "bars_of_operations", "first")
            self.job(2, "access", *self.how, "blocks")

    def add(self, name, ns, beside):
        self.found.setdefault(name, []).append((statistics.median(ns), statistics.median(beside)))

    def job(self, pes, program, *arguments, **environment):
        return lines_of([self.oshrun, "-n", pes, self.bench / program, *arguments], **environment)

    def pairs(self, lines):
        for line in lines:
            self.add(line["name"], line["ns"], line["beside"])

    def times(self):
        self.pairs(self.job(2, "bars_of_operations", *self.how, "times"))

    def first(self):
        self.pairs(self.job(2, "bars_of_operations", "first"))

    def beside_limit(self, program, argument, limit):
        limits = {line["name"]: line["ns"] for line in lines_of([self.bench / "limits", *self.how, limit])
                  if line["by"] == "limit"}
        for line in self.job(2, program, *self.how, *argument):
            if line["name"] in limits and line["by"] != "weft static" and line["by"] != "static":
                self.add(line["name"], line["ns"], limits[line["name"]])

    def blocks(self):
        self.beside_limit("access", ["blocks"], "blocks")

    def collectives(self):
        self.beside_limit("collectives", [], "collectives")

    def start(self):
        for n in START:
            if n <= self.given.most_pes:
                by = {line["by"]: line["ns"] for line in
                      lines_of([self.bench / "limits", *self.how, "start", n, self.oshrun, self.bench / "empty"],
                               SHMEM_SYMMETRIC_SIZE="16M")}
                self.add(f"start.{n}", by["job"], by["limit"])

    def threads(self):
        for n in (2, 4):
            by = {}
            for level in ("single", "multiple"):
                for line in self.job(n, "bars_of_operations", *self.how, "sets", level):
                    by.setdefault(line["name"], {})[level] = line["ns"]
            for name, level in by.items():
                self.add(f"{name}.{n}", level["multiple"], level["single"])

    def instructions(self, row, side):
        """Of one operation, by valgrind; two counts, so that what is around the loop falls out."""
        counts = []
        for times in (COUNTED // 2, COUNTED):
            done = subprocess.run([str(self.oshrun), "-n", "1", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                                   str(self.bench / "bars_of_operations"), "run", row.names[0], str(side), str(times)],
                                  capture_output=True, text=True, timeout=300)
            seen = re.search(r"Collected : (\d+)", done.stderr + done.stdout)
            if done.returncode != 0 or not seen:
                sys.exit(f"bars.py: instructions of {row.names[0]}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
            counts.append(int(seen.group(1)))
        return (counts[1] - counts[0]) / (COUNTED - COUNTED // 2)


def table(rows, bench):
    lines = [["what", "beside", "Weft", "beside", "ratio", "smallest to largest", "held to", ""]]
    for row in rows:
        pairs = [pair for name in row.names for pair in bench.found[name]]
        ours, other = (statistics.median(each) for each in zip(*pairs))
        ratios = [one / two for one, two in pairs]
        ratio = statistics.median(ratios)
        met = ratio <= row.most if row.ns is None else ours <= row.ns
        lines.append([row.title, row.beside, readable(ours), readable(other), f"{ratio:.2f}", f"{min(ratios):.2f} to {max(ratios):.2f}",
                      row.held_to(), "met" if met else "**missed**"])
    return lines


def counted(rows, bench):
    lines = [["instructions of one", "Weft", "beside", "held to"]]
    for row in rows:
        ours, other = (bench.instructions(row, side) for side in (0, 1))
        held = "" if row.instructions is None else f"{row.instructions}, {'met' if round(ours, 1) <= row.instructions else '**missed**'}"
        lines.append([row.title, f"{ours:.0f}", f"{other:.0f} ({row.beside})", held])
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--ms", type=float, default=0.5, help="of each repetition")
    parser.add_argument("--most-pes", type=int, default=512)
    parser.add_argument("--only", default="", help=f"some of {','.join(groups())}; and instructions")
    parser.add_argument("--smoke", action="store_true", help="one quick round: that all figures are there")
    given = parser.parse_args()
    given.build = given.build.resolve()
    if given.smoke:
        given.rounds, given.repetitions, given.ms = 1, 1, 0.02
    wanted = given.only.split(",") if given.only else [*groups(), "instructions"]
    unknown = [name for name in wanted if name not in (*groups(), "instructions")]
    if unknown:
        parser.error(f"no group {unknown[0]}; there are {', '.join(groups())} and instructions")
    with tempfile.TemporaryDirectory() as folder:
        measure(Bench(given, folder), given, wanted)


def measure(bench, given, wanted):
    for _ in range(given.rounds):
        for name in groups():
            if name in wanted:
                getattr(bench, name)()
    rows = [row for name, all_rows in groups().items() if name in wanted for row in all_rows
            if not (name == "start" and int(row.names[0].split(".")[1]) > given.most_pes)]
    if rows:
        print("\n".join(markdown(table(rows, bench))))
    if "instructions" in wanted:
        if shutil.which("valgrind"):
            loops = [row for row in groups()["times"] if row.names[0].count(".") < 2]
            print("\n" + "\n".join(markdown(counted(loops[:3] if given.smoke else loops, bench))))
        else:
            print("bars.py: no valgrind, so instructions are not counted", file=sys.stderr)


if __name__ == "__main__":
    main()
