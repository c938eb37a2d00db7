#!/usr/bin/env python3
"""What is told of jobs that hang in pages that two hosts share: which PE is asked for what, and where the program is.

usage: shared_hang_test.py BUILD [unittest's arguments]
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
ADDRESS = r"0x[0-9a-f]+ in shared memory"


class SharedHang(unittest.TestCase):
    """PE 0 on node1, and PE 1, which is home of all, on node2."""

    @classmethod
    def setUpClass(cls):
        cls.hosts = Hosts(2)
        cls.addClassCleanup(cls.hosts.close)

    def says(self, how, *lines, **environment):
        done = self.hosts.run(1, [BUILD / "bin/oshrun", "-n", "2", "--hosts", "node1,node2", "--timeout", "5s",
                                  BUILD / "tests/fault/fault_shared_hang", how],
                              env={**os.environ, "SHMEM_SYMMETRIC_SIZE": "4M", **environment}, timeout=LIMIT,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.returncode, 124, done.stderr)
        for line in lines:
            self.assertTrue(re.search(rf"^[^\n]*{line}$", done.stderr, flags=re.M), f"no line: {line}\n{done.stderr}")
        self.assertEqual(self.hosts.leftovers(wait=10), [], done.stderr)

    stopped = "PE 1 is stopped, by a signal or a debugger; its last call there was weft_shared_barrier.*"

    def test_contents_of_a_page(self):
        self.says("contents", rf"PE 0 has waited [0-9.]+ s in an access to shared memory at .* for the contents of what "
                              rf"lies at {ADDRESS}, whose home is PE 1, which is stopped", self.stopped)

    def test_changes_and_word_of_them(self):
        # Which of the two was under way as PE 1 stopped, and whether the program or what goes on beside it had begun it. A
        # page that has come to PE 0 would have nothing to tell PE 1 of.
        self.says("changes", rf"PE 0 has waited [0-9.]+ s (in weft_shared_release.*|beside its program) until (what was "
                             rf"written at {ADDRESS} has come to its home, PE 1|word of what was written at {ADDRESS} has "
                             rf"come to PE 1), which is stopped", self.stopped, WEFT_SHARED_HOMES="first")

    # The first operation in a page has PE 1 keep it first.
    kept = rf"to hear which is the home of what lies at {ADDRESS} from PE 1"

    def test_an_operation_on_a_word(self):
        self.says("word", rf"PE 0 has waited [0-9.]+ s in weft_shared_uint32_fetch_add.* (for an operation on the word at "
                          rf"{ADDRESS}, whose home is PE 1|{self.kept}), which is stopped", self.stopped)

    def test_a_lock_whose_home_is_stopped(self):
        self.says("lock", rf"PE 0 has waited [0-9.]+ s in weft_shared_lock at .* (for the lock at {ADDRESS}, whose home, "
                          rf"PE 1, is stopped|{self.kept}, which is stopped)", self.stopped)

    def test_the_book(self):
        self.says("book", r"PE 1 has waited [0-9.]+ s in weft_shared_malloc at .* for the book of which blocks are in "
                          r"use, which PE 0 has, which is stopped")

    def test_locks(self):
        self.says("held", rf"PE 0 has waited [0-9.]+ s in weft_shared_lock at .* for the lock at {ADDRESS}, which PE 1 "
                          rf"holds", "PE 1 does not wait in Weft; its last call there was weft_shared_barrier.*")
        self.says("circle", rf"=> deadlock, unless other threads of these PEs go on: PE 0 waits for PE 1 in weft_shared_lock at .* \(lock at {ADDRESS}\), PE 1 "
                            rf"waits for PE 0 in weft_shared_lock at .*")


if __name__ == "__main__":
    run_tests()
