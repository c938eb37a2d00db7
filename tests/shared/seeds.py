#!/usr/bin/env python3
"""Random programs without races (random.c) by the thousand: each number of PEs and threads, one memory and pages, few copies of
pages and any number, with and without safe mode, on one machine or on three pretended hosts, by this user or by nobody.

usage: seeds.py BUILD [--seeds 1000] [--first 1] [--pes 1,2,3,4] [--threads 1,2,4] [--hosts] [--as-nobody] [--only WAY]
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))
from hosts import Hosts  # noqa: E402  (it is in a folder of its own)

BATCH = 50  # seeds of one start
LIMIT = 900  # seconds for these
NOBODY = 65534
# Copies have twins, so 64k are eight of them, and 4k as few as there can be.
WAYS = {
    "memory": {"WEFT_SHARED_BY": "memory"},
    "pages": {"WEFT_SHARED_BY": "pages"},
    "pages, 8 copies": {"WEFT_SHARED_BY": "pages", "WEFT_SHARED_CACHE": "64k"},
    "pages, fewest copies": {"WEFT_SHARED_BY": "pages", "WEFT_SHARED_CACHE": "4k"},
    "pages, renewed": {"WEFT_SHARED_BY": "pages", "WEFT_SHARED_PROTOCOL": "update"},
    "memory, safe": {"WEFT_SHARED_BY": "memory", "SHMEM_DEBUG": "check"},
    "pages, safe": {"WEFT_SHARED_BY": "pages", "SHMEM_DEBUG": "check"},
}


def numbers(text):
    return [int(number) for number in text.split(",")]


def on_this_machine(given):
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if given.as_nobody else {}
    home = {"HOME": "/nonexistent"} if given.as_nobody else {}

    def run(command, environment):
        return subprocess.run(command, env={**os.environ, **home, **environment}, stdin=subprocess.DEVNULL, cwd="/",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT, **user)
    return run


def on(hosts):
    def run(command, environment):
        return hosts.run(1, command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, timeout=LIMIT,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return run


def go_through(given, run, places):
    program = given.build / "tests/shared/shared_random"
    for way, environment in WAYS.items():
        if way not in (given.only or WAYS) or (places and environment["WEFT_SHARED_BY"] == "memory"):
            continue
        for pes in given.pes:
            for threads in given.threads:
                began = time.monotonic()
                for first in range(given.first, given.first + given.seeds, BATCH):
                    n = min(BATCH, given.first + given.seeds - first)
                    command = [str(given.build / "bin/oshrun"), "-n", str(pes), *places, str(program), str(n), str(threads), str(first)]
                    done = run(command, environment)
                    if done.returncode != 0:
                        sys.exit(f"{way}, {pes} PEs, {threads} threads, seeds {first} to {first + n - 1}: exit code "
                                 f"{done.returncode}\n{done.stdout}")
                print(f"{way}: {pes} PEs, {threads} threads: {given.seeds} programs right, {time.monotonic() - began:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--pes", type=numbers, default=[1, 2, 3, 4])
    parser.add_argument("--threads", type=numbers, default=[1, 2, 4])
    parser.add_argument("--hosts", action="store_true")
    parser.add_argument("--as-nobody", action="store_true")
    parser.add_argument("--only", action="append", choices=WAYS)
    given = parser.parse_args()
    given.build = given.build.resolve()
    if given.as_nobody and os.geteuid() != 0:
        print("seeds.py: only root may become nobody")
        sys.exit(77)
    if given.hosts:
        given.pes = [pes for pes in given.pes if pes >= 3]
        with Hosts(3) as hosts:
            go_through(given, on(hosts), ["--hosts", "node1,node2,node3"])
    else:
        go_through(given, on_this_machine(given), [])


if __name__ == "__main__":
    main()
