#!/usr/bin/env python3
"""Profiles of programs that share pages over two hosts, which reach each other by a network only.

usage: shared_profile_test.py BUILD [unittest's arguments]
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))
from hosts import Hosts, run_tests  # noqa: E402  (it is in a folder of its own)

BUILD = Path(sys.argv.pop(1)).resolve()
LIMIT = 90  # seconds for one job
PAGES = 64  # of tests/profile/programs/shared_known.c


class Profiles(unittest.TestCase):
    def test_pages_of_two_hosts(self):
        with Hosts(2) as hosts, tempfile.TemporaryDirectory() as place:
            done = hosts.run(1, [BUILD / "bin/oshrun", "-n", "2", "--hosts", "node1,node2", f"--profile={place}/p",
                                 BUILD / "tests/profile/profile_shared_known"],
                             env={**os.environ, "WEFT_NET": "tcp"}, timeout=LIMIT, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            shared = json.loads(Path(place, "p/profile.json").read_text())["shared_pages"]
        first, second = shared["pes"]
        self.assertEqual([first["end"], second["end"]], ["finalized"] * 2)
        self.assertEqual([first["way"], second["way"]], ["pages"] * 2)
        self.assertGreaterEqual(first["claimed"], PAGES)
        self.assertGreaterEqual(second["came"], PAGES)
        self.assertEqual([row[:2] for row in shared["fetched"] if row[0] == 1], [[1, 0]])
        self.assertGreaterEqual(second["sent"], PAGES)
        self.assertGreaterEqual(second["sent_bytes"], 4 * PAGES)
        self.assertEqual((first["locks"], second["locks"]), (10, 10))
        # The lock is at home at the other host, so each time the way there is waited for.
        self.assertEqual(second["locks_waited"], 10)
        self.assertGreater(second["lock_seconds"], 0)


if __name__ == "__main__":
    run_tests()
