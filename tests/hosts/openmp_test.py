#!/usr/bin/env python3
"""Programs of OpenMP, and what agents find beside oshrun, on several hosts.

usage: openmp_test.py BUILD [unittest's arguments]
"""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))
from hosts import Hosts, run_tests  # noqa: E402  (it is in a folder of its own)

BUILD = Path(sys.argv.pop(1)).resolve()
PROGRAM = BUILD / "tests/openmp/openmp_laplace"


def run(*words):
    with Hosts(2) as hosts:
        return hosts.run(1, [BUILD / "bin/oshrun", "--hosts", "node1,node2", *words], env=os.environ, timeout=60,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class OpenMp(unittest.TestCase):
    @unittest.skipUnless(PROGRAM.exists(), "programs of OpenMP were not built")
    def test_one_program_is_not_spread_over_hosts_yet(self):
        done = run("-n", "2", PROGRAM, "64", "2")
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"the processes are on 2 machines; this version runs OpenMP programs on one")

    def test_agents_find_the_helpers_of_an_installation(self):
        done = run("-n", "2", "--bind-to", "core", "/bin/echo", "bound")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout.count("bound"), 2, done.stdout)


if __name__ == "__main__":
    run_tests()
