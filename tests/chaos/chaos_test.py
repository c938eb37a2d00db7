#!/usr/bin/env python3
"""Runs chaos.c and disturbs its PEs: stops and continues them, moves them to other processors, changes their nice values.

    chaos_test.py OSHRUN PROGRAM PES STEPS [MISTAKE SAID]

Jobs of so many steps follow each other, until they have been disturbed often enough. WEFT_CHAOS_SEED takes the seed that an
earlier run has printed, which says what the program does; WEFT_CHAOS_TIMES multiplies the steps and how often they are
disturbed. A job has no time limit as long as it goes on: it has failed when no step is finished within a minute. With a
MISTAKE, which the program then makes, one of the jobs has to fail and to say what is SAID.
"""

import os
import random
import select
import signal
import subprocess
import sys
import time

TIMES = int(os.environ.get("WEFT_CHAOS_TIMES", "1"))
DISTURBANCES = 100 * TIMES
MOST_JOBS = 50  # which make a mistake that only some orders show
SILENCE = 60 * int(os.environ.get("WEFT_TEST_SLOW", "1"))


def pes_of(oshrun: int) -> list[int]:
    """The processes that oshrun has started and that are PEs by now."""
    found = []
    try:
        with open(f"/proc/{oshrun}/task/{oshrun}/children", encoding="ascii") as file:
            children = file.read().split()
    except OSError:
        return []
    for child in children:
        try:
            with open(f"/proc/{child}/environ", "rb") as file:
                if b"\0WEFT_PE=" in b"\0" + file.read():
                    found.append(int(child))
        except OSError:
            pass
    return found


class Disturber:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.processors = sorted(os.sched_getaffinity(0))
        self.done = {"stopped": 0, "moved": 0, "made nice": 0}

    def stop(self, pe: int) -> None:
        os.kill(pe, signal.SIGSTOP)
        try:
            time.sleep(self.random.choice([0.0005, 0.002, 0.01, 0.03]))
        finally:
            os.kill(pe, signal.SIGCONT)
        self.done["stopped"] += 1

    def move(self, pe: int) -> None:
        some = self.random.sample(self.processors, self.random.randint(1, len(self.processors)))
        os.sched_setaffinity(pe, some)
        self.done["moved"] += 1

    def nice(self, pe: int) -> None:
        os.setpriority(os.PRIO_PROCESS, pe, self.random.randint(os.getpriority(os.PRIO_PROCESS, pe), 19))
        self.done["made nice"] += 1

    def disturb(self, pes: list[int]) -> None:
        try:
            self.random.choice([self.stop, self.stop, self.move, self.nice])(self.random.choice(pes))
        except (ProcessLookupError, PermissionError):
            pass  # it has just ended


def run(command: list[str], disturber: Disturber) -> tuple[int | None, list[str]]:
    """How the job ended (None: it did not), and what it printed."""
    text = b""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as job:
        last = time.monotonic()
        while True:
            if select.select([job.stdout], [], [], disturber.random.choice([0, 0.001, 0.005]))[0]:
                some = os.read(job.stdout.fileno(), 65536)
                if not some:
                    break
                text += some
                last = time.monotonic()
            if time.monotonic() - last > SILENCE:
                subprocess.run([command[0], "--status", str(job.pid)], check=False)
                job.kill()
                return None, text.decode(errors="replace").splitlines()
            if found := pes_of(job.pid):
                disturber.disturb(found)
        return job.wait(), text.decode(errors="replace").splitlines()


def main() -> int:
    oshrun, program, pes, steps = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]) * TIMES
    seed = int(os.environ.get("WEFT_CHAOS_SEED", str(random.randrange(1 << 31))))
    disturber = Disturber(seed)
    jobs = 0
    mistake, said = sys.argv[5:] or (None, "")
    more = [mistake] if mistake else []
    while jobs < MOST_JOBS if mistake else sum(disturber.done.values()) < DISTURBANCES:
        code, lines = run([oshrun, "-n", pes, program, str(seed + jobs), str(steps), *more], disturber)
        if mistake and code == 3:
            found = any(said in line for line in lines)
            print(f"after {jobs + 1} jobs: " + ("found" if found else "something else:\n" + "\n".join(lines[-10:])))
            return 0 if found else 1
        if code != 0 or f"chaos on {pes}: all is right" not in lines:
            print("\n".join(lines[-40:]))
            print(f"no step was finished within {SILENCE} s" if code is None else f"the job ended with {code}")
            print(f"the same program: WEFT_CHAOS_SEED={seed + jobs}; when it is disturbed is another matter")
            return 1
        jobs += 1
    if mistake:
        print(f"WEFT_CHAOS_SEED={seed}: {jobs} jobs of {steps} steps did not find that there is no {mistake}")
        return 1
    done = ", ".join(f"{what} {times} times" for what, times in disturber.done.items())
    print(f"WEFT_CHAOS_SEED={seed}: {jobs} jobs of {steps} steps, PEs {done}: all is right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
