#!/usr/bin/env python3
"""Laplace's equation, or a stencil of seven points in a cube, in all ways by turns, and the medians of their seconds: PEs of
one machine on one memory and on pages of their own, puts of OpenSHMEM, messages of MPI, OpenMP, threads; and others' software,
where it is told where that is.

usage: compare.py BUILD [--rounds N] [--pes N,N] [--side N] [--steps N] [--dimensions 2|3] [--but WAY;WAY] [--beside WAY]
       [--argodsm PREFIX] [--mpi FOLDER]

--argodsm: where ArgoDSM was installed; --mpi: the bin folder of the MPI for which that was, whose own messages are timed too.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def policies_of(given, pes):
    """ArgoDSM's own choice of where pages are at home, what fits best by hand, and by first touch, for which it must not load
    pages that nobody has touched."""
    pages = given.side ** given.dimensions * 8 // 4096
    return {"default": {},
            "blocks": {"ARGO_ALLOCATION_POLICY": "1", "ARGO_ALLOCATION_BLOCK_SIZE": str(max(pages // pes, 1))},
            "first touch": {"ARGO_ALLOCATION_POLICY": "4", "ARGO_LOAD_SIZE": "1"}}


def build(compiler, source, program, *options):
    subprocess.run([compiler, "-std=gnu11", "-O3", f"-I{HERE}", str(HERE / source), "-o", program, *options], check=True)


def ways_of(given, folder, pes):
    """By name: the command and its environment."""
    bench, shape = given.build / "bench", [str(given.side), str(given.steps), str(pes), str(given.dimensions)]
    ours, messages = str(bench / "laplace"), str(bench / "laplace_mpi")
    oshrun = [str(given.build / "bin/oshrun"), "-n", str(pes)]
    ways = {"threads": ([ours, "threads", *shape], {}),
            "one memory": ([*oshrun, ours, "shared", *shape], {"WEFT_SHARED_BY": "memory"}),
            "pages": ([*oshrun, ours, "shared", *shape], {"WEFT_SHARED_BY": "pages"}),
            "puts": ([*oshrun, ours, "puts", *shape], {"SHMEM_SYMMETRIC_SIZE": "256m"})}
    if Path(messages).exists():
        ways["MPI"] = ([*oshrun, messages, *shape], {})
    if (bench / "laplace_openmp").exists():
        ways["OpenMP"] = ([str(bench / "laplace_openmp"), *shape], {})
    if given.mpi:
        mpiexec = [str(given.mpi / "mpiexec"), "-n", str(pes)]
        ways["other MPI"] = ([*mpiexec, f"{folder}/laplace_mpi", *shape], {})
        if given.argodsm:
            for name, policy in policies_of(given, pes).items():
                ways[f"ArgoDSM, {name}"] = ([*mpiexec, f"{folder}/laplace_argo", *shape], {"ARGO_PRINT_STATISTICS": "0", **policy})
    return ways


def once(way, command, environment):
    """What it says: the sum of all points, and the seconds."""
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300)
    said = [line.split() for line in done.stdout.splitlines() if line.startswith("laplace ")]
    if done.returncode != 0 or len(said) != 1:
        sys.exit(f"compare.py: {way}: exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}")
    return float(said[0][-2]), float(said[0][-1])


def table(given, folder, pes):
    ways = {way: how for way, how in ways_of(given, folder, pes).items() if way not in given.but}
    seconds = {way: [] for way in ways}
    right = None
    for _ in range(given.rounds):
        for way, (command, environment) in ways.items():
            total, took = once(way, command, environment)
            right = total if right is None else right
            if abs(total - right) > 1e-4 * abs(right):
                sys.exit(f"compare.py: {way}: the sum is {total} and not {right}")
            seconds[way].append(took)
    print(f"| {pes} PE{'s' if pes > 1 else ''} | seconds | of {given.beside} | smallest to largest |\n|---|---|---|---|")
    for way, each in seconds.items():
        ratios = [one / other for one, other in zip(each, seconds[given.beside])]
        print(f"| {way} | {statistics.median(each):.4f} | {statistics.median(ratios):.2f} | {min(ratios):.2f} to {max(ratios):.2f} |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--pes", default="2")
    for name, default in (("rounds", 9), ("side", None), ("steps", 50), ("dimensions", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--but", type=lambda text: text.split(";"), default=[], help="what is left out, such as a slow one")
    parser.add_argument("--beside", default="threads", help="the way that the others' ratios are of")
    parser.add_argument("--argodsm", type=Path)
    parser.add_argument("--mpi", type=Path)
    given = parser.parse_args()
    if given.argodsm and not given.mpi:
        parser.error("--argodsm needs --mpi")
    given.build = given.build.resolve()
    given.side = given.side or (1024 if given.dimensions == 2 else 128)
    with tempfile.TemporaryDirectory() as folder:
        if given.mpi:
            build(given.mpi / "mpicc", "laplace_mpi.c", f"{folder}/laplace_mpi")
        if given.argodsm:
            build(given.mpi / "mpicc", "laplace_argo.c", f"{folder}/laplace_argo", f"-I{given.argodsm}/include/argo",
                  f"-L{given.argodsm}/lib", f"-Wl,-rpath,{given.argodsm}/lib", "-largo", "-largobackend-mpi")
        for pes in given.pes.split(","):
            table(given, folder, int(pes))


if __name__ == "__main__":
    main()
