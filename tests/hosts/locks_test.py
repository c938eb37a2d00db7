#!/usr/bin/env python3
"""Locks and atomic operations of a job on several hosts, on a network taken for one that is not atomic against processors.

usage: locks_test.py BUILD [unittest's arguments]
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))
from hosts import Hosts, run_tests  # noqa: E402  (it is in a folder of its own)

BUILD = Path(sys.argv.pop(1)).resolve()
RUNNER = BUILD / "tests/support/run_program"
# All hosts share this machine's processors, and what is busy is not dead; that is what faults_test.py is about.
PATIENT = ("--link-timeout", "60")
SILENCE = 120  # seconds without a step of a job's: how long all of it takes says nothing beside other load


class Locks(unittest.TestCase):
    def run_locks(self, pes, count, amo, words=()):
        names = ",".join(f"node{i + 1}" for i in range(count))
        environment = {**os.environ, "WEFT_AMO": amo, "SHMEM_DEBUG": "1"}
        with Hosts(count) as hosts:
            done = hosts.run(1, [RUNNER, "--silence", str(SILENCE), "--", BUILD / "bin/oshrun", "-n", str(pes), *words, *PATIENT,
                                 "--hosts", names, BUILD / "tests/hosts/hosts_locks"], env=environment,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(re.findall(rf"^PE \d+ of {pes}, .*: 0 failures$", done.stdout, flags=re.M)), pes, done.stdout)
        migrations = re.findall(r"left the processors (\d+) times and came back (\d+) times", done.stdout)
        return [sum(int(pair[k]) for pair in migrations) for k in (0, 1)]

    def test_mixes(self):
        for pes, count in ((2, 2), (3, 2), (7, 2), (7, 3)):
            with self.subTest(pes=pes, hosts=count):
                left, back = self.run_locks(pes, count, "network")
                self.assertGreater(left, 0, "no lock has ever left the processors: what was tested?")
                self.assertGreater(back, 0, "no lock has ever come back")

    def test_pes_of_a_node_need_not_be_neighbours(self):
        left, back = self.run_locks(5, 2, "network", ("--map-by", "node"))
        self.assertGreater(left, 0)
        self.assertGreater(back, 0)

    def test_no_lock_migrates_where_it_need_not(self):
        self.assertEqual(self.run_locks(3, 2, "auto"), [0, 0])


if __name__ == "__main__":
    run_tests()
