#!/usr/bin/env python3
"""A message that is cancelled while its receiver ends MPI, on two hosts.

usage: late_cancel_test.py BUILD [unittest's arguments]
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))
from hosts import Hosts, run_tests  # noqa: E402  (it is in a folder of its own)

BUILD = Path(sys.argv.pop(1)).resolve()
LIMIT = 60  # seconds


class LateCancel(unittest.TestCase):
    def test_comes_when_its_receiver_has_ended_mpi(self):
        # The program makes recv() slow, which is how the TCP leaf hears.
        with Hosts(2) as hosts, tempfile.TemporaryDirectory() as folder:
            done = hosts.run(1, [BUILD / "bin/oshrun", "-n", "4", "--hosts", "node1,node2",
                                 BUILD / "tests/hosts/hosts_late_cancel", folder],
                             env={**os.environ, "WEFT_NET": "tcp"}, timeout=LIMIT, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual(len(re.findall(r"^rank \d is done$", done.stdout, flags=re.M)), 4, done.stdout)


if __name__ == "__main__":
    run_tests()
