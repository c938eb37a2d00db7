#!/usr/bin/env python3
"""A front end that stands on the core alone, on two hosts, over each network: by itself, and beside OpenSHMEM.

usage: core_test.py BUILD [unittest's arguments]
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
LIMIT = 90  # seconds for one job
LEAVES = [leaf for leaf in ("tcp", "ofi") if (BUILD / f"lib/libweft_{leaf}.so").exists()]


class Core(unittest.TestCase):
    def run_programs(self, *program, servers=0):
        self.assertTrue(LEAVES, "no network was built")
        for leaf in LEAVES:
            for pes in (2, 3, 7):
                with self.subTest(leaf=leaf, pes=pes), Hosts(2) as hosts:
                    environment = {**os.environ, "WEFT_NET": leaf, "SHMEM_SYMMETRIC_SIZE": "4M",
                                   "WEFT_TEST_SERVERS": str(servers)}
                    done = hosts.run(1, [BUILD / "bin/oshrun", "-n", str(pes), "--hosts", "node1,node2",
                                         BUILD / "tests/multi/core" / program[0], *program[1:]],
                                     env=environment, timeout=LIMIT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True)
                    self.assertEqual(done.returncode, 0, done.stdout)
                    self.assertEqual(len(re.findall(r"^PE \d+.* is done$", done.stdout, flags=re.M)), pes - servers,
                                     done.stdout)

    def test_by_itself(self):
        self.run_programs("core_talk")

    def test_serves_while_it_computes(self):
        self.run_programs("core_agent")

    def test_some_pes_serve_and_do_not_run_main(self):
        self.run_programs("core_serving", servers=1)

    def test_messages(self):
        self.run_programs("core_mail_sizes")
        self.run_programs("core_mail_traffic")
        self.run_programs("core_mail_threads")

    def test_begins_before_openshmem(self):
        self.run_programs("core_beside", "toy")

    def test_begins_after_openshmem(self):
        self.run_programs("core_beside", "shmem")


if __name__ == "__main__":
    run_tests()
