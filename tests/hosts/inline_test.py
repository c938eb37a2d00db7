#!/usr/bin/env python3
"""Small operations of a job on several hosts: those between PEs of one node never come to the library.

usage: inline_test.py BUILD [unittest's arguments]
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))
from hosts import Hosts, run_tests  # noqa: E402  (it is in a folder of its own)

BUILD = Path(sys.argv.pop(1)).resolve()
LIMIT = 60  # seconds for one job


class Inline(unittest.TestCase):
    def run_program(self, pes, count, *arguments):
        names = ",".join(f"node{i + 1}" for i in range(count))
        with Hosts(count) as hosts:
            return hosts.run(1, [BUILD / "bin/oshrun", "-n", str(pes), "--hosts", names,
                                 BUILD / "tests/hosts/hosts_inline_path", *arguments],
                             timeout=LIMIT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True)

    def test_every_node(self):
        for pes, count in ((4, 2), (7, 3)):
            with self.subTest(pes=pes, hosts=count):
                done = self.run_program(pes, count)
                self.assertEqual(done.returncode, 0, done.stdout)
                lines = re.findall(r"^PE (\d+): (\d+) of node, (\d+) puts and (\d+) gets asked for, 0 wrong$", done.stdout,
                                   flags=re.M)
                self.assertEqual(len(lines), pes, done.stdout)
                for pe, here, puts, gets in (map(int, line) for line in lines):
                    self.assertEqual((puts, gets), (pes - here, pes - here), f"PE {pe}: {done.stdout}")

    def test_mistake_names_the_pe(self):
        done = self.run_program(4, 2, "hole")
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertEqual(len(re.findall(r"^weft: PE 3: an operation on PE 2 used the address 0x[0-9a-f]+, which is not "
                                        r"symmetric", done.stdout, flags=re.M)), 1, done.stdout)


if __name__ == "__main__":
    run_tests()
