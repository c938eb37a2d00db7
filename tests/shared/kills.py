#!/usr/bin/env python3
"""kill -9 of a random PE at some time in a program that shares pages (endless.c), on one to three pretended hosts:
the job ends within two seconds, names the PE and its host, and leaves nothing.

usage: kills.py BUILD [--times 50] [--hosts 1,2,3] [--seed N] [--within 2.0]
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))
from hosts import Hosts, Unavailable  # noqa: E402  (it is in a folder of its own)

START = 120  # seconds until all PEs are at it
END = 60     # until a job is given up that does not end
LONGEST = 0.5  # seconds of the program's before the kill


class Wrong(Exception):
    """Something is not as it was to be; the text says what."""


def pes_of(hosts, program):
    """(host, pid there) of each PE's process; what starts them has the program among its words, too, but not as the first."""
    return [(host, pid) for host in range(1, hosts.count + 1) for pid, text in hosts.processes(host).items()
            if text.split()[:1] == [str(program)]]


def number_of(hosts, host, pid):
    """Which PE it is: a process is told in its environment."""
    try:
        words = (hosts.files(host, f"/proc/{pid}") / "environ").read_bytes().split(b"\0")
        return next(int(word[8:]) for word in words if word.startswith(b"WEFT_PE="))
    except (OSError, StopIteration, ValueError) as why:
        raise Wrong(f"process {pid} on node{host} does not tell which PE it is: {why!r}") from why


def kill_one(given, hosts, pes, way, chance):
    program = given.build / "tests/shared/shared_endless"
    job = hosts.popen(1, [given.build / "bin/oshrun", "-n", pes, "--hosts", ",".join(hosts.names), program],
                      env={**os.environ, "WEFT_SHARED_BY": way}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                      stderr=subprocess.PIPE, text=True)
    try:
        late = threading.Timer(START, job.kill)
        late.start()
        line = job.stdout.readline()  # or nothing, at the end of all that could say it
        late.cancel()
        if line != "all are at it\n":
            raise Wrong(f"the program did not begin, but said {line!r} {job.communicate(timeout=END)}")
        time.sleep(chance.uniform(0, LONGEST))  # the random time; nothing is waited for by it
        all_pes = pes_of(hosts, program)
        if len(all_pes) != pes:
            raise Wrong(f"{len(all_pes)} processes of {pes} PEs: {all_pes}")
        # In their order, so that the seed says who it is.
        pe, host, pid = chance.choice(sorted((number_of(hosts, host, pid), host, pid) for host, pid in all_pes))
        began = time.monotonic()
        hosts.run(host, ["kill", "-KILL", str(pid)], check=True)
        _, said = job.communicate(timeout=END)
        took = time.monotonic() - began
    except subprocess.TimeoutExpired as why:
        raise Wrong(f"the job did not end in {END} s: {why}") from why
    except subprocess.CalledProcessError as why:
        raise Wrong(f"nobody could be killed: {why}") from why
    finally:
        if job.poll() is None:
            job.kill()
            job.stdout.close()  # others may have them, too, and go on
            job.stderr.close()
            job.wait()
    if job.returncode != 128 + signal.SIGKILL:
        raise Wrong(f"exit code {job.returncode}\n{said}")
    place = rf".*node{host}\b" if hosts.count > 1 else ""
    named = re.findall(r"^oshrun: .*?\bPE (\d+) .*(?:signal 9|SIGKILL)", said, flags=re.M)
    if named != [str(pe)] or not re.search(rf"^oshrun: .*\bPE {pe} {place}.*(signal 9|SIGKILL)", said, flags=re.M):
        raise Wrong(f"one line was to name PE {pe}, which was killed on node{host}:\n{said}")
    if took > given.within:
        raise Wrong(f"it took {took:.2f} s from the kill to the end\n{said}")
    left = hosts.leftovers()
    if left:
        raise Wrong("left: " + "\n".join(left))
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--times", type=int, default=50, help="on each number of hosts")
    parser.add_argument("--hosts", type=lambda text: [int(number) for number in text.split(",")], default=[1, 2, 3])
    parser.add_argument("--seed", type=int, default=None,
                        help="of which PE is killed in what, and how long that is waited for; told where something is "
                        "wrong. Where the program is by then is not decided by it")
    parser.add_argument("--within", type=float, default=2.0, help="seconds from the kill to the end of the job")
    given = parser.parse_args()
    given.build = given.build.resolve()
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    went = False
    for count in given.hosts:
        try:
            hosts = Hosts(count)
        except Unavailable as why:
            print(f"{count} hosts: {why}", flush=True)
            continue
        went = True
        took = []
        with hosts:
            for time_of in range(given.times):
                pes = chance.randint(max(count, 2), count + 2)
                way = chance.choice(["pages", "memory"]) if count == 1 else "pages"
                try:
                    took.append(kill_one(given, hosts, pes, way, chance))
                except Wrong as what:
                    sys.exit(f"kills.py: {count} hosts, {pes} PEs by {way}, time {time_of + 1}, --seed {seed}: {what}")
        print(f"{count} hosts: {given.times} jobs ended, {min(took):.2f} to {max(took):.2f} s behind the kill", flush=True)
    if not went:
        sys.exit(77)


if __name__ == "__main__":
    main()
