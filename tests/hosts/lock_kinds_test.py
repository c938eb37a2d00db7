#!/usr/bin/env python3
"""Locks that migrate, of both kinds, in heaps of all sizes, and stray puts that do not reach them.

usage: lock_kinds_test.py BUILD [unittest's arguments]
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
MIGRATE = "288K"  # the smallest heap with a table
HEAP = 1024 * 1024
GUARD = 4096  # as large as the table of such a heap
END = HEAP - 2 * GUARD


class LockKinds(unittest.TestCase):
    def run_program(self, heap, *arguments, amo="network", pes=4):
        environment = {**os.environ, "WEFT_AMO": amo, "SHMEM_SYMMETRIC_SIZE": heap}
        with Hosts(2) as hosts:
            return hosts.run(1, [BUILD / "bin/oshrun", "-n", str(pes), "--hosts", "node1,node2",
                                 BUILD / "tests/hosts/hosts_lock_kinds", *arguments],
                             env=environment, timeout=LIMIT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)

    def test_turns(self):
        for heap, amo in (("64K", "network"), ("128K", "network"), (MIGRATE, "network"), ("1M", "network"), ("1M", "auto")):
            with self.subTest(heap=heap, amo=amo):
                done = self.run_program(heap, "12", amo=amo)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertEqual(len(re.findall(r"^PE \d of 4: 0 wrong$", done.stdout, flags=re.M)), 4, done.stdout)

    def test_stray_put(self):
        for behind in (END, HEAP - 8):
            done = self.run_program("1M", "stray", str(behind))
            self.assertNotEqual(done.returncode, 0, done.stdout)
            self.assertEqual(len(re.findall(r"^weft: PE 3: shmem_long_p: dest, 0x[0-9a-f]+, lies \d+ bytes past the end of "
                                            r"the symmetric heap; check the number of elements", done.stdout,
                                            flags=re.M)), 1, done.stdout)
        self.assertEqual(self.run_program("1M", "stray", str(END - 8)).returncode, 0)

    def test_stray_store(self):
        """Stores that run past the end meet the guard before the locks."""
        for pe, said in ((3, "an access ran past the end of the symmetric heap"),
                         (2, "an operation on PE 2 ran past the end of its symmetric memory")):
            for behind in (END, END + GUARD - 8):
                with self.subTest(pe=pe, behind=behind):
                    done = self.run_program("1M", "store", str(behind), str(pe))
                    self.assertNotEqual(done.returncode, 0, done.stdout)
                    self.assertEqual(len(re.findall(rf"^weft: PE 3: (?:\w+: )?{said}", done.stdout, flags=re.M)), 1,
                                     done.stdout)
        self.assertEqual(self.run_program("1M", "store", str(END - 8), "2").returncode, 0)


if __name__ == "__main__":
    run_tests()
