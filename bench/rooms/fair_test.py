#!/usr/bin/env python3
"""fair ends when one of its processes does, and they when it does: fair_test.py FAIR"""
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

FAIR = None
RUN = 60  # seconds it would go on for
LIMIT = 45  # for what is done at once


def children_of(pid):
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_there(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it has not happened")
        time.sleep(0.002)


class Deaths(unittest.TestCase):
    def start(self, processes):
        job = subprocess.Popen([FAIR, str(RUN), str(processes)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        return job

    def ends(self, job, children):
        _, said = job.communicate(timeout=LIMIT)
        self.assertEqual((job.returncode, said), (2, "fair: a process has failed\n"))
        wait_until(lambda: not any(is_there(child) for child in children))

    def test_a_process_that_dies_early(self):
        job = self.start(64)
        wait_until(lambda: children_of(job.pid))
        children = children_of(job.pid)
        os.kill(children[0], signal.SIGKILL)
        self.ends(job, children)

    def test_a_process_that_dies_among_others(self):
        job = self.start(4)
        wait_until(lambda: len(children_of(job.pid)) == 4)
        children = children_of(job.pid)
        time.sleep(0.2)  # for them to have begun; if they have not, it is the other case
        os.kill(children[2], signal.SIGKILL)
        self.ends(job, children)

    def test_the_first_process_dies(self):
        job = self.start(4)
        wait_until(lambda: len(children_of(job.pid)) == 4)
        children = children_of(job.pid)
        job.kill()
        wait_until(lambda: not any(is_there(child) for child in children))


if __name__ == "__main__":
    # A kernel without CONFIG_PROC_CHILDREN, or no /proc.
    if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
        print("this kernel does not tell children of processes")
        sys.exit(77)
    FAIR = sys.argv.pop(1)
    unittest.main()
