#!/usr/bin/env python3
"""Runs the limits of the machine, Weft and other OpenSHMEM libraries in turn, and forms the ratios.

usage: bench.py BUILD [compare OSHCC OSHRUN ...] [options]

A round measures every quantity once: its limit, and at once Weft and the others, each with some repetitions of which the
median counts. A ratio is formed within a round, so what changes from minute to minute (clock rate, neighbours on the host)
falls out; the tables show the median over the rounds, and the smallest and the largest.

  compare OSHCC OSHRUN ...  other libraries, each by its compiler wrapper and its launcher; both may have arguments of their
                            own in quotes. A name for the tables may stand before them: NAME=OSHCC OSHRUN
  --areas A,B     of access, amo, computing, sync, collectives, start, cost (default: all)
  --rounds N      9 unless told         --repetitions N  5       --ms T  1, of each repetition
  --others-rounds N  rounds in which other libraries are measured too (3; some are slow)
  --json FILE     all figures, for other programs
  --write         put the tables and the plots into docs/
  --realtime      measure at real-time priority (as root), for a machine that has other work
  --smoke         quickly and without meaning: every figure of Weft must be there (what the test does)
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
from pathlib import Path

import report
from quantities import AREAS, ONCE, PROGRAMS

HERE = Path(__file__).resolve().parent
LONGEST = 40  # seconds that another library may take for one program


def options():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1], add_help=True)
    parser.add_argument("build", type=Path)
    parser.add_argument("compare", nargs="*")
    parser.add_argument("--areas", default=",".join(AREAS))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--others-rounds", type=int, default=3)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--ms", type=float, default=1)
    parser.add_argument("--most-pes", type=int, default=128)
    parser.add_argument("--json", type=Path)
    for flag in ("--realtime", "--write", "--smoke"):
        parser.add_argument(flag, action="store_true")
    given = parser.parse_intermixed_args()
    given.areas = given.areas.split(",")
    given.build = given.build.resolve()
    unknown = [area for area in given.areas if area not in AREAS]
    if unknown:
        parser.error(f"no area {unknown[0]}; there are {', '.join(AREAS)}")
    if given.compare and (given.compare.pop(0) != "compare" or not given.compare or len(given.compare) % 2):
        parser.error("compare needs pairs of a compiler wrapper and a launcher")
    if given.smoke:
        given.rounds, given.repetitions, given.ms, given.write = 1, 2, 0.05, False
    return given


class Library:
    """Something that runs OpenSHMEM programs."""

    def __init__(self, name, oshrun, programs):
        self.name, self.oshrun, self.programs = name, shlex.split(str(oshrun)), programs
        self.said = []  # what did not work

    def command(self, n_pes, program, how, argument):
        return [*self.oshrun, "-n", str(n_pes), str(self.programs / program), *how, *([argument] if argument else [])]


def others(given):
    made = []
    for number in range(0, len(given.compare), 2):
        name, equals, oshcc = given.compare[number].partition("=")
        if not equals:
            oshcc, name = name, Path(shlex.split(name)[0]).resolve().parent.parent.name
        folder = given.build / "bench" / "others" / name
        folder.mkdir(parents=True, exist_ok=True)
        for program in PROGRAMS:
            command = [*shlex.split(oshcc), "-O2", "-w", f"-I{HERE}", HERE / "shmem" / f"{program}.c", "-o", folder / program]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"bench.py: {name}: {shlex.join(map(str, command))}\n{done.stderr}")
        made.append(Library(name, given.compare[number + 1], folder))
    return made


def run(command, seconds, heap="128M"):
    """Lines of output as objects, and what went wrong."""
    environment = dict(os.environ, SHMEM_SYMMETRIC_SIZE=heap)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                          env=environment, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=seconds)
            problem = f"exit code {process.returncode}: {err.strip()[-200:]}" if process.returncode else ""
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 15)
            try:
                out, err = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                out, err = process.communicate()
            problem = f"not finished after {seconds} s"
    found = [json.loads(line) for line in out.splitlines() if line.startswith("{") and line.endswith("}")]
    return found, problem


class Figures:
    """(name, PEs, memory) -> who -> one median for each round."""

    def __init__(self):
        self.all = {}

    def add(self, found, who, memory):
        times = self.all.setdefault((found["name"], found["pes"], memory), {}).setdefault(who, [])
        times.append(statistics.median(found.get("ns") or found["bytes"]))

    def add_limit(self, found):
        for memory in ("heap", "static"):
            self.add(found, found["by"], memory)

    def of(self, row, who):
        return self.all.get((row.name, row.pes, row.memory), {}).get(who, [])


def run_area(given, area, libraries, figures):
    limits = [str(given.build / "bench" / "limits"), "--repetitions", str(given.repetitions), "--ms", str(given.ms)]
    how = limits[1:]
    for n_pes, program, argument, limit in AREAS[area]:
        if n_pes > given.most_pes:
            continue
        if limit:
            found, problem = run([*limits, *limit], LONGEST)
            if problem:
                sys.exit(f"bench.py: limits {' '.join(limit)}: {problem}")
            for line in found:
                figures.add_limit(line)
        for library in libraries:
            if any(entry.startswith(f"{n_pes} PEs, {program} {argument}:") for entry in library.said):
                continue  # once is enough
            if argument == "start":
                job = [library.oshrun[0], str(library.programs / program)]
                if len(library.oshrun) > 1:
                    job = [write_script(library), job[1]]
                found, problem = run([*limits, "start", str(n_pes), *job], LONGEST, "16M")
            else:
                found, problem = run(library.command(n_pes, program, how, argument), LONGEST,
                                     "16M" if program == "sync" else "128M")
            if problem:
                if library is libraries[0]:
                    sys.exit(f"bench.py: {shlex.join(library.command(n_pes, program, how, argument))}: {problem}")
                library.said.append(f"{n_pes} PEs, {program} {argument}: {problem}")
            for line in found:
                if line["by"] == "limit":
                    if library is libraries[0]:
                        figures.add_limit(line)
                else:
                    figures.add(line, library.name, "heap" if line["by"] == "job" else line["by"])


def write_script(library):
    """limits starts a launcher by one name."""
    script = library.programs / "oshrun.sh"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(library.oshrun)} "$@"\n')
    script.chmod(0o755)
    return str(script)


def main():
    given = options()
    load = os.getloadavg()[0]
    if given.realtime:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
        except PermissionError:
            sys.exit("bench.py: --realtime needs root")
    libraries = [Library("Weft", given.build / "bin" / "oshrun", given.build / "bench"), *others(given)]
    figures = Figures()
    for number in range(given.rounds):
        for area in given.areas:
            if not given.smoke and sys.stderr.isatty():
                print(f"\rround {number + 1} of {given.rounds}: {area}        ", end="", file=sys.stderr, flush=True)
            if number == 0 or area not in ONCE:
                run_area(given, area, libraries if number < given.others_rounds else libraries[:1], figures)
    if given.json:
        given.json.write_text(json.dumps({
            "machine": report.machine(given, load),
            "figures": [{"name": name, "pes": pes, "memory": memory, "ns": times}
                        for (name, pes, memory), times in figures.all.items()],
            "problems": {library.name: library.said for library in libraries if library.said}}, indent=1) + "\n")
    missing = report.missing(given, figures)
    if missing:
        sys.exit(f"bench.py: no figure for {missing}")
    report.show(given, figures, libraries, load)


if __name__ == "__main__":
    main()
