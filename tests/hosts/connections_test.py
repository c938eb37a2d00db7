#!/usr/bin/env python3
"""How many connections collectives make over many hosts.

usage: connections_test.py BUILD [unittest's arguments]
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))
from hosts import Hosts, run_tests  # noqa: E402  (it is in a folder of its own)

BUILD = Path(sys.argv.pop(1)).resolve()
LIMIT = 90  # seconds for one job
HOSTS = 8


class Connections(unittest.TestCase):
    def test_few_for_who_speaks_for_a_host_and_none_for_others(self):
        names = ",".join(f"node{i + 1}" for i in range(HOSTS))
        with Hosts(HOSTS) as hosts:
            done = hosts.run(1, [BUILD / "bin/oshrun", "-n", str(2 * HOSTS), "--hosts", names,
                                 BUILD / "tests/hosts/hosts_connections"],
                             timeout=LIMIT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        counts = re.findall(r"^PE (\d+): (\d+) connections$", done.stdout, flags=re.M)
        self.assertEqual(len(counts), 2 * HOSTS, done.stdout)
        # To those 1, 2 and 4 hosts further, and those 1 and 2 before where doubling leads to them, and from as many.
        # With each of the other hosts' PEs it would be one there and one back: 28.
        for pe, count in ((int(pe), int(count)) for pe, count in counts):
            self.assertLessEqual(count, 10 if pe % 2 == 0 else 0, done.stdout)
        self.assertGreaterEqual(sum(int(count) for _, count in counts), 3 * HOSTS, done.stdout)  # they were seen


if __name__ == "__main__":
    run_tests()
