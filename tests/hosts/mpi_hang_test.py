#!/usr/bin/env python3
"""What is told of MPI programs that hang between two hosts.

usage: mpi_hang_test.py BUILD [unittest's arguments]
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
LIMIT = 60  # seconds for one job
LEAVES = [leaf for leaf in ("tcp", "ofi") if (BUILD / f"lib/libweft_{leaf}.so").exists()]


class MpiHang(unittest.TestCase):
    """Ranks 0 and 1 on node1, 2 and 3 on node2."""

    def report(self, leaf, how):
        with Hosts(2) as hosts:
            done = hosts.run(1, [BUILD / "bin/oshrun", "-n", "4", "--hosts", "node1,node2", "--timeout", "5s",
                                 BUILD / "tests/mpi/hang/mpi_hang", how],
                             env={**os.environ, "WEFT_NET": leaf}, timeout=LIMIT, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True)
            self.assertEqual(done.returncode, 124, done.stderr)
            self.assertEqual(hosts.leftovers(wait=10), [], done.stderr)
            return done.stderr

    def test_a_window_ends_beside_a_rank_that_is_stopped(self):
        self.assertTrue(LEAVES, "no network was built")
        for leaf in LEAVES:
            with self.subTest(leaf=leaf):
                told = self.report(leaf, "win_stopped")
                self.assertTrue(re.search(
                    r"rank 0 has waited [0-9.]+ s in MPI_Win_free.* until rank 3 has taken word of what has ended or may "
                    r"begin in the window matrix \(MPI_Win_unlock, MPI_Win_complete, MPI_Win_post\); it is stopped$",
                    told, flags=re.M), told)


if __name__ == "__main__":
    run_tests()
