#!/usr/bin/env python3
"""Laplace's equation, or a stencil of seven points in a cube, in all ways by turns, and the medians of their seconds: PEs of
one machine on one memory and on pages of their own, puts of OpenSHMEM, messages of MPI, OpenMP, threads; and others' software,
where it is told where that is.

usage: compare.py BUILD [--rounds N] [--pes N,N] [--side N] [--steps N] [--dimensions 2|3] [--but WAY;WAY] [--beside WAY]
       [--argodsm PREFIX] [--mpi FOLDER] [--hosts] [--limit SECONDS] [--plot FILE]

--argodsm: where ArgoDSM was installed; --mpi: the bin folder of the MPI for which that was, whose own messages are timed too.
--hosts: those that several machines can have also between two pretended hosts by TCP, from two PEs on.
--limit: what takes longer in one run is left out, and said.
--plot: a drawing (SVG) of all medians by the number of PEs, which takes matplotlib.
"""

import argparse
import functools
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests/testbed"))
from hosts import Hosts, Unavailable  # noqa: E402  (it is in a folder of its own)

HOSTS = "node1,node2"


def policies_of(given, pes):
    """ArgoDSM's own choice of where pages are at home, what fits best by hand, and by first touch, for which it must not load
    pages that nobody has touched."""
    pages = given.side ** given.dimensions * 8 // 4096
    return {"default": {},
            "blocks": {"ARGO_ALLOCATION_POLICY": "1", "ARGO_ALLOCATION_BLOCK_SIZE": str(max(pages // pes, 1))},
            "first touch": {"ARGO_ALLOCATION_POLICY": "4", "ARGO_LOAD_SIZE": "1"}}


def build(compiler, source, program, *options):
    subprocess.run([compiler, "-std=gnu11", "-O3", f"-I{HERE}", str(HERE / source), "-o", program, *options], check=True)


def ways_of(given, folder, pes, hosts):
    """By name: the command and its environment."""
    bench, shape = given.build / "bench", [str(given.side), str(given.steps), str(pes), str(given.dimensions)]
    ours, messages = str(bench / "laplace"), str(bench / "laplace_mpi")
    oshrun = [str(given.build / "bin/oshrun"), "-n", str(pes), *(["--hosts", HOSTS] if hosts else [])]
    ways = {} if hosts else {"threads": ([ours, "threads", *shape], {}),
                             "one memory": ([*oshrun, ours, "shared", *shape], {"WEFT_SHARED_BY": "memory"})}
    ways["pages"] = ([*oshrun, ours, "shared", *shape], {"WEFT_SHARED_BY": "pages"})
    ways["puts"] = ([*oshrun, ours, "puts", *shape], {"SHMEM_SYMMETRIC_SIZE": "256m"})
    if Path(messages).exists():
        ways["MPI"] = ([*oshrun, messages, *shape], {})
    if (bench / "laplace_openmp").exists() and not hosts:
        ways["OpenMP"] = ([str(bench / "laplace_openmp"), *shape], {})
    if given.mpi:
        mpiexec = [str(given.mpi / "mpiexec"), "-n", str(pes), *(["-hosts", HOSTS] if hosts else [])]
        ways["other MPI"] = ([*mpiexec, f"{folder}/laplace_mpi", *shape], {})
        if given.argodsm:
            for name, policy in policies_of(given, pes).items():
                ways[f"ArgoDSM, {name}"] = ([*mpiexec, f"{folder}/laplace_argo", *shape], {"ARGO_PRINT_STATISTICS": "0", **policy})
    return ways


def once(way, command, environment, hosts, limit):
    """What it says: the sum of all points, and the seconds. subprocess.TimeoutExpired: it says nothing for so long."""
    run = functools.partial(hosts.run, 1) if hosts else subprocess.run
    done = run(command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
               stderr=subprocess.PIPE, text=True, timeout=limit)
    said = [line.split() for line in done.stdout.splitlines() if line.startswith("laplace ")]
    if done.returncode != 0 or len(said) != 1:
        sys.exit(f"compare.py: {way}: exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}")
    return float(said[0][-2]), float(said[0][-1])


def table(given, folder, pes, hosts=None):
    """Says what it finds, and gives the medians by way."""
    ways = {way: how for way, how in ways_of(given, folder, pes, hosts).items() if way not in given.but}
    beside = given.beside if given.beside in ways else "puts"
    seconds = {way: [] for way in ways}
    right = None
    for _ in range(given.rounds):
        for way, (command, environment) in list(ways.items()):
            try:
                total, took = once(way, command, environment, hosts, given.limit)
            except subprocess.TimeoutExpired:
                print(f"{way}: {pes} PEs did not end in {given.limit} seconds; left out there", file=sys.stderr, flush=True)
                del ways[way], seconds[way]
                if way == beside:
                    sys.exit(f"compare.py: the ratios are of {way}; name another one by --beside")
                continue
            right = total if right is None else right
            if abs(total - right) > 1e-4 * abs(right):
                sys.exit(f"compare.py: {way}: the sum is {total} and not {right}")
            seconds[way].append(took)
    where = ", two hosts" if hosts else ""
    print(f"| {pes} PE{'s' if pes > 1 else ''}{where} | seconds | of {beside} | smallest to largest |\n|---|---|---|---|")
    for way, each in seconds.items():
        ratios = [one / other for one, other in zip(each, seconds[beside])]
        print(f"| {way} | {statistics.median(each):.4f} | {statistics.median(ratios):.2f} | {min(ratios):.2f} to {max(ratios):.2f} |")
    print(flush=True)
    return {way: statistics.median(each) for way, each in seconds.items()}


def measure(given, folder):
    """By place, number of PEs and way: medians."""
    pes = [int(each) for each in given.pes.split(",")]
    found = {"one machine": {n: table(given, folder, n) for n in pes}}
    if given.hosts:
        with Hosts(2) as hosts:
            found["two hosts by TCP"] = {n: table(given, folder, n, hosts) for n in pes if n > 1}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--pes", default="2")
    for name, default in (("rounds", 9), ("side", None), ("steps", 50), ("dimensions", 2), ("limit", 300)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--but", type=lambda text: text.split(";"), default=[], help="what is left out, such as a slow one")
    parser.add_argument("--beside", default="threads", help="the way that the others' ratios are of")
    parser.add_argument("--argodsm", type=Path)
    parser.add_argument("--mpi", type=Path)
    parser.add_argument("--hosts", action="store_true")
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    if given.argodsm and not given.mpi:
        parser.error("--argodsm needs --mpi")
    if given.plot:  # before an hour is measured for a drawing that cannot be made
        try:
            import curves
        except ImportError as why:
            parser.error(f"--plot: {why}; install matplotlib 3.7 or newer")
        if not curves.can_draw():
            parser.error("--plot: this matplotlib places no legend beside the drawing; install 3.7 or newer")
    given.build = given.build.resolve()
    given.side = given.side or (1024 if given.dimensions == 2 else 128)
    with tempfile.TemporaryDirectory() as folder:
        if given.mpi:
            build(given.mpi / "mpicc", "laplace_mpi.c", f"{folder}/laplace_mpi")
        if given.argodsm:
            build(given.mpi / "mpicc", "laplace_argo.c", f"{folder}/laplace_argo", f"-I{given.argodsm}/include/argo",
                  f"-L{given.argodsm}/lib", f"-Wl,-rpath,{given.argodsm}/lib", "-largo", "-largobackend-mpi")
        try:
            found = measure(given, folder)
        except Unavailable as why:
            sys.exit(f"compare.py: {why}")
    if given.plot:
        curves.draw(found, f"{given.side} x {given.side}{f' x {given.side}' if given.dimensions == 3 else ''}, {given.steps} steps",
                    given.plot)


if __name__ == "__main__":
    main()
